"""All settings, read once from the environment. `.env.example` lists every variable."""

import os
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF

from core import engines, env

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.text("DATA_DIR", default=str(BASE_DIR / ".data"))).resolve()

# --- the site ---------------------------------------------------------------------------
DEBUG = env.boolean("DEBUG", default=False)
SECRET_KEY = env.secret_file("SECRET_KEY", DATA_DIR / "keys" / "secret")
AUDIT_KEY = env.secret_file("AUDIT_KEY", DATA_DIR / "keys" / "audit")
SEAL_KEY = env.secret_file("SEAL_KEY", DATA_DIR / "keys" / "seal")
PORT = env.integer("PORT", default=8000)
PUBLIC_URL = env.text("PUBLIC_URL", default=f"http://127.0.0.1:{PORT}").rstrip("/")
ALLOWED_HOSTS = env.listing("ALLOWED_HOSTS", default="127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env.listing("CSRF_TRUSTED_ORIGINS")
HTTPS = PUBLIC_URL.startswith("https://")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "csp",
    "axes",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "core",
    "audit",
    "agents",
    "confidence",
    "sandbox",
    "browser",
    "proposals",
    "confirmations",
    "routing",
    "runs",
    "oversight",
    "webhooks",
    "demo",
]

MIDDLEWARE = [
    "core.timing.ServerTimingMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "agents.middleware.LanguageMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "agents.middleware.SessionUseMiddleware",
    "core.pages.FormAddressMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "proposals.context.desk",
            ],
            # Every page has words: none loads these by itself.
            "builtins": ["django.templatetags.i18n", "core.templatetags.words"],
        },
    }
]

# --- data -------------------------------------------------------------------------------
DATABASES = {
    "default": dj_database_url.parse(
        env.text("DATABASE_URL") or engines.database_url(DATA_DIR),
        conn_health_checks=True,
    )
}
DATABASE_POOL_SIZE = env.integer("DATABASE_POOL_SIZE", default=20)
if DATABASE_POOL_SIZE:
    DATABASES["default"].setdefault("OPTIONS", {})["pool"] = {
        "min_size": 0,
        "max_size": DATABASE_POOL_SIZE,
        "timeout": env.number("DATABASE_TIMEOUT_S", default=10),
    }
REDIS_URL = env.text("REDIS_URL") or engines.redis_url(DATA_DIR)
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
}
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        # redis-py's own default of 5 s would cut idle sockets.
        "CONFIG": {"hosts": [{"address": REDIS_URL, "socket_timeout": None}]},
    }
}

# --- background work --------------------------------------------------------------------
CELERY_BROKER_URL = (
    env.text("CELERY_BROKER_URL") or env.text("REDIS_URL") or engines.celery_broker_url(DATA_DIR)
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False  # the rows are the truth; a lost message is sent again by a sweep
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_BEAT_SCHEDULE = {
    # One that waited until the next is due is dropped: sweeps never pile up before actions.
    "sweep proposals": {"task": "proposals.sweep", "schedule": 2.0, "options": {"expires": 2}},
    "sweep runs": {"task": "runs.sweep", "schedule": 2.0, "options": {"expires": 2}},
    "sweep conversations": {"task": "routing.sweep", "schedule": 2.0, "options": {"expires": 2}},
    "sweep webhooks": {"task": "webhooks.sweep", "schedule": 2.0, "options": {"expires": 2}},
    "mail digests": {"task": "webhooks.mail_digests", "schedule": 60, "options": {"expires": 60}},
    "forget ended sessions": {"task": "agents.forget", "schedule": 3600},
    "forget old deliveries": {"task": "webhooks.forget", "schedule": 3600},
}

# --- people -----------------------------------------------------------------------------
AUTH_USER_MODEL = "agents.Person"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "queue"
LOGOUT_REDIRECT_URL = "sign_in"
AXES_FAILURE_LIMIT = 8
AXES_COOLOFF_TIME = 0.25
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "agents/locked_out.html"
AXES_VERBOSE = False

# --- second factors and the company's sign-in (django-allauth; accounts are ours) -------------
ACCOUNT_ADAPTER = "agents.adapters.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
MFA_ADAPTER = "agents.adapters.SecondFactorAdapter"
MFA_TOTP_ISSUER = "Pointsman"
MFA_TOTP_TOLERANCE = 1  # a telephone's clock may be half a minute off
OIDC_ISSUER = env.text("OIDC_ISSUER").rstrip("/")
OIDC_CLIENT_ID = env.text("OIDC_CLIENT_ID")
if OIDC_ISSUER and not OIDC_CLIENT_ID:
    raise env.BadSetting("OIDC_ISSUER is set, so OIDC_CLIENT_ID must be too.")
OIDC_NAME = env.text("OIDC_NAME", default="your company account") if OIDC_ISSUER else ""
OIDC_TRUST_EMAIL = env.boolean("OIDC_TRUST_EMAIL", default=False)
SOCIALACCOUNT_ADAPTER = "agents.adapters.CompanyAdapter"
SOCIALACCOUNT_LOGIN_ON_GET = True  # a form's way out to the issuer is refused by form-action
SOCIALACCOUNT_OPENID_CONNECT_URL_PREFIX = ""
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "company",
                "name": OIDC_NAME,
                "client_id": OIDC_CLIENT_ID,
                "secret": env.text("OIDC_CLIENT_SECRET"),
                "settings": {"server_url": OIDC_ISSUER},
            }
        ]
        if OIDC_ISSUER
        else [],
    }
}

# --- safety of the pages ----------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "manifest-src": [SELF],
    },
}
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = False  # the pages' scripts read it anew for all that they send
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = False
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

# --- the REST API -----------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "agents.authentication.KeyAuthentication",
        "agents.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.http.DeepJSONParser"],
    "UNICODE_JSON": False,  # half a surrogate pair that somebody sent can be echoed
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "core.http.problem",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Pointsman",
    "DESCRIPTION": "Runs, actions and reviews for LLM browser agents.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
}

# --- pages, words, time -----------------------------------------------------------------
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # whitenoise asks for it; the finders serve
WHITENOISE_USE_FINDERS = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("it", "Italiano")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- what Pointsman is about ------------------------------------------------------------
BROWSER_CDP_ENDPOINT = env.text("BROWSER_CDP_ENDPOINT")
ACTION_TIMEOUT_S = env.number("ACTION_TIMEOUT_S", default=5.0)
NAVIGATION_TIMEOUT_S = env.number("NAVIGATION_TIMEOUT_S", default=20.0)
RUN_IDLE_SECONDS = env.integer("RUN_IDLE_SECONDS", default=1800)
MAX_OPEN_RUNS = env.integer("MAX_OPEN_RUNS", default=20)
PROPOSAL_TTL_SECONDS = env.integer("PROPOSAL_TTL_SECONDS", default=900)
LEASE_SECONDS = env.integer("LEASE_SECONDS", default=45)
LOCK_FLAGS = env.boolean("POINTSMAN_LOCK_FLAGS", default=False)

# --- the tiebreaker ---------------------------------------------------------------------
TIEBREAKER_BASE_URL = env.text("TIEBREAKER_BASE_URL")
TIEBREAKER_API_KEY = env.text("TIEBREAKER_API_KEY")
TIEBREAKER_MODEL = env.text("TIEBREAKER_MODEL")
TIEBREAKER_ALLOW_PRIVATE = env.boolean("TIEBREAKER_ALLOW_PRIVATE", default=False)
TIEBREAKER_PRICE_IN = env.number("TIEBREAKER_PRICE_IN", default=0)
TIEBREAKER_PRICE_OUT = env.number("TIEBREAKER_PRICE_OUT", default=0)

# --- the demo shop's backend, where tasks are verified -----------------------------------
SHOP_BACKEND_URL = env.text("SHOP_BACKEND_URL")
SHOP_BACKEND_TOKEN = env.text("SHOP_BACKEND_TOKEN")
# --- the router ---------------------------------------------------------------------------
ROUTER_RULES = env.text("ROUTER_RULES")  # a file of rules; without one the product's own
ROUTER_CLASSIFIER_BASE_URL = env.text("ROUTER_CLASSIFIER_BASE_URL")
ROUTER_CLASSIFIER_API_KEY = env.text("ROUTER_CLASSIFIER_API_KEY")
ROUTER_CLASSIFIER_MODEL = env.text("ROUTER_CLASSIFIER_MODEL")
ROUTER_CLASSIFIER_ALLOW_PRIVATE = env.boolean("ROUTER_CLASSIFIER_ALLOW_PRIVATE", default=False)
ROUTER_CLASSIFIER_TIMEOUT_S = env.number("ROUTER_CLASSIFIER_TIMEOUT_S", default=2.0)
ROUTER_PRIMARY_BASE_URL = env.text("ROUTER_PRIMARY_BASE_URL")
ROUTER_PRIMARY_API_KEY = env.text("ROUTER_PRIMARY_API_KEY")
ROUTER_PRIMARY_MODEL = env.text("ROUTER_PRIMARY_MODEL")
ROUTER_PRIMARY_ALLOW_PRIVATE = env.boolean("ROUTER_PRIMARY_ALLOW_PRIVATE", default=False)
ROUTER_ESCALATION_BASE_URL = env.text("ROUTER_ESCALATION_BASE_URL")
ROUTER_ESCALATION_API_KEY = env.text("ROUTER_ESCALATION_API_KEY")
ROUTER_ESCALATION_MODEL = env.text("ROUTER_ESCALATION_MODEL")
ROUTER_ESCALATION_ALLOW_PRIVATE = env.boolean("ROUTER_ESCALATION_ALLOW_PRIVATE", default=False)
ROUTER_ANSWER_TIMEOUT_S = env.number("ROUTER_ANSWER_TIMEOUT_S", default=120)

# --- webhooks and mail -----------------------------------------------------------------
WEBHOOKS_ALLOW_PRIVATE = env.boolean("WEBHOOKS_ALLOW_PRIVATE", default=False)
WEBHOOKS_TIMEOUT_S = env.number("WEBHOOKS_TIMEOUT_S", default=10)
EMAIL_HOST = env.text("EMAIL_HOST")  # without one no mail is sent
EMAIL_PORT = env.integer("EMAIL_PORT", default=25)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = env.boolean("EMAIL_USE_TLS", default=False)
EMAIL_USE_SSL = env.boolean("EMAIL_USE_SSL", default=False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", default="pointsman@localhost")

# --- metrics ----------------------------------------------------------------------------
METRICS_TOKEN = env.text("METRICS_TOKEN")
METRICS_DIR = DATA_DIR / "metrics"
METRICS_DIR.mkdir(parents=True, exist_ok=True)
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(METRICS_DIR)  # read when prometheus_client is imported

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", default="INFO")},
    "loggers": {
        "axes": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "psycopg.pool": {"level": "ERROR"},  # the query that gets no connection says so itself
        "django.request": {"level": "ERROR"},  # a refused request is told to whoever sent it
    },
}
