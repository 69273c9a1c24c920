"""What the prompts of all eight categories of lessons share."""

from collections.abc import Mapping
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from cairn.knowledge.llm.prompt import Example, Prompt

GRADES = (1.0, 0.7, 0.4, 0.0)
LONGEST_TITLE = 100
SHORTEST_CONTENT = 100

_CRITERIA = (
    "Grade each factor honestly, with one of 1.0, 0.7, 0.4, 0.0:\n"
    "- actionability: 1.0 steps or code; 0.7 concrete guidance; 0.4 vague; 0.0 theory.\n"
    "- generalizability: 1.0 holds in many contexts; 0.7 in one domain; 0.4 in one project; "
    "0.0 in one case.\n"
    "- clarity: 1.0 no ambiguity; 0.7 minor gaps; 0.4 needs interpretation; 0.0 not clear.\n"
    "- evidence: 1.0 several examples; 0.7 one good example; 0.4 weak; 0.0 none.\n"
    "A lesson is of use to someone who has never seen this conversation. What everybody says "
    "(write tests, use logging, handle errors) is none. In doubt, none."
)


def _graded(value: float) -> float:
    """The next grade below, so that no answer is graded higher than it was meant."""
    return next(grade for grade in GRADES if grade <= value)


Grade = Annotated[
    float,
    Field(ge=0.0, le=1.0),
    AfterValidator(_graded),
    WithJsonSchema({"type": "number", "enum": list(GRADES)}),
]


class Grades(BaseModel):
    """The four factors."""

    actionability: Grade
    generalizability: Grade
    clarity: Grade
    evidence: Grade


class Lesson(BaseModel):
    """What every category asks for; its own parts, which make the content, come on top."""

    title: str = Field(
        description="What to do or to know, in one line that can be read alone.",
        json_schema_extra={"maxLength": LONGEST_TITLE},
    )
    tags: list[str] = Field(
        description="Tools, languages and subjects, in lower case.",
        json_schema_extra={"minItems": 3, "maxItems": 10},
    )
    evidence: list[int] = Field(description="Numbers of the messages that show it.")
    factors: Grades

    @property
    def content(self) -> str:
        """Its own parts, one a line, each after its name; blank ones are left out."""
        return content_of({name: getattr(self, name) for name in type(self).model_fields})


def content_of(lesson: Mapping[str, object]) -> str:
    """The content of a lesson: its own parts, one a line, each after its name."""
    own = [name for name in lesson if name not in Lesson.model_fields]
    parts = ((_label(name), _flat(lesson[name])) for name in own)
    return "\n".join(f"{label}: {text}" for label, text in parts if text)


Own = TypeVar("Own", bound=Lesson)


class Lessons(BaseModel, Generic[Own]):
    """The lessons found; none is a fine answer."""

    lessons: list[Own] = []


def lesson_prompt(
    category: str,
    about: str,
    wanted: str,
    output: type[Lessons[Any]],
    data: str,
    lesson: Lesson,
    canaries: tuple[str, ...],
) -> Prompt[Any]:
    """The prompt for the lessons of one category.

    Args:
        category: Its name.
        about: What it is for.
        wanted: What makes a lesson of this category, and what its own parts are to say.
        output: Shape of the answer.
        data: The messages of the example.
        lesson: The one that they bear.
        canaries: Names that stand in the example alone.
    """
    return Prompt(
        name=f"learning_{category}",
        about=about,
        context=(
            "Cairn gathers lasting knowledge from sessions with coding agents and from chats. This "
            f"step writes down lessons of one category, `{category}`. The input is the telling "
            "messages of one conversation: before each stand its number and who speaks; its text "
            "is indented below."
        ),
        requirements=(
            f"{wanted}\n"
            "- At most two lessons, the best first; none if the messages bear none of this "
            "category.\n"
            f"- The title has at most {LONGEST_TITLE} characters, the other parts together at "
            f"least {SHORTEST_CONTENT}. Say what is meant instead of `it`, `this`, `the issue`; "
            "keep commands, names of errors and options letter by letter.\n"
            "- Only what the messages say or show: `evidence` lists the numbers of those that do. "
            "A part that they do not tell stays empty.\n"
            "- 3 to 10 tags.\n"
            "- The language of the messages."
        ),
        criteria=_CRITERIA,
        output=output,
        examples=(Example(data, output(lessons=[lesson]), canaries),),
        max_tokens=2000,
    )


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _flat(value: object) -> str:
    """A part on one line; several entries are numbered."""
    if not isinstance(value, list):
        return " ".join(str(value).split())
    entries = [" ".join(str(entry).split()) for entry in value]
    entries = [entry for entry in entries if entry]
    if len(entries) < 2:
        return "".join(entries)
    return " ".join(f"({number}) {entry}" for number, entry in enumerate(entries, 1))
