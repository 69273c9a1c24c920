"""A person's own prompts: a folder of TOML files, each a version of a prompt, or one more."""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from cairn.knowledge.llm.prompt import Example, Prompt
from cairn.knowledge.llm.prompt_set import MAY_STAND_BESIDE
from cairn.knowledge.llm.prompts import CANARIES, PROMPTS
from cairn.knowledge.nlp.text import suggestion
from cairn.resources.home.atomic_files import read_regular
from cairn.resources.home.settings import ConfigError

SUFFIX = ".toml"
_SHORT = 100
"""Characters of a text up to which it stands on one line."""
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_NO_PROMPT = re.compile(r"\..*|.*~|README.*")
"""Files that may lie beside prompts."""
_LONG_TEXT = re.compile(r"'''.*?'''|\"\"\".*?\"\"\"", re.DOTALL)

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class ExampleInFile(BaseModel):
    """An example, as a file has it; the answer is of the shape that the prompt asks for."""

    model_config = ConfigDict(extra="forbid", strict=True)

    data: Text
    answer: dict[str, Any]


class PromptInFile(BaseModel):
    """What a file may say; what it leaves out is as in the prompt that ships."""

    model_config = ConfigDict(extra="forbid", strict=True)

    beside: str | None = None
    about: Text | None = None
    context: Text | None = None
    requirements: Text | None = None
    criteria: Text | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    examples: list[ExampleInFile] | None = None


class _WrongError(Exception):
    """What is wrong, and at which keys of the file."""

    def __init__(self, problem: str, *keys: str | int) -> None:
        super().__init__(problem)
        self.keys = keys


def prompts_of(folder: Path) -> list[Prompt[Any]]:
    """The prompts of a folder, by name.

    Raises:
        ConfigError: the folder cannot be read, or a file in it is no prompt; it names the line.
    """
    try:
        files = sorted(file for file in folder.iterdir() if not _NO_PROMPT.fullmatch(file.name))
    except OSError as error:
        raise ConfigError(f"prompts_dir: {folder}: {error.strerror}") from error
    return [prompt_in(file) for file in files]


def prompt_in(file: Path) -> Prompt[Any]:
    """The prompt that a file holds.

    Raises:
        ConfigError: it is none.
    """
    try:
        text = read_regular(file).decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not valid UTF-8 at byte {error.start}") from error
    try:
        return _prompt(file, tomllib.loads(text))
    except (ValueError, RecursionError) as error:
        at = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        line = int(at[1]) if at else text.count("\n") + 1
        raise ConfigError(
            f"{file}:{line}: {str(error).removesuffix(at[0] if at else '')}"
        ) from None
    except _WrongError as error:
        raise ConfigError(f"{file}:{_line(text, error.keys)}: {error}") from None


def as_toml(prompt: Prompt[Any]) -> str:
    """A prompt as a file has it."""
    names = [name for name in PromptInFile.model_fields if name != "examples"]
    given = {name: value for name in names if (value := getattr(prompt, name)) is not None}
    parts = ["".join(f"{name} = {_long(value)}\n" for name, value in given.items())]
    for example in prompt.examples:
        answer = _value(example.answer.model_dump(mode="json", exclude_none=True))
        parts.append(f"[[examples]]\ndata = {_long(example.data)}\nanswer = {answer}\n")
    return "\n".join(parts)


def _long(value: Any) -> str:
    """A value in TOML: a long text on lines of its own, as it is; white space around is none."""
    if isinstance(value, str) and len(value) > _SHORT and "'''" not in value:
        return f"'''\n{value}\n'''"
    return _value(value)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        items: dict[str, Any] = value
        return f"{{{', '.join(f'{name} = {_value(each)}' for name, each in items.items())}}}"
    if isinstance(value, list):
        entries = ["\n    " + _value(each) for each in value]
        return f"[{','.join(entries)}]"
    return json.dumps(value, ensure_ascii=False)


def _prompt(file: Path, values: dict[str, Any]) -> Prompt[Any]:
    name = file.stem
    if file.suffix != SUFFIX or not NAME.fullmatch(name):
        raise _WrongError(f"no prompt: its file is called NAME{SUFFIX}, in lower case")
    try:
        said = PromptInFile.model_validate(values)
    except ValidationError as error:
        raise _wrong(error) from None
    base = PROMPTS.get(name)
    if base is None:
        base = _beside(name, said)
    elif said.beside is not None:
        raise _WrongError(f"{name} ships, and is not asked beside another", "beside")
    given = said.model_dump(exclude_none=True, exclude={"examples"})
    if said.examples is not None:
        given["examples"] = tuple(
            _example(number, one, base) for number, one in enumerate(said.examples)
        )
    return replace(base, **given, name=name)


def _beside(name: str, said: PromptInFile) -> Prompt[Any]:
    """The prompt that ships in whose shape one of another name answers."""
    allowed = ", ".join(MAY_STAND_BESIDE)
    if said.beside is None:
        meant = suggestion(name, PROMPTS)
        raise _WrongError(
            f"no prompt that ships is called {name!r}{meant}; one of your own says beside which it"
            f" is asked: beside = one of {allowed}"
        )
    if said.beside not in MAY_STAND_BESIDE:
        raise _WrongError(f"beside: is one of {allowed}", "beside")
    for field in ("about", "requirements"):
        if getattr(said, field) is None:
            raise _WrongError(f"{field}: is missing, and a prompt of your own needs it")
    return PROMPTS[said.beside]


def _example(number: int, said: ExampleInFile, base: Prompt[Any]) -> Example[Any]:
    try:
        answer = base.output.model_validate(said.answer)
    except ValidationError as error:
        raise _wrong(error, "examples", number, "answer") from None
    shown = f"{said.data}\n{answer.model_dump_json()}"
    canaries = tuple(sorted(name for name in CANARIES if name in shown))
    if not canaries:
        raise _WrongError(
            "an example needs one, at least, of the invented names by which is known what a model"
            f" copied from it: {', '.join(sorted(CANARIES))}",
            "examples", number,
        )  # fmt: skip
    return Example(said.data, answer, canaries)


def _wrong(error: ValidationError, *outer: str | int) -> _WrongError:
    """The first problem that pydantic found."""
    first = error.errors(include_input=False, include_url=False)[0]
    keys = (*outer, *first["loc"])
    problem = first["msg"].removeprefix("Value error, ")
    if first["type"] == "missing":
        problem = "is missing"
    elif first["type"] == "extra_forbidden":
        known = PromptInFile if len(keys) == 1 else ExampleInFile
        meant = suggestion(str(keys[-1]), known.model_fields)
        problem = f"nothing is called so{meant}; there is {', '.join(known.model_fields)}"
    return _WrongError(f"{'.'.join(map(str, keys))}: {problem}", *keys)


def _line(text: str, keys: tuple[str | int, ...]) -> int:
    """The line that the last of some keys stands in, as far as there is one."""
    plain = _LONG_TEXT.sub(lambda found: "\n" * found[0].count("\n"), text)
    lines = plain.split("\n")
    at = 0
    for key, after in zip(keys, (*keys[1:], None), strict=False):
        if isinstance(key, str):
            nth = after if isinstance(after, int) else 0
            at = next(islice(_named(lines, key, at), nth, None), at)
    return at + 1


def _named(lines: list[str], key: str, start: int) -> Iterator[int]:
    """Lines that a key, or a table that ends in it, begins in."""
    begins = re.compile(rf"\s*(?:\[\[?[\w.\s]*\b{key}\s*\]|{key}\s*=|.*[{{,]\s*{key}\s*=)")
    return (at for at in range(start, len(lines)) if begins.match(lines[at]))
