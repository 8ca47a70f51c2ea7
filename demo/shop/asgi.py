"""The shop's own ASGI application: `uvicorn demo.shop.asgi:application --port 8001`."""

import os
import warnings

from django.core.asgi import get_asgi_application

# Assigned, not defaulted: the environment may still name Pointsman's own settings.
os.environ["DJANGO_SETTINGS_MODULE"] = "demo.shop.settings"
# WhiteNoise reads its few small files from disk in one go; nothing here is worth streaming.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")

application = get_asgi_application()
