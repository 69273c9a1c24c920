"""One small question to a model: whether it answers, how fast, in which form, for how much."""

from typing import NamedTuple

from pydantic import BaseModel, Field

from cairn.knowledge.llm.client import UNANSWERED, Ask
from cairn.knowledge.llm.prompt import Prompt
from cairn.resources.home.settings import Settings
from cairn.resources.llm import provider
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.llm.context_window import context_window
from cairn.resources.llm.language_model import LitellmModel
from cairn.resources.llm.prices import known
from cairn.resources.llm.provider import Trouble
from cairn.resources.llm.retry_sensor import base_of


class ColourOfThing(BaseModel):
    """A thing and its colour."""

    thing: str
    colour: str


class ColoursOfThings(BaseModel):
    """The colour of each thing."""

    things: tuple[ColourOfThing, ...] = Field(
        description="In the given order.", min_length=3, max_length=3
    )


SMALL_QUESTION = Prompt(
    name="small_question",
    about="Whether a model answers.",
    context="You are asked about the colour of things.",
    requirements="Name the colour of each thing, in one word.",
    criteria="Each thing is there once.",
    output=ColoursOfThings,
    max_tokens=200,
    temperature=0.0,
)

LONGEST_ANSWER = 2000
"""Tokens that most prompts allow an answer."""


class SmallAnswer(NamedTuple):
    """What came of it."""

    model: str
    outcome: str
    """done; failed, if the answer was of another shape; unanswered."""
    reason: str | None
    form: str | None
    """In which the answer was asked for: schema, json or plain."""
    context: int | None
    """Tokens that the model holds."""
    tokens_in: int | None
    tokens_out: int | None
    seconds: float
    tokens_a_second: float | None
    """Written, with the time that it took to read."""
    read_price: float | None
    """Dollars for a million tokens read."""
    written_price: float | None
    cost: float | None
    """Dollars of this call."""
    missing: tuple[str, ...] = ()
    """Variables of the environment that its provider asks for."""

    @property
    def seconds_at_most(self) -> float | None:
        """How long an answer may take that is as long as most prompts allow."""
        return LONGEST_ANSWER / self.tokens_a_second if self.tokens_a_second else None


def small_answer(model: str, settings: Settings, answers: Answers) -> SmallAnswer:
    """Asks a model, whatever is kept; the call is in the ledger, and its form is found out anew."""
    asking = LitellmModel(settings, answers)
    namespace = settings.namespace or "default"
    ask = Ask(SMALL_QUESTION, namespace, "grass\nsnow\na ripe lemon", (), "doctor")
    answers.forget_form(model, base_of(model, settings) or "")
    turn = asking.once(model, ask)
    price = known(model).prices
    found = SmallAnswer(
        model=model,
        outcome=UNANSWERED,
        reason=None,
        form=None,
        context=context_window(model, settings),
        tokens_in=None,
        tokens_out=None,
        seconds=0.0,
        tokens_a_second=None,
        read_price=price[0].read * 1e6 if price else None,
        written_price=price[0].written * 1e6 if price else None,
        cost=None,
    )
    if isinstance(turn, Trouble):
        reason = "timeout" if turn.timed_out else turn.name or turn.reason
        lacks = tuple(provider.missing(model))
        return found._replace(reason=reason, seconds=turn.seconds, missing=lacks)
    said = turn.said
    return found._replace(
        outcome="failed" if turn.reading.reason else "done",
        reason=turn.reading.reason,
        form=answers.form(model, base_of(model, settings) or ""),
        tokens_in=said.tokens_in,
        tokens_out=said.tokens_out,
        seconds=said.seconds,
        tokens_a_second=said.tokens_out / said.seconds if said.tokens_out else None,
        cost=turn.cost,
    )
