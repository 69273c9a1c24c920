"""One call to a language model, or to a search engine: the one place that imports litellm."""

import logging
import os
import queue
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

Answered = TypeVar("Answered")

_DOWN = {408, 425, 429, 502, 503, 504, 529}
_SETUP = {401, 402, 403, 404}
_FILTERED = {"content_filter", "content_policy_violation"}
_NO_JSON = {
    "JSONDecodeError", "ValidationError", "UnicodeDecodeError", "DecodingError", "RecursionError",
}  # fmt: skip
_NOT_TAKEN = {400, 404, 415, 422}
_FORM = re.compile(
    r"response_?format|json_?(schema|object|mode)|structured|output_(format|config|schema)|grammar"
    r"|guided|schema|\btools?\b|tool_choice|\bformat\b|unsupported (param|value)",
    re.IGNORECASE,
)
"""What a provider's error says where it does not take the form of answers that was asked for."""
_FORM_OF_5XX = re.compile(r"response_?format|json_?schema|grammar|guided", re.IGNORECASE)
"""The same of an error of its own, which may be about anything, and repeat what it was asked."""
_GRACE = 5.0
"""Seconds that an answer may take beyond the timeout, which is one of each read."""
_SOON = 3.0
_MOST_TOKENS = 10**9
_SHOWS_TEXT = (
    "ignore",
    re.compile("Pydantic serializer warnings", re.IGNORECASE),
    Warning,
    None,
    0,
)


class Said(NamedTuple):
    """What a model said, and what that took."""

    text: str | None
    finish: str
    refused: bool
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    seconds: float


class Trouble(NamedTuple):
    """Why a call was not answered. Holds no text of the provider's, which may repeat ours."""

    reason: str
    """One of `cairn.knowledge.llm.client.FAILURES`, or provider_down."""
    name: str
    """Class of the error, and the status where there is one: `RateLimitError 429`."""
    again: bool = False
    """Whether trying again may help."""
    at_once: bool = False
    """Whether no other question can fare better: a key, an address or a model is wrong."""
    delay: float | None = None
    """Seconds that the server asked us to wait."""
    form: bool = False
    """Whether it may be that the form of answers is not taken that was asked for."""
    timed_out: bool = False
    """Whether there was no answer in time."""
    seconds: float = 0.0
    """Wall time of the call."""


def complete(
    model: str,
    messages: Sequence[Mapping[str, str]],
    parameters: Mapping[str, Any],
    *,
    base: str | None,
    timeout: float,
    client: Any = None,
) -> Said | Trouble:
    """Asks once. Keys come from the environment, under litellm's names for them.

    A `client`, as litellm takes it, is what it is asked by instead of a connection of its own.

    litellm repeats calls by itself on some routes and never reads the server's delay on others, so
    it is told not to, and who calls this does. Its timeout begins anew with each byte: an answer
    that trickles in is left to a thread of its own, and not waited for.
    """
    load()
    return _within(
        timeout,
        lambda: _completed(model, messages, parameters, base=base, timeout=timeout, client=client),
    )


def tried(call: Callable[[], Answered], timeout: float) -> Answered | Trouble:
    """What a call gives that does not ask a question, or why it gives nothing."""

    def done() -> Answered | Trouble:
        _hush()
        try:
            return call()
        except Exception as error:  # what litellm raises has no common root
            return _trouble(error)

    load()
    return _within(timeout, done)


def search(
    name: str, query: str, *, most: int, base: str | None, timeout: float
) -> Sequence[Any] | Trouble:
    """Asks a search provider once: results with title, url, snippet, date, as litellm has them.

    Keys come from the environment, under litellm's names for them.
    """
    load()
    return _within(timeout, lambda: _searched(name, query, most, base, timeout))


def _searched(
    name: str, query: str, most: int, base: str | None, timeout: float
) -> Sequence[Any] | Trouble:
    _hush()
    try:
        response = load().search(
            query=query, search_provider=name, max_results=most, api_base=base, timeout=timeout,
            max_retries=0, num_retries=0,
        )  # fmt: skip
        return list(response.results)
    except Exception as error:  # what litellm raises has no common root
        unset = sorted({found for one in _chain(error) for found in _UNSET.findall(str(one))})
        if unset:
            return Trouble("provider_down", f"not set: {', '.join(unset)}", at_once=True)
        return _trouble(error)


_UNSET = re.compile(r"\b([A-Z][A-Z0-9_]*_(?:API_KEY|API_BASE|ENGINE_ID))\b(?: is)? not")
"""Names of variables of the environment that litellm says are not set."""


def search_providers() -> list[str]:
    """Names that `search` knows, sorted."""
    load()
    kinds: Any = import_module("litellm.types.utils")
    return sorted(one.value for one in kinds.SearchProviders)


class Embedded(NamedTuple):
    """Vectors of texts, in their order, and what that took."""

    vectors: list[list[float]]
    tokens: int | None
    seconds: float


def embed(
    model: str, texts: Sequence[str], *, base: str | None, timeout: float
) -> Embedded | Trouble:
    """Asks once for the vectors of some texts. Keys come from the environment."""
    load()
    return _within(timeout, lambda: _embedded(model, texts, base, timeout))


def _embedded(
    model: str, texts: Sequence[str], base: str | None, timeout: float
) -> Embedded | Trouble:
    _hush()
    start = time.perf_counter()
    try:
        response = load().embedding(
            model=model, input=list(texts), api_base=base, timeout=timeout, max_retries=0,
            encoding_format="float",
        )  # fmt: skip
        rows = sorted(response.data, key=lambda row: int(row["index"]))
        vectors = [list(map(float, row["embedding"])) for row in rows]
        if len(vectors) != len(texts) or len({*map(len, vectors)}) > 1:
            return Trouble("wrong_shape", f"{len(vectors)} vectors of {len(texts)} texts")
        tokens = getattr(response.usage, "prompt_tokens", None)
        return Embedded(vectors, tokens or None, time.perf_counter() - start)
    except Exception as error:  # what litellm raises has no common root
        return _trouble(error)


def _within(timeout: float, call: Callable[[], Answered]) -> Answered | Trouble:
    """What a call gives, in a thread of its own; it is not waited for longer than a grace."""
    came: queue.SimpleQueue[Answered] = queue.SimpleQueue()
    threading.Thread(target=lambda: came.put(call()), name="call", daemon=True).start()
    try:
        return came.get(timeout=timeout + _GRACE)
    except queue.Empty:
        waited = timeout + _GRACE
        return Trouble("server", "Timeout", again=True, timed_out=True, seconds=waited)


def _completed(
    model: str,
    messages: Sequence[Mapping[str, str]],
    parameters: Mapping[str, Any],
    *,
    base: str | None,
    timeout: float,
    client: Any,
) -> Said | Trouble:
    _hush()
    start = time.perf_counter()
    formed = "response_format" in parameters
    try:
        response = load().completion(
            model=model,
            messages=list(messages),
            **parameters,
            api_base=base,
            timeout=timeout,
            max_retries=0,
            client=client,
            drop_params=True,  # some models know no temperature
        )
        return _said(response, time.perf_counter() - start)
    except Exception as error:  # what litellm raises has no common root
        trouble = _trouble(error)
        seconds = time.perf_counter() - start
        own = trouble.reason in ("too_long", "refused")  # of the question, whatever its form
        return trouble._replace(form=formed and not own and _is_of_form(error), seconds=seconds)


def fetched(url: str, body: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """What a server tells of itself, as JSON; None if it does not, or not soon. No key is sent."""
    try:
        httpx: Any = import_module("httpx")  # which litellm brings
        verb = "GET" if body is None else "POST"
        # A plain address shows no certificate; to load all authorities takes longer than to ask.
        verify = not url.startswith("http:")
        answer = httpx.request(verb, url, json=body, timeout=_SOON, verify=verify)
        said = answer.raise_for_status().json()
    except Exception:  # it is no server of that kind, or not there: asking tells
        return None
    return said if isinstance(said, dict) else None


@cache
def takes_forms(model: str) -> bool:
    """Whether litellm passes on the form of answers that is asked for; else it drops it."""
    litellm: Any = load()
    try:
        name, provider, *_ = litellm.get_llm_provider(model)
        return "response_format" in (litellm.get_supported_openai_params(name, provider) or ())
    except Exception:  # no provider of that name: asking tells
        return False


def _is_of_form(error: Exception) -> bool:
    """Whether a provider says that it cannot hold answers to a form."""
    chain = list(_chain(error))
    response = next((one.response for one in chain if _is_status(one)), None)
    said = getattr(response, "text", None) or str(error)
    status = response.status_code if response is not None else getattr(error, "status_code", 0)
    if status in (500, 501):
        return bool(_FORM_OF_5XX.search(said))
    return status in _NOT_TAKEN and bool(_FORM.search(said))


@cache
def load() -> ModuleType:
    """litellm, quiet and offline. Import it by this alone; it takes seconds."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"  # else it reads a .env file
    litellm: Any = import_module("litellm")
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).disabled = True
    for name in ("httpx", "openai"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return litellm


def _hush() -> None:
    """What is to be quiet in each thread, or may have been undone since the last call."""
    # Else a thread of litellm's own prepares what callbacks would get: a fifth of a call's work.
    # There are none, and none is wanted.
    import_module("litellm._internal_context").is_internal_call.set(True)
    if _SHOWS_TEXT not in warnings.filters:  # a warning of pydantic's, with the answer in it
        warnings.filterwarnings("ignore", _SHOWS_TEXT[1].pattern)


def missing(model: str) -> list[str]:
    """Names of environment variables that the model's provider asks for and that are not set."""
    return sorted(load().validate_environment(model)["missing_keys"])


def _said(response: Any, seconds: float) -> Said:
    choice = response.choices[0]
    said = getattr(choice.message, "provider_specific_fields", None) or {}
    usage = getattr(response, "usage", None)
    details = getattr(usage, "prompt_tokens_details", None)
    read, written, cached = (
        number if isinstance(number, int) and 0 <= number < _MOST_TOKENS else None
        for number in (
            getattr(usage, "prompt_tokens", None),
            getattr(usage, "completion_tokens", None),
            getattr(details, "cached_tokens", None),
        )
    )
    counted = bool(read or written)  # litellm makes zeros of what the server did not say
    return Said(
        choice.message.content,
        str(choice.finish_reason),
        bool(said.get("refusal")),
        read if counted else None,
        written if counted else None,
        (cached or 0) if counted else None,
        seconds,
    )


def _trouble(error: Exception) -> Trouble:
    """What an error means. The inner ones are asked: litellm makes 500 of much that is not."""
    chain = list(_chain(error))
    names = {cls.__name__ for one in chain for cls in type(one).__mro__}
    response = next((one.response for one in chain if _is_status(one)), None)
    status = response.status_code if response is not None else getattr(error, "status_code", None)
    name = f"{type(error).__name__}{f' {status}' if status else ''}"
    if "ContextWindowExceededError" in names or status == 413:
        return Trouble("too_long", name)
    if "ContentPolicyViolationError" in names or _code(response) in _FILTERED:
        return Trouble("refused", name)
    if "TimeoutException" in names:  # httpx's
        return Trouble("server", name, again=True, timed_out=True)
    if "TransportError" in names:
        cause = next(type(one).__name__ for one in chain if _is_of(one, "TransportError"))
        return Trouble("provider_down", cause, again=True)  # litellm makes 500 of it
    if status in _SETUP or (status == 400 and len(chain) == 1):  # litellm's own, before any call
        return Trouble("provider_down", name, at_once=True)
    if status in _DOWN:
        return Trouble("provider_down", name, again=True, delay=_delay(error))
    if response is not None and status is not None:
        return Trouble("server", name, again=status >= 500)
    if names & {"IndexError", "KeyError", "TypeError", "AttributeError"}:
        return Trouble("blank", name, again=True)  # JSON, but no completion
    own = all(type(one).__module__.startswith("litellm") for one in chain)
    if own or names & _NO_JSON:
        return Trouble("no_json", name, again=True)  # a page, perhaps of a gateway
    if type(chain[-1]) is Exception:
        return Trouble("server", name, again=True)  # an error under the status of an answer
    return Trouble("provider_down", name)  # nothing was sent: a key or a package is missing


def _is_status(error: Any) -> bool:
    """Whether it is httpx's own error of a status; litellm's copies have made-up responses."""
    return _is_of(error, "HTTPStatusError")


def _is_of(error: Any, name: str) -> bool:
    """Whether an error is of a class of that name, which is not imported here."""
    return any(cls.__name__ == name for cls in type(error).__mro__)


def _code(response: Any) -> str | None:
    """The code in the body of an error."""
    try:
        return str(response.json()["error"]["code"])
    except Exception:  # there is none
        return None


def _chain(error: BaseException) -> Iterator[Any]:
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield at
        at = at.__cause__ or at.__context__


def _delay(error: Exception) -> float | None:
    """Seconds that a server's Retry-After asks for: a number or a date."""
    said = (getattr(error, "litellm_response_headers", None) or {}).get("retry-after")
    if said is None:
        return None
    try:
        return max(float(said), 0.0)
    except ValueError:
        pass
    try:
        return max((parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None
