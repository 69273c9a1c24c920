"""Another version of a prompt on trial: asked in the place of the one in force, and compared."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

import polars as pl
from pydantic import BaseModel, ValidationError

from cairn.knowledge.llm.client import Answer, Ask, Bundle, LanguageModel
from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompts import PROMPTS
from cairn.knowledge.nlp.spans import place_of_name

KEY = ("what", "conversation_id", "record_id", "about", "place")
"""By which a proposal of one version is that of another: what it is about, and where it stands."""

VALUES = ("content", "text", "confidence", "reason")
"""What may differ then."""

Schema = dict[str, Any]


class Trial:
    """A language model that notes what it is asked, by another version of a prompt if one is given.

    Whoever asks gets the answer in the shape of the prompt that ships.
    """

    def __init__(self, model: LanguageModel, version: Prompt[Any] | None = None) -> None:
        self._model = model
        self.prompts = model.prompts.with_versions([version] if version else [])
        self.answered: dict[str, tuple[Ask, Answer]] = {}
        """Questions as they were asked, and what became of them, by the key of the answer."""

    @property
    def model(self) -> str:
        """The model in force."""
        return self._model.model

    def answers(self, asks: Sequence[Ask]) -> list[Answer]:
        """Answers in the order of the questions."""
        given = self._model.answers(asks)
        for ask, answer in zip(asks, given, strict=True):
            self.answered[ask.key(self.model)] = (ask, answer)
        return [_as_shipped(ask.prompt, answer) for ask, answer in zip(asks, given, strict=True)]

    def answers_together(self, asks: Sequence[Ask], bundle: Bundle) -> list[Answer]:
        """The same of questions that share a call; what waits for a night is not noted."""
        given = self._model.answers_together(asks, bundle)
        for ask, answer in zip(asks, given, strict=True):
            if answer.outcome != "pending":
                self.answered[ask.key(self.model)] = (ask, answer)
        return [_as_shipped(ask.prompt, answer) for ask, answer in zip(asks, given, strict=True)]


def _as_shipped(prompt: Prompt[Any], answer: Answer) -> Answer:
    """An answer in the shape of the output of the prompt that ships."""
    shape = PROMPTS[prompt.beside or prompt.name].output
    if answer.value is None or isinstance(answer.value, shape):
        return answer
    try:
        value = shape.model_validate_json(answer.value.model_dump_json())
    except ValidationError:
        return Answer("failed", reason="wrong_shape")
    return answer._replace(value=value)


def misfits(output: type[BaseModel], in_force: type[BaseModel]) -> list[str]:
    """Why answers of one shape cannot be read as another's; nothing if they can.

    Each field of the shape in force must be there and of the same type. Fields may come on top, and
    descriptions may differ.
    """
    own, other = output.model_json_schema(), in_force.model_json_schema()
    return sorted(set(_misfits(own, other, own, other, "")))


def unread(output: type[BaseModel], in_force: type[BaseModel]) -> list[str]:
    """Fields of one shape that another does not have, and whoever reads it does not see."""
    own, other = output.model_json_schema(), in_force.model_json_schema()
    lost = _misfits(other, own, other, own, "")
    return sorted({told.removesuffix(_MISSING) for told in lost if told.endswith(_MISSING)})


def without_canaries(rows: pl.DataFrame, version: Prompt[Any]) -> pl.DataFrame:
    """Proposals, with those refused that have a name which only this version's examples have.

    Names of the prompts in force are looked for where proposals are checked.
    """
    copied = [
        any(place_of_name(name, text or "") for name in version.canaries for text in texts)
        for texts in rows.select("about", "content", "text", "quote").iter_rows()
    ]
    copied = pl.Series(copied, dtype=pl.Boolean) & rows["extractor"].str.contains("/", literal=True)
    return rows.with_columns(
        reason=pl.when(copied).then(pl.lit("canary")).otherwise(pl.col("reason"))
    )


class Changed(NamedTuple):
    """What another version of a prompt makes of the same records.

    `gained` and `lost` are proposals that one version alone made, accepted ones (reason is null)
    first. `changed` has KEY and VALUES of both, those of the second with the suffix `_after`.
    """

    gained: pl.DataFrame
    lost: pl.DataFrame
    changed: pl.DataFrame


def compared(before: pl.DataFrame, after: pl.DataFrame) -> Changed:
    """What differs between the proposals of two versions.

    Both are rows of cairn.knowledge.assembly.trace.
    """
    a, b = (_numbered(own, other) for own, other in ((before, after), (after, before)))
    on = [*KEY, "number"]
    columns = [*KEY, *VALUES, "quote", "extractor"]
    order = [pl.col("reason").is_not_null(), *columns]
    gained, lost = (
        one.join(other, on=on, how="anti", nulls_equal=True)
        .select(columns)
        .sort(order, nulls_last=True)
        for one, other in ((b, a), (a, b))
    )
    both = a.join(b, on=on, how="inner", nulls_equal=True, suffix="_after")
    pairs = [*KEY, *VALUES, *(f"{name}_after" for name in VALUES), "quote", "extractor"]
    return Changed(gained, lost, both.select(pairs).sort(pl.all(), nulls_last=True))


def _numbered(rows: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Rows that the other does not have just so, numbered where several have one key."""
    same = [*KEY, *VALUES]
    # A lesson is drawn from a conversation; which of its messages it quotes first says little.
    lesson = pl.col("what") == "lesson"
    rows, other = (
        frame.with_columns(record_id=pl.when(~lesson).then("record_id")) for frame in (rows, other)
    )
    once = rows.sort(*same, "extractor", nulls_last=True).unique(
        same, keep="first", maintain_order=True
    )
    return once.join(other, on=same, how="anti", nulls_equal=True, maintain_order="left").select(
        pl.all(), number=pl.int_range(pl.len()).over(KEY)
    )


_MISSING = " is missing"


def _misfits(own: Any, other: Any, own_top: Schema, other_top: Schema, at: str) -> Iterable[str]:
    """Where `own` is not what `other` asks for, by its path."""
    own, other = _resolved(own, own_top), _resolved(other, other_top)
    if "properties" in other:
        there = cast("Schema", own.get("properties", {}))
        for name, part in cast("Schema", other["properties"]).items():
            path = f"{at}.{name}" if at else name
            if name not in there:
                yield f"{path}{_MISSING}"
            else:
                yield from _misfits(there[name], part, own_top, other_top, path)
    elif "items" in other and "items" in own:
        yield from _misfits(own["items"], other["items"], own_top, other_top, f"{at}[]")
    elif (found := _kind(own, own_top)) != (wanted := _kind(other, other_top)):
        yield f"{at} is {found}, not {wanted}"


def _resolved(schema: Any, top: Schema) -> Schema:
    while "$ref" in schema:
        schema = top["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def _kind(schema: Any, top: Schema) -> str:
    """What decides whether a value is of a type, without names and descriptions."""
    schema = _resolved(schema, top)
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values is not None:
        return f"one of {', '.join(sorted(map(str, values)))}"
    if "anyOf" in schema:
        return " or ".join(sorted(_kind(part, top) for part in schema["anyOf"]))
    parts = f" of {_kind(schema['items'], top)}" if "items" in schema else ""
    return f"{schema.get('type', 'anything')}{parts}"
