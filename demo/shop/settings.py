"""Settings of the demo shop alone: no database, a signed cookie for the session, two hosts."""

import os
import secrets
from pathlib import Path

PROJECT_DIR = Path(__file__).resolve().parent.parent.parent

# The orders live in this process, so a key that lasts as long as the process is enough.
SECRET_KEY = os.environ.get("SHOP_SECRET_KEY") or secrets.token_urlsafe(48)
DEBUG = False
ALLOWED_HOSTS = os.environ.get("SHOP_HOSTS", "127.0.0.1,localhost").split(",")

INSTALLED_APPS = [
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
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
DATABASES: dict[str, dict[str, str]] = {}

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
