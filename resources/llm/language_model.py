"""The language model: questions in, validated answers out; what was paid once is kept."""

import logging
import math
import threading
import time
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from cairn.knowledge.llm.answer_schema import response_format
from cairn.knowledge.llm.client import PENDINGS, UNANSWERED, Answer, Ask, Bundle
from cairn.knowledge.llm.parsing import Reading, Reply, read_reply, spelled_out
from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.nlp.text import estimated_tokens
from cairn.knowledge.redaction import redactor
from cairn.resources.home.settings import Settings
from cairn.resources.home.usage import midnight
from cairn.resources.llm import provider
from cairn.resources.llm.answer_cache import ATTEMPTS, Answers, CachedAnswer, Call, replayed
from cairn.resources.llm.answer_form import AnswerForms
from cairn.resources.llm.batching import ALONE, IN_BATCH, Batching
from cairn.resources.llm.budget import Budget, OverBudget, Spent, budget_of
from cairn.resources.llm.circuit_breaker import Breaker
from cairn.resources.llm.context_window import answer_room, context_window, is_ollama
from cairn.resources.llm.inflight import chosen, final, parted
from cairn.resources.llm.open_batches import OpenBatches
from cairn.resources.llm.prices import ModelPrice, known
from cairn.resources.llm.provider import Said, Trouble
from cairn.resources.llm.retry_sensor import base_of, retried
from cairn.resources.telemetry.spans import carried

logger = logging.getLogger(__name__)

_NOT_SAID = "server"
"""Why there is no answer that says nothing of the question: the provider failed."""
_ASKED_AGAIN = frozenset({"wrong_shape", "no_json", "blank"})
"""Answers that may be other ones next time; what is cut off or declined is so again."""
LEAST_DATA = 100
"""Tokens of data without which no prompt makes sense."""
_ONCE_MORE = (
    "That is not of the output schema:\n{problems}\n"
    "Answer again, with one JSON object of the output schema and nothing else."
)

Messages = list[dict[str, str]]
Number = TypeVar("Number", int, float)


class ModelTurn(NamedTuple):
    """What came of one call that was answered."""

    model: str
    text: str
    said: Said
    reading: Reading
    cost: float | None


class LitellmModel:
    """The model that settings name, behind litellm.

    One instance is one run: breakers are its own, and so is the budget, unless it shares one with
    what else is paid for in that run. It asks nothing twice.
    """

    def __init__(
        self,
        settings: Settings,
        answers: Answers,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        seconds: float = math.inf,
        batches: OpenBatches | None = None,
        budget: Budget | None = None,
    ) -> None:
        if settings.model is None:
            raise ValueError("no language model is set (setting: model)")
        self._model = settings.model
        self.prompts = settings.prompts
        self._settings = settings
        self._answers = answers
        self._redactor = redactor(settings.policy.redact_personal)
        self._now = now
        self._models = tuple(dict.fromkeys((settings.model, *settings.model_fallbacks)))
        self._breakers = {model: Breaker() for model in self._models}
        if budget is None:
            budget = budget_of(settings, answers, batches, now)
        self._budget = budget
        self._forms = AnswerForms(answers)
        self._batching = self._batching_of(batches) if batches else None
        self._contexts: dict[str, int | None] = {}
        self._asked: set[str] = set()
        self._told: set[tuple[str, ...]] = set()
        self._stop = threading.Event()
        self._seconds = seconds
        self._until: float | None = None
        self.waits = False
        """Whether it could not be asked: the provider is down, or the budget spent."""
        self.nightly = False
        """Whether this run is the one of the night, which asks what waits to share a call."""
        self.in_batches = False
        """Whether this run asks in batches, which are answered by a later one."""

    def begin(self) -> None:
        """Lets its time begin anew, at the next question."""
        self._until = None

    @property
    def model(self) -> str:
        """The model in force; a fallback that answers for it changes no fingerprint."""
        return self._model

    @property
    def spent(self) -> Spent:
        """What has been paid of its budget."""
        return self._budget.spent

    def answers(self, asks: Sequence[Ask]) -> list[Answer]:
        """Answers in the order of the questions; equal questions are asked once.

        What is kept is not asked again, be it an answer or none. Only where the provider itself
        failed do later runs ask, three in all, unless parts of the question are asked instead. If
        it failed so often that it is not asked any more, such questions are pending, and the next
        run asks them last. Each answer is kept as soon as it is there.

        Raises:
            AnswersError: the file of answers cannot be used.
        """
        told = _QuestionsByKey([ask.key(self.model) for ask in asks], asks)
        for namespace in dict.fromkeys(ask.namespace for ask in asks):
            self.take_up(namespace)
        kept = self._answers.read(told.asks) if asks else {}
        settled = {
            key: replayed(told.asks[key], row)
            for key, row in kept.items()
            if key in self._asked
            or (
                row.outcome != "pending"
                and (row.reason != _NOT_SAID or row.attempts >= ATTEMPTS or told.asks[key].divides)
            )
        }
        self._answers.see((key, one) for key in settled for one in sorted(told.seen[key]))

        silent: dict[str, CachedAnswer] = {}

        def keep(key: str, row: CachedAnswer) -> None:
            self._answers.put(row, sorted(told.seen[key]))
            self._asked.add(key)

        def one(key: str, ask: Ask) -> Answer:
            attempts = kept[key].attempts if key in kept else 0
            row, answer = self._settled(key, ask, attempts + 1)
            if row is not None and row.reason == _NOT_SAID:
                silent[key] = row
            elif row is not None:
                keep(key, row)
            return answer

        settled |= self._left_to_batches(told, settled, kept)
        owed = [key for key in told.asks if key not in settled]
        if owed:
            owed.sort(key=kept.__contains__)  # what was asked in vain does not hold up the others
            settled |= self._asked_for({key: told.asks[key] for key in owed}, one)
        down = all(breaker.open for breaker in self._breakers.values())
        for key, row in silent.items():
            if down and row.attempts < ATTEMPTS:  # it says nothing of the question
                self.waits = True
                settled[key] = Answer("pending", reason="provider_down")
                keep(key, row._replace(outcome="pending", reason="provider_down"))
            else:
                keep(key, row)
        return [settled[key] for key in told.keys]

    def take_up(self, namespace: str) -> None:
        """Takes up what has come of the batches of a namespace; the first time that it is told."""
        if self._batching:
            self._batching.take_up(namespace)

    def submit(self, namespace: str | None = None, *, again: bool = False) -> None:
        """Submits what was queued of a namespace, in a batch; of each, if none is given.

        `again` is whether somebody allowed to ask again what was answered to an earlier prompt.
        """
        if self._batching:
            self._batching.submit(namespace, again=again)

    def _left_to_batches(
        self, told: "_QuestionsByKey", settled: Container[str], kept: Mapping[str, CachedAnswer]
    ) -> dict[str, Answer]:
        """Pending answers of questions that a batch has, or will have."""
        found: dict[str, Answer] = {}
        if self._batching is None:
            return found
        for key, ask in told.asks.items():
            if key in settled:
                continue
            answer = None
            if key in self._batching.waiting(ask.namespace):
                answer = Answer("pending", reason=IN_BATCH)
            elif (
                (self.in_batches or ask.namespace in self._batching.open)
                and not (key in kept and kept[key].reason == ALONE)
                and not self._refused(self.model, ask.prompt)
                and not self._too_long(self.model, ask)
            ):
                answer = self._batching.add(key, ask, sorted(told.seen[key]))
            if answer is not None:
                self.waits = True
                found[key] = answer
        return found

    def _batching_of(self, batches: OpenBatches) -> Batching:
        base = base_of(self.model, self._settings)
        return Batching(
            self.model, base, self._settings.model_timeout, self._answers, batches, self._budget,
            self._forms.known(self.model, base), self, self.prompts.by_name, self._now,
        )  # fmt: skip

    def for_a_batch(
        self, prompt: Prompt[Any], messages: Messages
    ) -> tuple[Mapping[str, Any], float | None]:
        """Parameters of a call in a batch, without a form, and what it costs at most."""
        tokens = sum(estimated_tokens(message["content"]) for message in messages)
        limit = answer_room(self._context(self.model), tokens, prompt.max_tokens)
        most = known(self.model).in_batch.cost(tokens, limit)
        return {**prompt.parameters, "max_tokens": limit}, most

    def kept_of_batch(
        self, before: CachedAnswer, ask: Ask, said: Said | Trouble
    ) -> CachedAnswer | None:
        """What is kept of an answer that came in a batch, and is paid; None if it is none."""
        if isinstance(said, Trouble):
            call = self._call(before.model, ask, UNANSWERED, said.name, 0.0)
            self._answers.pay(call._replace(fingerprint=before.fingerprint))
            return None
        price, limit = known(before.model).in_batch, ask.prompt.max_tokens
        turn = self._heard(before.model, ask, said, limit, price, before.fingerprint)
        if turn.reading.reason in _ASKED_AGAIN:
            return None
        row, _ = self._kept(before.key, ask, [turn])
        return row._replace(fingerprint=before.fingerprint)

    def answers_together(self, asks: Sequence[Ask], bundle: Bundle) -> list[Answer]:
        """Answers in the order of the questions, which share a call; equal ones are asked once.

        Asked is once a night: by the run that is `nightly`, unless there was such a call since
        midnight (UTC). The rest is pending, with what has no answer: that is tried in three nights
        in all, with ever fewer others. The ledger has the one call, and the answers no cost.

        Raises:
            AnswersError: the file of answers cannot be used.
        """
        told = _QuestionsByKey([ask.key(self.model) for ask in asks], asks)
        kept = self._answers.read(told.asks) if asks else {}
        settled = {key: replayed(told.asks[key], row) for key, row in kept.items() if final(row)}
        self._answers.see((key, one) for key in settled for one in sorted(told.seen[key]))
        owed = {key: ask for key, ask in told.asks.items() if key not in settled}
        if owed and self._may_share(asks[0]):
            failed = {key: kept[key].attempts if key in kept else 0 for key in owed}
            settled |= self._shared(owed, failed, told, bundle)
        waits = Answer("pending", reason="not_asked")
        return [settled.get(key, waits) for key in told.keys]

    def _may_share(self, ask: Ask) -> bool:
        since = midnight(self._now())
        return self.nightly and not self._answers.called(ask.namespace, ask.asset, since)

    def _shared(
        self, owed: dict[str, Ask], failed: dict[str, int], told: "_QuestionsByKey", bundle: Bundle
    ) -> dict[str, Answer]:
        """Asks as many as may share a call; the answers of those that have one."""
        batch = chosen(failed, bundle.most)
        ask = bundle.together([owed[key] for key in batch])
        while len(batch) > 1 and self._too_long(self.model, ask):
            batch = batch[: len(batch) // 2]
            ask = bundle.together([owed[key] for key in batch])
        found: dict[str, Answer] = {}

        def all_of_them(key: str, ask: Ask) -> Answer:
            row, answer = self._settled(key, ask, 1, tries=1)
            if row is None or row.reason == _NOT_SAID:
                self.waits = True  # it says nothing of the questions
                return answer
            parts = bundle.apart(answer.value, len(batch)) if answer.value else [None] * len(batch)
            for kept in parted(row, dict(zip(batch, parts, strict=True)), failed):
                self._answers.put(kept, sorted(told.seen[kept.key]))
                if final(kept):
                    found[kept.key] = replayed(owed[kept.key], kept)
            return answer

        self._asked_for({ask.key(self.model): ask}, all_of_them)
        return found

    def _asked_for(
        self, asks: dict[str, Ask], settle: Callable[[str, Ask], Answer]
    ) -> dict[str, Answer]:
        """Answers to questions that are pending, asked a few at once."""

        def one(key: str) -> Answer:
            if self._stop.is_set() or time.monotonic() >= until:
                return Answer("pending", reason="not_asked")
            return settle(key, asks[key])

        provider_needed = any(not self._too_long(self.model, ask) for ask in asks.values())
        if provider_needed:
            try:
                provider.load()  # here, since threads that import it at once wait for each other
            except ImportError as error:
                self._tell("%s is not asked: %s; `make setup` installs it", self.model, error)
                self.waits = True
                return dict.fromkeys(asks, Answer("pending", reason="provider_down"))
        # Time begins with the first question, and what is asked by then is answered.
        self._until = until = self._until or time.monotonic() + self._seconds
        pool = ThreadPoolExecutor(self._settings.model_concurrency, "model")
        futures: dict[Future[Answer], str] = {pool.submit(carried(one), key): key for key in asks}
        try:
            return {futures[done]: done.result() for done in as_completed(futures)}
        except BaseException:
            # Calls under way are paid: they end and are kept. Nothing new begins.
            self._stop.set()
            for breaker in self._breakers.values():
                breaker.stop()
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _settled(
        self, key: str, ask: Ask, attempts: int, tries: int = ATTEMPTS
    ) -> tuple[CachedAnswer | None, Answer]:
        """One question through the models in turn; None to keep if it is still pending."""
        if self._refused(self.model, ask.prompt):
            self.waits = True
            return None, Answer("pending", reason="provider_down")
        if self._too_long(self.model, ask):
            # No run can fare better: it counts as tried often enough.
            return self._failed(key, ask, "too_long", ATTEMPTS)
        reason = "provider_down"
        for model in self._models:
            if model != self.model and self._too_long(model, ask):
                continue
            turns = self._converse(model, ask, tries)
            if not isinstance(turns, Trouble):
                return self._kept(key, ask, turns)
            if turns.reason != "provider_down":
                reason = turns.reason  # a failure of this question's own tells more
            if turns.reason in ("no_budget", "too_long", "refused"):
                break
        if reason in PENDINGS:
            self.waits = True
            return None, Answer("pending", reason=reason)
        return self._failed(key, ask, reason, attempts)

    def _converse(self, model: str, ask: Ask, tries: int) -> list[ModelTurn] | Trouble:
        """The calls of one question: several, if what is said is not what was asked for."""
        messages = ask.prompt.messages(ask.given)
        turns: list[ModelTurn] = []
        while len(turns) < tries:
            turn = self._paid(model, ask, messages)
            if isinstance(turn, Trouble):
                return turns or turn
            turns.append(turn)
            if turn.reading.reason not in _ASKED_AGAIN:
                break
            if turn.reading.reason == "wrong_shape":
                again = _ONCE_MORE.format(problems=turn.reading.problems)
                messages = [
                    *ask.prompt.messages(ask.given),
                    {"role": "assistant", "content": turn.text},
                    {"role": "user", "content": again},
                ]
        return turns

    def once(self, model: str, ask: Ask) -> ModelTurn | Trouble:
        """One call to one of the models, whatever is kept, and whatever failed before.

        Its answer is not kept.
        """
        provider.load()
        self._breakers[model] = Breaker()
        return self._paid(model, ask, ask.prompt.messages(ask.given))

    def _paid(self, model: str, ask: Ask, messages: Messages) -> ModelTurn | Trouble:
        """One call within the budget, read and entered in the ledger."""
        price = known(model)
        if not price.prices:
            held = "" if self._budget.unlimited(ask.namespace) else ", and no budget holds it"
            self._tell("price of %s is not known: its costs are empty%s", model, held)
        tokens = sum(estimated_tokens(message["content"]) for message in messages)
        limit = answer_room(self._context(model), tokens, ask.prompt.max_tokens)
        if not limit:  # what it said before is shown, too
            return Trouble("too_long", "")
        most = price.cost(tokens, limit)
        try:
            self._budget.hold(ask.namespace, most)
        except OverBudget as spent:
            self.tell_spent(spent)
            return Trouble("no_budget", "")
        try:
            said = self._said(model, ask, messages, limit)
            if isinstance(said, Trouble):
                return said
            return self._heard(model, ask, said, limit, price)
        finally:
            self._budget.settle(ask.namespace, most)

    def _heard(
        self, model: str, ask: Ask, said: Said, limit: int, price: ModelPrice,
        version: str | None = None,
    ) -> ModelTurn:  # fmt: skip
        """What was said, read, and entered in the ledger, by an earlier version if one is given."""
        full = said.tokens_out is not None and said.tokens_out >= limit
        # Redacted before it is read, so that a replay reads the same.
        text = None if said.text is None else self._redacted(spelled_out(said.text))
        reading = read_reply(Reply(text, said.finish, said.refused, full), ask.prompt.output)
        if reading.json and (clean := self._redacted(reading.json)) != reading.json:
            reading = read_reply(Reply(clean), ask.prompt.output)  # it was hidden until read
        cost = price.cost(said.tokens_in, said.tokens_out, said.tokens_cached)
        outcome = "done" if reading.reason is None else "failed"
        call = self._call(model, ask, outcome, reading.reason, said.seconds)
        self._answers.pay(
            call._replace(
                fingerprint=version or call.fingerprint,
                tokens_in=said.tokens_in,
                tokens_out=said.tokens_out,
                tokens_cached=said.tokens_cached,
                cost=cost,
            )
        )
        self._budget.count(cost, said.tokens_in, said.tokens_out)
        return ModelTurn(model, text or "", said, reading, cost)

    def _said(self, model: str, ask: Ask, messages: Messages, limit: int) -> Said | Trouble:
        """What a model says, held to the strictest form of answers that its provider takes."""
        base = base_of(model, self._settings)
        breaker = self._breakers[model]
        said: Said | Trouble = Trouble("provider_down", "")

        def note(trouble: Trouble) -> None:
            reason = "timeout" if trouble.timed_out else trouble.name
            self._answers.pay(self._call(model, ask, UNANSWERED, reason, trouble.seconds))

        for form in self._forms.left(model, base):
            asked = response_format(ask.prompt, form)
            if asked and not provider.takes_forms(model):
                continue
            parameters = {**ask.prompt.parameters, "max_tokens": limit, **asked}
            if is_ollama(model):
                parameters["num_ctx"] = self._context(model)
            said = retried(model, messages, parameters, breaker, self._settings, note)
            if isinstance(said, Said):
                self._forms.taken(model, base, form)
                break
            if not said.form:
                break
        return said

    def _call(self, model: str, ask: Ask, outcome: str, reason: str | None, seconds: float) -> Call:
        """A row of the ledger, with nothing counted."""
        return Call(
            namespace=ask.namespace,
            asset=ask.asset,
            prompt=ask.prompt.name,
            fingerprint=ask.prompt.fingerprint(self.model),
            model=model,
            outcome=outcome,
            reason=reason,
            tokens_in=None,
            tokens_out=None,
            tokens_cached=None,
            cost=None,
            seconds=seconds,
            called_at=self._now().isoformat(),
        )

    def tell_spent(self, spent: OverBudget) -> None:
        """Warns, once in a run, that a budget keeps a question from being asked."""
        self._tell(
            "the budget for the language model is spent (%s): what is not asked waits", spent
        )

    def _tell(self, what: str, *given: object) -> None:
        """Warns, once in a run, in words that hold what is given."""
        told = (what, *map(str, given))
        if told not in self._told:
            self._told.add(told)
            logger.warning(what, *given, stacklevel=2)

    def _redacted(self, text: str) -> str:
        return self._redactor.redact_json(text.encode("utf-8", "replace"))[0].decode()

    def _context(self, model: str) -> int | None:
        """What a model holds; its server is asked once in a run."""
        if model not in self._contexts:
            self._contexts[model] = context_window(model, self._settings)
        return self._contexts[model]

    def _refused(self, model: str, prompt: Prompt[Any]) -> bool:
        """Whether a model cannot hold a prompt, whatever it is asked about; that is said."""
        context = self._context(model)
        least = estimated_tokens(prompt.system) + LEAST_DATA
        if context is None or answer_room(context, least, prompt.max_tokens):
            return False
        self._tell(
            "%s holds %s tokens, which is too few for the prompt %s: what it asks waits for a model"
            " that holds more (model, model_context)",
            model,
            f"{context:,}",
            prompt.name,
        )
        return True

    def _too_long(self, model: str, ask: Ask) -> bool:
        shown = estimated_tokens(ask.prompt.system) + estimated_tokens(ask.given)
        return not answer_room(self._context(model), shown, ask.prompt.max_tokens)

    def _failed(
        self, key: str, ask: Ask, reason: str, attempts: int
    ) -> tuple[CachedAnswer, Answer]:
        return self._row(key, ask, reason, attempts), Answer("failed", reason=reason, key=key)

    def _kept(self, key: str, ask: Ask, turns: list[ModelTurn]) -> tuple[CachedAnswer, Answer]:
        """What is kept of the calls of a question, and its answer."""
        last, said = turns[-1], [turn.said for turn in turns]
        row = self._row(key, ask, last.reading.reason, len(turns))._replace(
            model=last.model,
            text=last.reading.json or last.text,
            tokens_in=_total([one.tokens_in for one in said]),
            tokens_out=_total([one.tokens_out for one in said]),
            tokens_cached=_total([one.tokens_cached for one in said]),
            cost=_total([turn.cost for turn in turns]),
            seconds=sum(one.seconds for one in said),
        )
        if row.outcome == "failed":
            return row, Answer("failed", reason=row.reason, key=key)
        return row, Answer("done", last.reading.value)

    def waiting_row(self, key: str, ask: Ask, reason: str) -> CachedAnswer:
        """What is kept of a question that waits."""
        return self._row(key, ask, reason, 0)._replace(outcome="pending")

    def _row(self, key: str, ask: Ask, reason: str | None, attempts: int) -> CachedAnswer:
        return CachedAnswer(
            key=key,
            namespace=ask.namespace,
            asset=ask.asset,
            prompt=ask.prompt.name,
            fingerprint=ask.prompt.fingerprint(self.model),
            model=self.model,
            outcome="done" if reason is None else "failed",
            reason=reason,
            text=None,
            tokens_in=None,
            tokens_out=None,
            tokens_cached=None,
            cost=None,
            seconds=0.0,
            attempts=attempts,
            made_at=self._now().isoformat(),
        )


class _QuestionsByKey:
    """Questions by key, each once, and the records that those of one key show."""

    def __init__(self, keys: Sequence[str], asks: Sequence[Ask]) -> None:
        self.keys = keys
        self.asks: dict[str, Ask] = {}
        self.seen: dict[str, set[str]] = {}
        for key, ask in zip(keys, asks, strict=True):
            self.asks.setdefault(key, ask)
            self.seen.setdefault(key, set()).update(ask.record_ids)


def _total(values: list[Number | None]) -> Number | None:
    """The sum, or None if one of them is not known."""
    found = [value for value in values if value is not None]
    return sum(found[1:], start=found[0]) if len(found) == len(values) else None
