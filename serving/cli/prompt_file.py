"""A prompt by its name, or by the path of a file with a version of it: TOML, or Python."""

import sys
import traceback
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from cairn.knowledge.llm.prompt import Prompt
    from cairn.knowledge.llm.prompt_set import PromptSet

SHIPPED = "@cairn"
"""Ends the name of a prompt as it ships."""


def versions(first: str, second: str, in_force: "PromptSet") -> "tuple[Prompt[Any], Prompt[Any]]":
    """Two versions of one prompt, each named as in `cairn prompts`, or by a file.

    `NAME@cairn` is the one that ships, whatever is in force. A Python file is run.

    Raises:
        ClickException: there is no such prompt or file, the file fails or defines no prompt, or
            these are not two versions of one prompt that is in force.
    """
    from cairn.knowledge.llm.experiments import misfits

    known = in_force.by_name
    a, b = _prompts(first, known), _prompts(second, known)
    shared = sorted({*a} & {*b} & {*known})
    if len(shared) != 1:
        named = f"{first} defines {', '.join(a)}; {second} defines {', '.join(b)}"
        told = "more than one prompt is in both" if shared else "these are not of one prompt"
        raise click.ClickException(f"{told} (by the `name` of each): {named}")
    (name,) = shared
    for place, prompt in ((first, a[name]), (second, b[name])):
        if problems := misfits(prompt.output, known[name].output):
            raise click.ClickException(
                f"{place}: its answers cannot be read in the place of those of {name}: "
                + "; ".join(problems)
            )
    return a[name], b[name]


def _prompts(place: str, known: "Mapping[str, Prompt[Any]]") -> "dict[str, Prompt[Any]]":
    from cairn.knowledge.llm.prompt import Prompt
    from cairn.knowledge.llm.prompts import PROMPTS
    from cairn.resources.home.prompt_files import SUFFIX, prompt_in

    if place in known:
        return {place: known[place]}
    if (name := place.removesuffix(SHIPPED)) in PROMPTS:
        return {name: PROMPTS[name]}
    path = Path(place).expanduser()
    if not path.is_file():
        raise click.ClickException(
            f"{place}: no file, and no prompt is called so; there are: {', '.join(known)}"
        )
    if path.suffix == SUFFIX:
        prompt = prompt_in(path)
        return {prompt.name: prompt}
    found = [one for one in _run(path).values() if isinstance(one, Prompt)]
    # What it imports from the prompts in force is not what it defines.
    own = [one for one in found if not any(one is other for other in PROMPTS.values())]
    if not own:
        raise click.ClickException(
            f"{place}: it defines no prompt (cairn.knowledge.llm.prompt.Prompt)"
        )
    return {one.name: one for one in own}


def _run(path: Path) -> dict[str, Any]:
    """What a Python file defines."""
    name = f"prompt_file_{abs(hash(path.resolve()))}"
    spec = spec_from_file_location(name, path.absolute())
    if spec is None or spec.loader is None:
        raise click.ClickException(f"{path}: not a Python file (.py)")
    module = module_from_spec(spec)
    sys.modules[name] = module  # pydantic looks there for the names that annotations use
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        steps = traceback.extract_tb(error.__traceback__)
        lines = [step.lineno for step in steps if Path(step.filename) == path.absolute()]
        line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
        where = f"{path}:{line}" if line else str(path)
        raise click.ClickException(
            f"{where}: {type(error).__name__}: {' '.join(str(error).split())}"
        ) from error
    finally:
        sys.modules.pop(name, None)
    return vars(module)
