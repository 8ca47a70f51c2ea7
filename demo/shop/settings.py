"""Settings of the demo shop alone: a database file of its own, a signed cookie, two hosts."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from core import env

PROJECT_DIR = Path(__file__).resolve().parent.parent.parent


def _folder() -> Path:
    """SHOP_DATA_DIR, or a folder that lasts as long as this process."""
    given = env.text("SHOP_DATA_DIR")
    if given:
        return Path(given)
    made = tempfile.mkdtemp(prefix="shop-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


DATA_DIR = _folder()
SECRET_KEY = env.secret_file("SHOP_SECRET_KEY", DATA_DIR / "secret-key")
# Opens the addresses that read and reset the shop; without it they do not exist.
BACKEND_TOKEN = env.text("SHOP_BACKEND_TOKEN")
DEBUG = False
ALLOWED_HOSTS = os.environ.get("SHOP_HOSTS", "127.0.0.1,localhost").split(",")

INSTALLED_APPS = [
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "demo.shop",
]
MIDDLEWARE = [
    "demo.shop.addresses.PlainPathMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "demo.shop.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PROJECT_DIR / "templates" / "shop"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
                "demo.shop.context.shop",
            ],
        },
    }
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_DIR / "shop.sqlite3",
        "OPTIONS": {
            # Who writes takes the lock at once, so that two presses of one button come in turn.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.ScryptPasswordHasher"]

# The cookie holds who the shopper is and nothing else; cart and address are rows.
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
SESSION_COOKIE_NAME = "shop_session"
CSRF_COOKIE_NAME = "shop_csrf"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
# The gift card widget is a frame of the shop's own.
X_FRAME_OPTIONS = "SAMEORIGIN"

STATIC_URL = "/static/"
STATICFILES_DIRS = [PROJECT_DIR / "static" / "shop"]
WHITENOISE_USE_FINDERS = True

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "Europe/London"
USE_TZ = True
USE_I18N = False

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "loggers": {"django.request": {"handlers": ["stderr"], "level": "ERROR"}},
}
