"""The settings: one frozen object of the environment and `.env`, passed in, never global."""

import difflib
import os
import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, Literal

from dotenv.parser import parse_stream
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import (
    BeforeValidator,
    Field,
    FiniteFloat,
    Json,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from retrieval import rates
from retrieval.errors import ConfigurationError
from retrieval.rates import Rate

# Lines that a .env may hold for other programs: Docker Compose and the libraries read these.
FOREIGN_NAMES = frozenset(
    {"API_DATABASE_PASSWORD", "HF_HUB_OFFLINE", "NO_COLOR", "POSTGRES_PASSWORD"}
)

BUNDLED = "bundled"  # a model that comes with the installation
LLM = "llm"  # OPENAI_MODEL orders the passages
BUNDLED_CANDIDATES = 12  # that our cross-encoder reads: fitted so, some 0.3 s on two cores

ENGLISH = "english"  # what the encoder, the limits of refusing and the rules of questions know
_NEAR = 0.65  # difflib's share of equal letters; "DB_URL" is so near to DATABASE_URL
_LOCALE = re.compile(r"en|[a-z]{2,3}(?:_[a-z]{2}(?:[.@:].*)?|:.*)")  # gettext's: "en_US:en"


def _language(value: object) -> str:
    """The name of a text search configuration; what a desktop sets for itself is none of ours."""
    name = str(value).strip().lower()
    return ENGLISH if _LOCALE.fullmatch(name) else name


Language = Annotated[str, BeforeValidator(_language)]

LogLevel = Annotated[
    Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"],
    BeforeValidator(lambda value: value.upper() if isinstance(value, str) else value),
]


def _candidates(given: Mapping[str, Any]) -> int:
    return BUNDLED_CANDIDATES if given.get("reranker_model") == BUNDLED else 30


def _names(value: object) -> object:
    """Names with commas or spaces between them, as an environment variable holds them."""
    return tuple(value.lower().replace(",", " ").split()) if isinstance(value, str) else value


def _rates(value: object) -> object:
    try:
        return rates.read(value) if isinstance(value, str | int) else value
    except ConfigurationError as error:
        raise ValueError(str(error)) from error


Rates = Annotated[tuple[Rate, ...], NoDecode, BeforeValidator(_rates)]


def _prices(value: object) -> object:
    """What a million tokens cost, those that are read and those that are written: 0.15,0.60."""
    found = tuple(map(float, value.split(","))) if isinstance(value, str) else value
    if isinstance(found, tuple) and found and not (len(found) == 2 and min(found) >= 0):
        raise ValueError("write two prices of a million tokens, read and written: 0.15,0.60")
    return found


class Settings(BaseSettings):
    """Every setting with its default. A value of the wrong kind stops the program at start-up."""

    # An empty line in .env ("DATABASE_URL=") means "not set", as Compose writes it.
    model_config = SettingsConfigDict(
        frozen=True,
        extra="ignore",
        env_ignore_empty=True,
        hide_input_in_errors=True,  # an input may be a secret
    )

    vault: Path = Path("vault")
    database_url: SecretStr | None = None  # not set: the embedded PostgreSQL
    api_database_url: SecretStr | None = None  # of the API's own role, which ingest makes
    database_read_url: SecretStr | None = None  # of a replica, from which the API searches
    rag_data_dir: Path = Path(".data")  # the embedded database's files
    language: Language = ENGLISH  # of the vault, a text search configuration of PostgreSQL

    ingest_ray_address: str | None = None  # of a Ray cluster that reads and embeds
    embedding_model: str = BUNDLED  # "bundled", "bundled-base", a folder, or a hub id
    reranker_model: str = "off"  # "off", "bundled", "llm", a folder, or a hub id of a CrossEncoder
    hf_hub_offline: bool = True  # false: hub ids may be downloaded

    rag_top_k: PositiveInt = Field(default=4, le=50)  # passages returned
    rag_candidates: PositiveInt = Field(
        default_factory=_candidates, le=200
    )  # a reranker reads them
    rag_late_interaction: bool = True  # compare word pieces as well, not only whole texts
    rag_token_pooling: PositiveInt = Field(default=1, le=8)  # word pieces that share a vector
    rag_token_storage_mb: PositiveInt = Field(default=2_000, le=1_000_000)  # of token vectors
    rag_threshold: FiniteFloat | None = None  # not set: the fitted one, calibration.json
    filters: Json[dict[str, Any]] | None = (
        None  # of every question, beside its own: docs/filters.md
    )

    openai_api_key: SecretStr | None = None
    openai_base_url: str | None = None
    openai_model: str | None = None  # not set: answers are exact quotes, no model is called
    openai_json_schema: bool = True  # ask for claims as JSON where the server takes a schema
    llm_timeout: PositiveFloat = Field(default=30.0, le=3600)  # seconds, for one whole reply

    guard_llm: Literal["auto", "on", "off"] = "auto"  # OPENAI_MODEL reads what it wrote, too
    guard_model: str = "off"  # a folder or hub id of an NLI cross-encoder that reads it

    title: str | None = None  # of the page, where the vault's README has no heading
    api_keys: str | None = None  # a file of keys, or its lines; not set: everybody may ask
    allowed_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_names)] = ()
    rate_limit_key: Rates = ()  # questions of a key without its own: 60/m,2000/d
    rate_limit_address: Rates = ()  # and of an address
    token_limit_key: Rates = ()  # tokens of the language model, of a key without its own
    token_limit_address: Rates = ()
    model_budget_tokens: PositiveInt | None = None  # a day, of all callers
    model_budget_money: PositiveFloat | None = None  # a day, by MODEL_PRICES
    model_prices: Annotated[tuple[float, ...], NoDecode, BeforeValidator(_prices)] = ()
    cors_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_names)] = ()
    forwarded_allow_ips: str | None = None  # whose X-Forwarded-… holds; not set: this machine's
    host: str = "127.0.0.1"
    port: PositiveInt = Field(default=8000, le=65535)
    log_level: LogLevel = "INFO"
    log_format: Literal["text", "json"] = "text"  # json: an object a line
    otel_instrumentation_genai_capture_message_content: bool = False  # questions in traces
    feedback_stores_questions: bool = False  # else a rating is stored without what was asked
    telemetry_days: Annotated[int, Field(ge=0, le=3_650)] = 30  # of each question a row; 0: none
    telemetry_stores_questions: bool = False  # with its text, scrubbed

    @property
    def cross_encoder(self) -> str | None:
        """The cross-encoder that reranks; None where none does."""
        return None if self.reranker_model in {"off", LLM} else self.reranker_model

    @model_validator(mode="after")
    def _check_order(self) -> "Settings":
        if self.reranker_model == LLM and not self.openai_model:
            raise ValueError("RERANKER_MODEL=llm needs OPENAI_MODEL, the model that it asks")
        return self

    @model_validator(mode="after")
    def _check_budget(self) -> "Settings":
        if self.model_budget_money and not self.model_prices:
            raise ValueError("MODEL_BUDGET_MONEY needs MODEL_PRICES: 0.15,0.60")
        return self

    @field_validator("cors_origins")
    @classmethod
    def _check_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for one in origins:
            if not re.fullmatch(r"https?://[^/*@?#]+", one):
                raise ValueError(f"{one!r} is no origin; write https://app.example.org, each whole")
        return origins

    @field_validator("database_url", "database_read_url", "api_database_url")
    @classmethod
    def _check_database_url(cls, url: SecretStr | None) -> SecretStr | None:
        if url is None:
            return None
        try:
            parts = conninfo_to_dict(url.get_secret_value())
        except ProgrammingError:
            parts = {"host": "@"}
        # A raw "@" or "/" of a password ends up in another part, which error messages show.
        if any("@" in str(parts.get(name)) for name in ("host", "port", "dbname")):
            raise ValueError(
                "no address of a database; write postgresql://USER:PASSWORD@HOST:5432/NAME, "
                "with every special character of the password as %XX"
            )
        return url


def load(dotenv: Path = Path(".env")) -> Settings:
    """Return the settings of the environment and of `dotenv` (which need not exist).

    Raises ConfigurationError for a line of `dotenv` that cannot be read, for an unknown name in it,
    or RAG_… in the environment (naming the nearest known one, if any is near), and for a value of
    the wrong kind.
    """
    for name in os.environ:
        if name.startswith("RAG_"):  # other names of the environment are other programs'
            _check_known("the environment", name)
    if dotenv.is_file():
        _refuse_strange_lines(dotenv)
    try:
        return Settings(_env_file=dotenv)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])).upper()}: {fault['msg']}"
            for fault in error.errors(include_input=False)
        )
        raise ConfigurationError(f"{faults}. See .env.example for the settings") from error


def names() -> list[str]:
    """Return the names of all settings as they stand in the environment, sorted."""
    return sorted(name.upper() for name in Settings.model_fields)


def _refuse_strange_lines(dotenv: Path) -> None:
    """Refuse what the library that reads the file would warn of, or leave out, and go on."""
    try:
        lines = dotenv.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{dotenv} cannot be read: {error}; it is to be UTF-8") from error
    for found in parse_stream(StringIO(lines)):
        text = found.original.string
        blank = text[: len(text) - len(text.lstrip())]  # lines before it are part of it
        where, name = f"{dotenv}:{found.original.line + blank.count(chr(10))}", found.key
        if found.error or (name is not None and found.value is None):
            raise ConfigurationError(f"{where}: is no setting; write NAME=value, or # before it")
        if name and not name.startswith("OTEL_"):
            _check_known(where, name)


def _check_known(where: str, name: str) -> None:
    known = sorted({*names(), *FOREIGN_NAMES})
    if name.upper() not in known:
        near = difflib.get_close_matches(name.upper(), known, n=1, cutoff=_NEAR)
        cure = f"did you mean {near[0]}?" if near else "see .env.example for the settings"
        raise ConfigurationError(f"{where}: unknown setting {name!r}; {cure}")
