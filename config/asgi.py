"""HTTP and WebSocket, both behind the same session."""

import os
import warnings

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# whitenoise hands Django small files to stream one block at a time; under ASGI that is said once.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")
http = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402  (needs the apps loaded)
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from django.urls import path  # noqa: E402

from proposals.consumers import DeskConsumer  # noqa: E402
from runs.consumers import ConversationConsumer  # noqa: E402

sockets = [
    path("ws/desk", DeskConsumer.as_asgi()),
    path("ws/runs/<uuid:run_id>/conversation", ConversationConsumer.as_asgi()),
]

application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(sockets))),
    }
)
