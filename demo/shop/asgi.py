"""The shop's own ASGI application: `uvicorn demo.shop.asgi:application --port 8001`."""

import os
import warnings
from concurrent.futures import ThreadPoolExecutor

from django.core.asgi import get_asgi_application

# Assigned, not defaulted: the environment may still name Pointsman's own settings.
os.environ["DJANGO_SETTINGS_MODULE"] = "demo.shop.settings"
# WhiteNoise reads its few small files from disk in one go; nothing here is worth streaming.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")

application = get_asgi_application()


def prepare() -> None:
    from demo.shop import opening  # its models need the settings above

    opening.prepare_database()


# uvicorn imports this inside its event loop, where Django does not let a database be asked.
with ThreadPoolExecutor(1) as thread:
    thread.submit(prepare).result()
