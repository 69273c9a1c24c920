"""A prompt by its name, or by the path of a Python file that defines a version of it."""

import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from cairn.knowledge.llm.prompt import Prompt


def versions(first: str, second: str) -> "tuple[Prompt[Any], Prompt[Any]]":
    """Two versions of one prompt, each named as in `cairn prompts` or by a file, which is run.

    Raises:
        ClickException: there is no such prompt or file, the file fails or defines no prompt, or
            these are not two versions of one prompt that is in force.
    """
    from cairn.knowledge.llm.experiments import misfits
    from cairn.knowledge.llm.prompts import PROMPTS

    a, b = _prompts(first), _prompts(second)
    shared = sorted({*a} & {*b} & {*PROMPTS})
    if len(shared) != 1:
        named = f"{first} defines {', '.join(a)}; {second} defines {', '.join(b)}"
        told = "more than one prompt is in both" if shared else "these are not of one prompt"
        raise click.ClickException(f"{told} (by the `name` of each): {named}")
    (name,) = shared
    for place, prompt in ((first, a[name]), (second, b[name])):
        if problems := misfits(prompt.output, PROMPTS[name].output):
            raise click.ClickException(
                f"{place}: its answers cannot be read in the place of those of {name}: "
                + "; ".join(problems)
            )
    return a[name], b[name]


def _prompts(place: str) -> "dict[str, Prompt[Any]]":
    from cairn.knowledge.llm.prompt import Prompt
    from cairn.knowledge.llm.prompts import PROMPTS

    if place in PROMPTS:
        return {place: PROMPTS[place]}
    path = Path(place).expanduser()
    if not path.is_file():
        raise click.ClickException(
            f"{place}: no file, and no prompt is called so; there are: {', '.join(PROMPTS)}"
        )
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
