"""Settings: environment variables, then cairn.toml, then the defaults that stand here."""

import json
import logging
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, cast
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
)
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from cairn.knowledge.nlp.text import suggestion
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy
from cairn.resources.home.atomic_files import read_regular
from cairn.resources.home.home import check_namespace, find_home
from cairn.resources.home.migrations import RENAMED_SETTINGS

if TYPE_CHECKING:
    from cairn.knowledge.llm.prompt_set import ModelInForce, PromptSet

PREFIX = "CAIRN_"
FILE = "cairn.toml"
MASK = "********"
EVERY = "*"
"""Stands for each namespace that `limits` does not name."""
_WRITTEN_AS_JSON = tuple(
    f"{PREFIX}{name}"
    for name in ("POLICY", "LIMITS", "STORAGE_OPTIONS", "TELEMETRY_HEADERS", "MODEL_FALLBACKS")
)

logger = logging.getLogger(__name__)
_warned: set[tuple[str, str]] = set()
"""Places and old names of settings that a warning named: one for each is enough."""


class ConfigError(Exception):
    """A setting is unknown or wrong; the message names it, and where it was set."""


def _timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError("no such timezone: use a name such as UTC or Europe/Berlin") from None
    return name


def _address(example: str) -> AfterValidator:
    def check(text: str) -> str:
        parts = urlsplit(text)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"no address: use one such as {example}")
        if parts.username or parts.password or parts.query:
            raise ValueError("an address with a key in it: keys come from the environment")
        return text

    return AfterValidator(check)


def _search_provider(text: str) -> str:
    if not re.fullmatch(r"folder:.+|[a-z][a-z0-9_]*", text):
        raise ValueError("no search provider: use a name such as searxng, or folder:PATH")
    return text


def _recipients(secret: SecretStr) -> SecretStr:
    for one in secret.get_secret_value().split():
        # What is wrong is not told: it may hold a password.
        if not re.match(r"(?:[\w.-]+=|\*=)?[A-Za-z][A-Za-z0-9]*://.", one):
            raise ValueError(
                "an address of Apprise is scheme://…, or NAMESPACE=scheme://…, or *=scheme://…"
            )
    return secret


def _namespace_or_all(name: str) -> str:
    return name if name == EVERY else check_namespace(name)


class Limits(BaseModel):
    """What a namespace may take of a UTC day; None for no limit."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    model_dollars: float | None = Field(default=None, ge=0)
    """Paid for its language model, embedder and reranker."""
    log_bytes: int | None = Field(default=None, ge=0)
    """Taken in of its logs; a file that was begun is taken in whole."""
    searches: int | None = Field(default=None, ge=0)
    """Searches and contexts that it is answered."""
    web_searches: int | None = Field(default=None, ge=0)
    """Made for it by itself."""


class Environment(EnvSettingsSource):
    """Environment variables, by the names of today."""

    def __call__(self) -> dict[str, Any]:  # noqa: D102
        return _renamed(super().__call__(), "environment")


_READERS = ("search_", "weight_", "known_", "rerank", "sufficient_", "streamed", "passive_")
"""How values of the policy begin that decide what readers are told of what there is."""


class Settings(BaseSettings):
    """Everything that can be set. Instances do not change."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
    )

    home: Path | None = Field(
        default=None,
        description="State folder; if unset, data/state in a checkout, else your data folder.",
    )
    namespace: Annotated[str, AfterValidator(check_namespace)] | None = Field(
        default=None,
        description="Namespace of imports (`default` if unset) and of commands that read.",
    )
    timezone: Annotated[str, AfterValidator(_timezone)] = Field(
        default="UTC",
        description="What `yesterday` and `in May` mean, and naive times of new sources.",
    )
    warehouse: str | None = Field(
        default=None,
        description="Folder or object store (`s3://…`) that homes share; none if unset.",
    )
    storage_options: dict[str, SecretStr] = Field(
        default={}, description="Options of the object store: region, endpoint, keys."
    )
    lease_seconds: float = Field(
        default=30.0,
        ge=1,
        description="How long a process that is gone keeps others from a shared `warehouse`.",
    )
    cache_bytes: int | None = Field(
        default=20_000_000_000,
        ge=0,
        description="Most bytes of a shared `warehouse` that a home keeps of namespaces of which it"
        " has no source and in which it told nothing; those that were read longest ago give way.",
    )
    qdrant_url: Annotated[str, _address("http://127.0.0.1:6333")] | None = Field(
        default=None,
        description="Address of a Qdrant server that holds the index; in the home if unset.",
    )
    qdrant_api_key: SecretStr | None = Field(default=None, description="Key of that server.")
    qdrant_prefix: str = Field(
        default="cairn",
        pattern=r"^[A-Za-z0-9_-]{1,32}$",
        description="How names of collections begin; another for each home on a server, but for"
        " those that share a `warehouse`.",
    )
    model: str | None = Field(
        default=None,
        description="Language model, by litellm's name for it; without one, rules alone run.",
    )
    model_fallbacks: tuple[str, ...] = Field(
        default=(), description="Models that are asked, in turn, where the provider fails."
    )
    model_base: Annotated[str, _address("http://127.0.0.1:11434")] | None = Field(
        default=None,
        description="Address of the model's API; for fallbacks of the same provider too.",
    )
    embedder_base: Annotated[str, _address("http://127.0.0.1:11434")] | None = Field(
        default=None, description="Address of the API of a `litellm:` embedder (policy.embedder)."
    )
    reranker_base: Annotated[str, _address("http://127.0.0.1:11434")] | None = Field(
        default=None,
        description="… of a `litellm:` reranker (policy.reranker); `model_base` if unset, where its"
        " provider is that of `model`.",
    )
    reranker_seconds: float | None = Field(
        default=None,
        gt=0,
        description="Seconds that a reranker may take, else a search goes on without; if unset, 1"
        " for one in a folder, 10 for a provider's.",
    )
    model_context: int | None = Field(
        default=None,
        ge=1,
        description="Tokens that the model can hold; what litellm's map, or its server, says if"
        " unset.",
    )
    model_timeout: float = Field(default=120.0, gt=0, description="Seconds to wait for an answer.")
    model_concurrency: int = Field(default=4, ge=1, le=64, description="Questions asked at once.")
    model_max_retries: int = Field(
        default=2, ge=0, le=10, description="Times that a call is repeated when the provider fails."
    )
    model_seconds: float = Field(
        default=60.0,
        ge=1,
        description="Seconds that one run of the graph asks the model, so that others may write;"
        " it goes on with the next.",
    )
    budget_run: float | None = Field(
        default=None,
        ge=0,
        description="Dollars that one run may spend on the model and a paid embedder together.",
    )
    budget_day: float | None = Field(
        default=None, ge=0, description="Dollars that all runs of a UTC day may spend on them."
    )
    auto_backfill: Literal["never", "within_budget", "always"] = Field(
        default="within_budget",
        description="Whether runs by themselves ask the model again what a changed prompt, model or"
        " policy made stale: `never`, `within_budget` (only with budget_run or budget_day, and"
        " as far as they go) or `always`.",
    )
    prompts_dir: Path | None = Field(
        default=None,
        description="Folder of your own prompts, in place of those that ship or beside them; a"
        " relative one is below the home.",
    )
    batch: Literal["never", "nights", "always"] = Field(
        default="never",
        description="Which runs ask the model in batches, at half the price and answered within a"
        " day (OpenAI, Anthropic): `never`, `nights` (nights and backfills) or `always`.",
    )
    search_provider: Annotated[str, AfterValidator(_search_provider)] | None = Field(
        default=None,
        description="What searches the web, by litellm's name for it (searxng, tavily, brave, …), "
        "or `folder:PATH` of documents; without one nothing is searched for.",
    )
    search_base: Annotated[str, _address("http://127.0.0.1:8888")] | None = Field(
        default=None, description="Address of the search provider, where it is your own."
    )
    search_timeout: float = Field(
        default=30.0, gt=0, le=600, description="Seconds to wait for a search."
    )
    search_max_retries: int = Field(
        default=2, ge=0, le=10, description="Times that a search is repeated where it fails."
    )
    search_results: int = Field(
        default=5, ge=1, le=20, description="Most results that are kept of a search."
    )
    search_budget_run: int = Field(
        default=10, ge=0, description="Searches that one run may make by itself."
    )
    search_budget_day: int = Field(
        default=50, ge=0, description="Searches that all runs of a UTC day may make."
    )
    limits: dict[Annotated[str, AfterValidator(_namespace_or_all)], Limits] = Field(
        default={},
        description="What a namespace may take of a UTC day, by its name, or `*` for those without"
        " a word of their own: `model_dollars`, `log_bytes`, `searches`, `web_searches`.",
    )
    notify: Annotated[SecretStr, AfterValidator(_recipients)] | None = Field(
        default=None,
        description="Where what was found is told: addresses of Apprise, apart by a space, such as "
        "`slack://…` (of the default namespace), `team=mailto://…` (of that one) or `*=json://…` "
        "(of all others); a file of the home if unset.",
    )
    lock_timeout: float = Field(
        default=600.0,
        ge=0,
        description="Seconds that a writer waits for another before it gives up.",
    )
    log_folder: Path | None = Field(
        default=None,
        description="Folder of the log file, one for each day, outside the home; `logs` in it if"
        " unset, `off` for none.",
    )
    log_days: int = Field(default=14, ge=1, description="Days that a log file is kept.")
    telemetry_url: Annotated[str, _address("http://127.0.0.1:4318")] | None = Field(
        default=None,
        description="Address of an OpenTelemetry collector (OTLP/HTTP), which gets traces and"
        " metrics; none if unset.",
    )
    telemetry_headers: dict[str, SecretStr] = Field(
        default={}, description="Headers that are sent to it, such as one with its key."
    )
    mcp_allow_writes: bool = Field(
        default=False,
        description="Whether agents may tell `cairn mcp` something: feedback, notes, forgetting.",
    )
    mcp_answer_bytes: int = Field(
        default=24_000, ge=4_000, description="Longest answer of a tool of `cairn mcp`, in bytes."
    )
    policy: Policy = Field(
        default=Policy.model_validate({}), description="Thresholds, weights and lists that decide."
    )

    @property
    def object_store(self) -> dict[str, str]:
        """`storage_options` in the clear, for the store alone."""
        return {name: value.get_secret_value() for name, value in self.storage_options.items()}

    @property
    def deciding(self) -> str:
        """Digest of what decides what knowledge becomes of the same logs."""
        policy = self.policy.model_dump(mode="json")
        decides = {name: value for name, value in policy.items() if not name.startswith(_READERS)}
        own = [*self.prompts.own] if self.prompts_dir else []
        return digest(decides, self.model, self.timezone, own)

    def limits_of(self, namespace: str) -> Limits:
        """What a namespace may take of a day: what is said of it, else of all."""
        every, own = (self.limits.get(name, Limits()) for name in (EVERY, namespace))
        return every.model_copy(update={name: getattr(own, name) for name in own.model_fields_set})

    @property
    def is_local(self) -> bool:
        """Whether the index is files of the home, as all else is: on no server."""
        return not self.qdrant_url

    @cached_property
    def prompts(self) -> "PromptSet":
        """The prompts in force, read once.

        Raises:
            ConfigError: a file of `prompts_dir` is wrong.
        """
        from cairn.knowledge.llm.prompt_set import SHIPPED

        if self.prompts_dir is None:
            return SHIPPED
        from cairn.resources.home.prompt_files import prompts_of

        folder = find_home(self.home) / self.prompts_dir.expanduser()
        return SHIPPED.with_versions(prompts_of(folder))

    @property
    def model_in_force(self) -> "ModelInForce | None":
        """The language model with its prompts; None if none is set.

        Raises:
            ConfigError: as of `prompts`.
        """
        from cairn.knowledge.llm.prompt_set import ModelInForce

        return None if self.model is None else ModelInForce(self.model, self.prompts)

    @classmethod
    def settings_customise_sources(  # noqa: D102
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        files = (InitSettingsSource(settings_cls, values) for _, values in _files())
        return (init_settings, Environment(settings_cls), *files)


class ExplainedSetting(NamedTuple):
    """One setting in force."""

    name: str
    """As in cairn.toml, with a dot before what is nested."""
    value: str
    """As text; secrets are masked."""
    source: str
    """Environment variable, file, or `default`."""
    description: str


def default_settings() -> Settings:
    """The defaults alone: neither variables nor files are read, of which some cannot be."""
    return Settings.model_construct()


def named_home() -> Path | None:
    """The home that CAIRN_HOME or ./cairn.toml names, where these can be read."""
    named: object = os.environ.get(f"{PREFIX}HOME")
    with suppress(ConfigError):
        named = named or (_read(Path.cwd() / FILE) or {}).get("home")
    return Path(named) if isinstance(named, str) else None


def load_settings() -> Settings:
    """Settings in force: CAIRN_* variables, then ./cairn.toml, then the home's, then defaults.

    The home is the one that CAIRN_HOME or ./cairn.toml names: `--home` must set CAIRN_HOME first.

    Raises:
        ConfigError: a key is unknown, or a value cannot be what its key asks for.
    """
    for name in os.environ:
        key = name.removeprefix(PREFIX).lower().split("__")[0]
        if name.startswith(PREFIX) and key not in Settings.model_fields:
            meant = suggestion(key, Settings.model_fields)
            raise ConfigError(
                f"environment variable {name}: no such setting{meant}; see `cairn config`"
            )
    try:
        return Settings()
    except SettingsError as error:
        names = ", ".join(name for name in sorted(os.environ) if _is_odd_json(name))
        raise ConfigError(
            f"{names or 'environment'}: lists and tables are written as JSON, such as"
            ' ["nas", "router"]'
        ) from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        path = tuple(str(part) for part in first["loc"] if part != "[key]")
        if first["type"] == "extra_forbidden":
            problem = f"no such setting{suggestion('.'.join(path), _names())}; see `cairn config`"
        elif first["type"] in ("dict_type", "model_type"):
            problem = "a table is asked for here, not a value"
        else:
            problem = first["msg"].removeprefix("Value error, ")
        origin = _origin(path, _environment(), _files())
        raise ConfigError(f"{origin}: {'.'.join(path)}: {problem}") from None


def _names() -> list[str]:
    """Names of all settings, as in cairn.toml."""
    own = [name for name in Settings.model_fields if name != "policy"]
    return own + [f"policy.{name}" for name in Policy.model_fields]


def _is_odd_json(name: str) -> bool:
    """Whether a variable may be the one that pydantic could not read as JSON, but does not name."""
    try:
        json.loads(os.environ[name])
    except ValueError:
        return name.startswith(_WRITTEN_AS_JSON)
    return False


def explain() -> list[ExplainedSetting]:
    """Each setting in force, with its value, where it came from, and what it is for.

    Raises:
        ConfigError: as `load_settings`.
    """
    found = load_settings()
    environment, files = _environment(), list(_files())

    def explained(model: Settings | Policy, outer: tuple[str, ...]) -> Iterator[ExplainedSetting]:
        for name, field in type(model).model_fields.items():
            path, value = (*outer, name), getattr(model, name)
            if isinstance(value, Policy):
                yield from explained(value, path)
                continue
            shown = "" if value is None else _shown(value)
            origin = _origin(path, environment, files)
            yield ExplainedSetting(".".join(path), shown, origin, field.description or "")

    return list(explained(found, ()))


def _shown(value: object) -> str:
    if isinstance(value, SecretStr):
        return MASK
    if isinstance(value, BaseModel):
        value = value.model_dump(exclude_unset=True)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={_shown(inner)}" for key, inner in value.items())
    if isinstance(value, tuple):
        return ", ".join(_shown(inner) for inner in value)
    return str(value)


def _environment() -> dict[str, Any]:
    """What CAIRN_* variables set."""
    return Environment(Settings)()


def _origin(
    path: tuple[str, ...],
    environment: dict[str, Any],
    files: Iterable[tuple[Path, dict[str, Any]]],
) -> str:
    """Where the value at a path was set: the first place that has it wins."""
    if _holds(environment, path):
        before = [old.split(".") for old, new in RENAMED_SETTINGS.items() if new == ".".join(path)]
        places = [path[:depth] for depth in range(len(path), 0, -1)]
        names = (PREFIX + "__".join(place).upper() for place in (*before, *places))
        return next((name for name in names if name in os.environ), "environment")
    for file, values in files:
        if _holds(values, path):
            return str(file)
    return "default"


def old_settings() -> dict[str, str]:
    """Old names of settings that are in use, which stay accepted, and the new ones."""
    given = [EnvSettingsSource(Settings)(), *(_read(file) or {} for file in _places())]
    return {
        old: new
        for old, new in RENAMED_SETTINGS.items()
        if any(_holds(values, tuple(old.split("."))) for values in given)
    }


def _renamed(values: dict[str, Any], place: str) -> dict[str, Any]:
    """Values by the names of today, with a warning for each that is given by an older one."""
    for old, new in RENAMED_SETTINGS.items():
        *outer, name = old.split(".")
        into: Any = values
        for part in outer:
            into = into.get(part) if isinstance(into, dict) else None
        if not isinstance(into, dict) or name not in into:
            continue
        now = new.rpartition(".")[2]
        if now in into:
            raise ConfigError(f"{place}: {old}: is {new} now, which is there, too: remove one")
        into[now] = cast("dict[str, Any]", into).pop(name)
        if (place, old) not in _warned:
            _warned.add((place, old))
            logger.warning("%s: the setting %s is called %s now", place, old, new)
    return values


def _holds(values: object, path: tuple[str, ...]) -> bool:
    for part in path:
        if not isinstance(values, dict):
            return True  # the path leads into a value, an item of a list: the value was set here
        if part not in values:
            return False
        values = cast("dict[str, object]", values)[part]
    return True


def _files() -> Iterator[tuple[Path, dict[str, Any]]]:
    """The cairn.toml files that there are, the strongest first, with what they hold."""
    for file in _places():
        if (values := _read(file)) is not None:
            if "home" in values and file.parent != Path.cwd():
                raise ConfigError(f"{file}: home: a home cannot name another")
            for key in values:  # pydantic takes them for others, and leaves them out
                if key != (meant := key.lower()) and meant in Settings.model_fields:
                    raise ConfigError(f"{file}: {key}: no such setting; `{meant}` is meant?")
            yield file, _renamed(values, str(file))


def _places() -> tuple[Path, ...]:
    """Where a cairn.toml may be, the strongest first."""
    return tuple(dict.fromkeys((Path.cwd() / FILE, find_home(named_home()) / FILE)))


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return tomllib.loads(read_regular(path).decode("utf-8-sig"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not valid UTF-8 at byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}") from error
