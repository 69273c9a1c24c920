"""Questions for tests of the language model, and what is said to them."""

from pydantic import BaseModel

from cairn.knowledge.llm.client import Answer, Ask
from cairn.knowledge.llm.prompt import Prompt


class Names(BaseModel):
    names: tuple[str, ...]


PROMPT = Prompt(
    name="find_names", about="Names.", context="A log.", requirements="All names.",
    criteria="None missing.", output=Names, max_tokens=100,
)  # fmt: skip
GOOD = '{"names": ["kiwi"]}'
DONE = Answer("done", Names(names=("kiwi",)))


def ask(given: str = "the kiwi is green", *records: str, namespace: str = "me") -> Ask:
    return Ask(PROMPT, namespace, given, records or ("r1",), "candidates")


def asks(count: int) -> list[Ask]:
    return [ask(f"log {number} of kiwis", f"r{number}") for number in range(count)]


def failed(reason: str, given: str = "the kiwi is green") -> Answer:
    return Answer("failed", None, reason, ask(given).key("openai/scripted"))


def reasons(answers: list[Answer]) -> list[str | None]:
    return [answer.reason for answer in answers]
