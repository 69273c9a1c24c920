"""Batches of questions as OpenAI and Anthropic take them: submitted, looked for, looked at, read.

litellm 1.106 makes and reads batches of OpenAI's form, and looks at Anthropic's; to submit one of
these it has no way, and of results it drops what a schema needs. So both forms have their own
requests here, with litellm's keys, addresses and headers. What a question and its answer look like
is litellm's word in both: it is asked by a connection that leads nowhere, and notes or replays.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any, NamedTuple, Protocol, TypeVar

from cairn.resources.llm import provider
from cairn.resources.llm.open_batches import OpenBatch
from cairn.resources.llm.provider import Said, Trouble

Given = TypeVar("Given")

KEPT_BY_PROVIDER = timedelta(minutes=5)
"""By how much the clock of a provider may be another."""
LISTED = 100
"""The newest batches of an account that are looked through for a lost one."""
_ERRORS = {
    "invalid_request_error": 400, "authentication_error": 401, "permission_error": 403,
    "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429,
    "overloaded_error": 529,
}  # fmt: skip


class BatchedRequest(NamedTuple):
    """The body of a call, and what its headers ask for beside."""

    body: dict[str, Any]
    betas: frozenset[str]


class BatchedResult(NamedTuple):
    """What a provider answered to one request of a batch: status and body of the response.

    Without a body it was not answered: it expired, or was cancelled.
    """

    key: str
    status: int
    body: dict[str, Any] | None


class BatchStatus(NamedTuple):
    """How a batch is."""

    ended: bool
    state: str
    """In the provider's word: completed, failed, expired, …."""
    places: tuple[str, ...] = ()
    """Where its results are."""
    asked: str | None = None
    """Where its requests are, if they are a file."""


class BatchApi(Protocol):
    """One provider's form."""

    def submit(self, batch: OpenBatch, requests: Mapping[str, BatchedRequest]) -> str:
        """Submits requests by key; gives the provider's id."""
        ...

    def found(self, batch: OpenBatch, known: Collection[str]) -> str | None:
        """The id of a batch that was submitted, if it was; none of those `known` as others."""
        ...

    def status(self, remote: str) -> BatchStatus:
        """How a batch is."""
        ...

    def results(self, status: BatchStatus) -> Iterator[BatchedResult]:
        """What came of each request, in any order."""
        ...

    def delete(self, status: BatchStatus) -> None:
        """Has the provider delete what it was asked and said."""
        ...


def batch_api(model: str, base: str | None, timeout: float) -> BatchApi | None:
    """The form of the provider of a model; None if it takes no batches that are known here."""
    form = _FORMS.get(_provider(model))
    return form(model, base, timeout) if form else None


def tried(call: Callable[[], Given], timeout: float) -> Given | Trouble:
    """What a call gives, or why it gives nothing."""
    return provider.tried(call, timeout)


def request_of(
    model: str,
    messages: Sequence[Mapping[str, str]],
    parameters: Mapping[str, Any],
    base: str | None,
) -> BatchedRequest | None:
    """What litellm would send; None if it would not."""
    noted: list[BatchedRequest] = []

    def note(request: Any) -> Any:
        betas = request.headers.get("anthropic-beta", "").split(",")
        noted.append(BatchedRequest(json.loads(request.content), frozenset(filter(None, betas))))
        return import_module("httpx").Response(500)

    _through(note, model, messages, parameters, base)
    return noted[0] if noted else None


def said_in(
    result: BatchedResult,
    model: str,
    messages: Sequence[Mapping[str, str]],
    parameters: Mapping[str, Any],
    base: str | None,
) -> Said | Trouble:
    """What a result says, read as if it had come by itself."""

    def replay(_: Any) -> Any:
        return import_module("httpx").Response(result.status, json=result.body)

    return _through(replay, model, messages, parameters, base)


def _through(
    answer: Callable[[Any], Any],
    model: str,
    messages: Sequence[Mapping[str, str]],
    parameters: Mapping[str, Any],
    base: str | None,
) -> Said | Trouble:
    """A call by a connection that leads nowhere."""
    httpx = import_module("httpx")
    http = httpx.Client(transport=httpx.MockTransport(answer))
    if _provider(model) == "openai":
        client = import_module("openai").OpenAI(
            api_key="none", base_url=base, http_client=http, max_retries=0
        )
    else:
        client = import_module("litellm.llms.custom_httpx.http_handler").HTTPHandler(client=http)
    return provider.complete(model, messages, parameters, base=base, timeout=60.0, client=client)


def _provider(model: str) -> str:
    litellm: Any = provider.load()
    try:
        return str(litellm.get_llm_provider(model)[1])
    except Exception:  # of no provider: asking tells
        return ""


class OpenaiBatches:
    """A file of requests, and a file of results."""

    def __init__(self, model: str, base: str | None, timeout: float) -> None:
        del model
        litellm: Any = provider.load()
        told = {"custom_llm_provider": "openai", "api_base": base, "timeout": timeout}

        def ask(name: str, **given: Any) -> Any:
            return getattr(litellm, name)(**given, **told, max_retries=0)

        self._ask = ask

    def submit(self, batch: OpenBatch, requests: Mapping[str, BatchedRequest]) -> str:
        """As of BatchApi. The id of ours is the name of the file, and in the metadata."""
        lines = [
            {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": one.body}
            for key, one in requests.items()
        ]
        content = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
        name = f"{batch.intent}.jsonl"
        file = self._ask("create_file", file=(name, content), purpose="batch")
        made = self._ask(
            "create_batch", completion_window="24h", endpoint="/v1/chat/completions",
            input_file_id=file.id, metadata={"cairn": batch.intent},
        )  # fmt: skip
        return str(made.id)

    def found(self, batch: OpenBatch, known: Collection[str]) -> str | None:
        """As of BatchApi: by the metadata."""
        del known
        listed = self._ask("list_batches", limit=LISTED)
        ours = (one for one in listed.data if (one.metadata or {}).get("cairn") == batch.intent)
        return next((str(one.id) for one in ours), None)

    def status(self, remote: str) -> BatchStatus:
        """As of BatchApi."""
        one = self._ask("retrieve_batch", batch_id=remote)
        ended = one.status in ("completed", "failed", "expired", "cancelled")
        places = filter(None, (one.output_file_id, one.error_file_id))
        return BatchStatus(ended, str(one.status), tuple(map(str, places)), one.input_file_id)

    def results(self, status: BatchStatus) -> Iterator[BatchedResult]:
        """As of BatchApi."""
        for place in status.places:
            for line in _lines(self._ask("file_content", file_id=place).content):
                response = line.get("response") or {}
                body = response.get("body")
                yield BatchedResult(
                    str(line.get("custom_id")), int(response.get("status_code") or 0), body or None
                )

    def delete(self, status: BatchStatus) -> None:
        """As of BatchApi: the files."""
        for place in filter(None, (status.asked, *status.places)):
            self._ask("file_delete", file_id=place)


class AnthropicBatches:
    """Requests in one body, and results by address."""

    def __init__(self, model: str, base: str | None, timeout: float) -> None:
        provider.load()
        own: Any = import_module("litellm.llms.anthropic.batches.transformation")
        config = own.AnthropicBatchesConfig()
        address = config.get_complete_batch_url(base, None, model, {}, {}, {})
        headers = config.validate_environment({}, model, [], {}, {}, api_base=base)
        self._betas = frozenset(headers.pop("anthropic-beta").split(","))

        def ask(verb: str, path: str, betas: frozenset[str] = frozenset(), body: Any = None) -> Any:
            told = {**headers, "anthropic-beta": ",".join(sorted(self._betas | betas))}
            response = import_module("httpx").request(
                verb, f"{address}{path}", headers=told, json=body, timeout=timeout
            )
            return response.raise_for_status()

        self._ask = ask

    def submit(self, batch: OpenBatch, requests: Mapping[str, BatchedRequest]) -> str:
        """As of BatchApi."""
        del batch
        betas = frozenset[str]().union(*(one.betas for one in requests.values()))
        every = [{"custom_id": key, "params": one.body} for key, one in requests.items()]
        return str(self._ask("POST", "", betas, {"requests": every}).json()["id"])

    def found(self, batch: OpenBatch, known: Collection[str]) -> str | None:
        """As of BatchApi: it has no name of ours, but a time, and a number of requests.

        Whether it is ours its results tell, by their keys.
        """
        begun = datetime.fromisoformat(batch.opened_at) - KEPT_BY_PROVIDER
        ours = [
            str(one["id"])
            for one in self._ask("GET", f"?limit={LISTED}").json()["data"]
            if datetime.fromisoformat(one["created_at"]) >= begun
            and sum(one["request_counts"].values()) == len(batch.keys)
            and one["id"] not in known
        ]
        return ours[0] if len(ours) == 1 else None

    def status(self, remote: str) -> BatchStatus:
        """As of BatchApi."""
        one = self._ask("GET", f"/{remote}").json()
        state = str(one["processing_status"])
        return BatchStatus(state == "ended", state, (remote,))

    def results(self, status: BatchStatus) -> Iterator[BatchedResult]:
        """As of BatchApi."""
        for place in status.places:
            for line in _lines(self._ask("GET", f"/{place}/results").content):
                result = line.get("result") or {}
                error: dict[str, Any] = result.get("error") or {}
                kind = str((error.get("error") or {}).get("type"))
                status_code = 200 if result.get("type") == "succeeded" else _ERRORS.get(kind, 500)
                body = result.get("message") or error or None
                yield BatchedResult(str(line.get("custom_id")), status_code, body)

    def delete(self, status: BatchStatus) -> None:
        """As of BatchApi."""
        for place in status.places:
            self._ask("DELETE", f"/{place}")


_FORMS: dict[str, Callable[[str, str | None, float], BatchApi]] = {
    "openai": OpenaiBatches, "anthropic": AnthropicBatches,
}  # fmt: skip


def _lines(content: bytes) -> Iterator[dict[str, Any]]:
    """Lines that are objects; a line that is none answers nothing."""
    for line in content.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found
