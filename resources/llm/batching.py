"""Questions that are asked in a batch, at half the price, and answered within a day.

    queue -> note -> submit -> (some later run) look -> read -> keep

A question in a batch is pending; so is what waits for its answer. Each run first takes up what has
come of the batches of its namespace. What a batch did not answer is asked by itself, as ever.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol
from uuid import uuid4

import msgspec

from cairn.knowledge.llm.answer_schema import ANSWER_FORMS, response_format
from cairn.knowledge.llm.client import Answer, Ask
from cairn.knowledge.llm.prompt import Prompt
from cairn.resources.llm.answer_cache import Answers, CachedAnswer
from cairn.resources.llm.batch_api import (
    BatchApi,
    BatchedRequest,
    BatchedResult,
    BatchStatus,
    batch_api,
    request_of,
    said_in,
    tried,
)
from cairn.resources.llm.budget import Budget, OverBudget
from cairn.resources.llm.open_batches import OpenBatch, OpenBatches
from cairn.resources.llm.provider import Said, Trouble

logger = logging.getLogger(__name__)

IN_BATCH = "in_batch"
ALONE = "alone"
"""Why a kept question is pending: a batch has it; or none has answered it."""
KEPT_FOR = timedelta(days=29)
"""As long providers keep results."""
MOST_REQUESTS = 10_000
MOST_BYTES = 50_000_000
"""Of one batch; a fifth of what providers take."""


class AsksInBatches(Protocol):
    """What of a language model batches are made and paid by."""

    def for_a_batch(
        self, prompt: Prompt[Any], messages: list[dict[str, str]]
    ) -> tuple[Mapping[str, Any], float | None]:
        """Parameters of a call in a batch, without a form, and what it costs at most."""
        ...

    def tell_spent(self, spent: OverBudget) -> None:
        """Warns that a budget keeps a question from being asked."""
        ...

    def waiting_row(self, key: str, ask: Ask, reason: str) -> CachedAnswer:
        """What is kept of a question that waits."""
        ...

    def kept_of_batch(
        self, before: CachedAnswer, ask: Ask, said: Said | Trouble
    ) -> CachedAnswer | None:
        """What is kept of an answer that came in a batch, and is paid; None if it is none."""
        ...


class _Queued(NamedTuple):
    ask: Ask
    records: Sequence[str]
    request: BatchedRequest
    most: float | None


class Batching:
    """The batches of one run of a language model."""

    def __init__(
        self, model: str, base: str | None, timeout: float, answers: Answers, kept: OpenBatches,
        budget: Budget, form: str | None, asking: AsksInBatches,
        prompts: Mapping[str, Prompt[Any]], now: Callable[[], datetime],
    ) -> None:  # fmt: skip
        self._model, self._base, self._timeout = model, base, timeout
        self._answers, self._kept, self._budget, self._asking = answers, kept, budget, asking
        self._form = form or ANSWER_FORMS[0]
        self._prompts, self._now = prompts, now
        self._queue: dict[str, dict[str, _Queued]] = {}
        self._bytes = 0
        self._seen: set[str] = set()
        self._waiting: dict[str, set[str]] = {}
        self.open: set[str] = set()
        """Namespaces that had batches when this run began: all that is asked of these is asked in
        batches, and so what follows from their answers."""
        self._told = False
        self._apis: dict[tuple[str, str | None], BatchApi | None] = {}

    def waiting(self, namespace: str) -> set[str]:
        """Keys that a batch has, or will have."""
        return {*self._waiting.get(namespace, ()), *self._queue.get(namespace, ())}

    def add(self, key: str, ask: Ask, records: Sequence[str]) -> Answer | None:
        """Queues a question; None if it is to be asked by itself."""
        messages = ask.prompt.messages(ask.given)
        parameters, most = self._asking.for_a_batch(ask.prompt, messages)
        parameters = {**parameters, **response_format(ask.prompt, self._form)}
        if self._api(self._model, self._base) is None:
            if not self._told:
                logger.warning("%s takes no batches: it is asked one by one", self._model)
                self._told = True
            return None
        if len(self._queue.get(ask.namespace, ())) >= MOST_REQUESTS or self._bytes >= MOST_BYTES:
            return Answer("pending", reason="not_asked")  # the next run has the next batch
        request = request_of(self._model, messages, parameters, self._base)
        if request is None:
            return None
        try:
            self._budget.reserve(ask.namespace, most)
        except OverBudget as spent:
            self._asking.tell_spent(spent)
            return Answer("pending", reason="no_budget")
        queued = _Queued(ask, records, request, most)
        self._queue.setdefault(ask.namespace, {})[key] = queued
        self._bytes += sum(len(message["content"].encode()) for message in messages)
        return Answer("pending", reason=IN_BATCH)

    def submit(self, namespace: str | None, *, again: bool) -> None:
        """Submits what was queued of a namespace, as one batch; of each, if none is given."""
        for name in [namespace] if namespace else list(self._queue):
            queued = self._queue.pop(name, {})
            api = self._api(self._model, self._base) if queued else None
            if api is not None:
                self._submit(api, name, queued, again=again)
        self._bytes = 0

    def _submit(
        self, api: BatchApi, namespace: str, queued: Mapping[str, _Queued], *, again: bool
    ) -> None:
        batch = OpenBatch(
            uuid4().hex, namespace, self._model, self._base, self._form, tuple(queued),
            sum(one.most or 0.0 for one in queued.values()), self._now().isoformat(), again,
        )  # fmt: skip
        self._kept.keep(batch)
        self._budget.handed_over(namespace, batch.held)
        for key, one in queued.items():
            self._answers.put(self._asking.waiting_row(key, one.ask, IN_BATCH), one.records)
        requests = {key: one.request for key, one in queued.items()}
        remote = tried(lambda: api.submit(batch, requests), self._timeout)
        if isinstance(remote, str):
            self._kept.keep(_with(batch, remote))
            self._waiting.setdefault(namespace, set()).update(queued)
            logger.info("%s has a batch of %d questions", self._model, len(queued))
        elif remote.again:  # it may be there all the same: the next run looks
            self._waiting.setdefault(namespace, set()).update(queued)
            logger.warning("%s: %s while a batch was submitted", self._model, remote.name)
        else:
            logger.warning(
                "%s takes no batch (%s): its %d questions are asked one by one",
                self._model, remote.name, len(queued),
            )  # fmt: skip
            self._close(batch)

    def take_up(self, namespace: str) -> None:
        """Takes up what has come of the batches of a namespace; once in a run."""
        if namespace in self._seen:
            return
        self._seen.add(namespace)
        for batch in self._kept.of(namespace):
            self.open.add(namespace)
            if not self._taken_up(batch):
                self._waiting.setdefault(namespace, set()).update(batch.keys)

    def _taken_up(self, batch: OpenBatch) -> bool:
        """Whether a batch is done with."""
        api = self._api(batch.model, batch.base)
        if api is None:
            return False
        if batch.remote is None:
            known = {one.remote for one in self._kept.of() if one.remote}
            found = tried(lambda: api.found(batch, known), self._timeout)
            if isinstance(found, Trouble):
                return self._given_up(batch, found)
            if found is None:
                logger.warning(
                    "A batch of %d questions was about to be submitted to %s, and is not found"
                    " there. If it was, it is paid for nothing, at most %.4f dollars; its questions"
                    " are asked anew",
                    len(batch.keys), batch.model, batch.held,
                )  # fmt: skip
                self._kept.close(batch)
                return True
            batch = _with(batch, found)
            self._kept.keep(batch)
        remote = batch.remote or ""
        status = tried(lambda: api.status(remote), self._timeout)
        if isinstance(status, Trouble):
            return self._given_up(batch, status)
        if not status.ended:
            return False
        results = tried(lambda: list(api.results(status)), self._timeout)
        if isinstance(results, Trouble):
            return self._given_up(batch, results)
        self._read(batch, status, results)
        left = tried(lambda: api.delete(status), self._timeout)
        if isinstance(left, Trouble):
            logger.warning("%s keeps the texts of a batch: %s", batch.model, left.name)
        return True

    def _given_up(self, batch: OpenBatch, trouble: Trouble) -> bool:
        """Whether a batch is given up that cannot be looked at: where it is not there any more."""
        logger.warning("%s: %s while a batch was looked for", batch.model, trouble.name)
        age = self._now() - datetime.fromisoformat(batch.opened_at)
        gone = trouble.name.endswith(" 404") and batch.remote is not None
        if gone or age > KEPT_FOR:
            gone = True
            logger.warning("Its %d questions are asked one by one", len(batch.keys))
            self._close(batch)
        return gone

    def _read(
        self, batch: OpenBatch, status: BatchStatus, results: Sequence[BatchedResult]
    ) -> None:
        """Keeps what came of a batch; what it did not answer is asked by itself."""
        rows = self._owed(batch)
        for result in results:
            row = rows.get(result.key)
            prompt = self._prompts.get(row.prompt) if row else None
            if row is None or prompt is None or result.body is None:
                continue
            ask = Ask(prompt, row.namespace, "", (), row.asset)
            parameters = {**prompt.parameters, **response_format(prompt, batch.form)}
            said = said_in(result, batch.model, prompt.messages(""), parameters, batch.base)
            if kept := self._asking.kept_of_batch(row._replace(model=batch.model), ask, said):
                self._answers.put(kept, ())
                del rows[result.key]
        if rows:
            logger.warning(
                "A batch of %d questions to %s is %s: %d of them have no answer, and are asked one"
                " by one",
                len(batch.keys), batch.model, status.state, len(rows),
            )  # fmt: skip
        self._close(batch)

    def _close(self, batch: OpenBatch) -> None:
        """Done with a batch: what it still owes is asked by itself."""
        for row in self._owed(batch).values():
            self._answers.put(row._replace(reason=ALONE), ())
        self._kept.close(batch)

    def _owed(self, batch: OpenBatch) -> dict[str, CachedAnswer]:
        """Questions of a batch that wait for it still: none that was forgotten since."""
        rows = self._answers.read(batch.keys)
        return {key: row for key, row in rows.items() if row.reason == IN_BATCH}

    def _api(self, model: str, base: str | None) -> BatchApi | None:
        """The form of a provider, if it has one, and is set up."""
        if (model, base) not in self._apis:
            made = tried(lambda: batch_api(model, base, self._timeout), self._timeout)
            self._apis[model, base] = None if isinstance(made, Trouble) else made
        return self._apis[model, base]


def _with(batch: OpenBatch, remote: str) -> OpenBatch:
    """A batch with the provider's id."""
    return msgspec.structs.replace(batch, remote=remote)
