"""What the documentation says is so: generated pages, links, commands, make targets."""

import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click
import polars as pl
import pytest

from cairn.knowledge.assembly.build import build
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.policy import Policy
from cairn.resources.embedders.choice import load_embedder
from cairn.resources.home.log_files import LOG_SUFFIXES
from cairn.serving.cli.main import cairn
from cairn.serving.docs_gen.reference import pages
from tests.places import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "data/samples/README.md"])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)

page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda path: str(path.relative_to(ROOT)).replace("/", "-")
)


def prose(text: str) -> str:
    return FENCE.sub("", text)


def lines_to_type(text: str) -> Iterator[str]:
    """What a reader may type: lines of shell blocks, and code within sentences."""
    for language, block in FENCE.findall(text):
        for line in block.splitlines():
            if language in {"bash", "sh"}:
                yield line.strip()
            elif language == "console" and line.startswith("$ "):
                yield line[2:].strip()
    for span in SPAN.findall(prose(text)):
        yield span.strip()


def commands(text: str, program: str) -> list[list[str]]:
    """The arguments with which the lines to type call a program."""
    found = (
        re.sub(r"^(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?", "", line) for line in lines_to_type(text)
    )
    words = (shlex.split(line, comments=True) for line in found if line.startswith(f"{program} "))
    return [line[1 : line.index("|") if "|" in line else None] for line in words]


def slug(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def unknown(words: list[str]) -> str | None:
    """The first word of a command line of `cairn` that it does not know."""
    command: click.Command = cairn
    options = {"--help", "-h"}
    context = click.Context(cairn)
    expects_value = False
    for word in words:
        own = {name: o for o in command.params for name in o.opts + o.secondary_opts}
        if expects_value:
            expects_value = False
        elif word.startswith("-") and len(word) > 1:
            name = word.split("=")[0]
            if name not in own and name not in options:
                return word
            option = own.get(name)
            takes = isinstance(option, click.Option) and not option.is_flag
            expects_value = takes and "=" not in word
        elif isinstance(command, click.Group):
            found = command.get_command(context, word)
            if found is None:
                return word
            command = found
    return None


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_a_generated_page_is_fresh(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == pages()[path], "stale: run `make docs`"


@page
def test_relative_links_lead_somewhere(page: Path) -> None:
    text = prose(page.read_text(encoding="utf-8"))
    lost: list[str] = []
    for target, anchor in LINK.findall(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        place = (page.parent / target).resolve() if target else page
        if not place.exists():
            lost.append(target)
        elif anchor and place.suffix == ".md":
            headings = HEADING.findall(place.read_text(encoding="utf-8"))
            if anchor not in map(slug, headings):
                lost.append(f"{target}#{anchor}")
    assert not lost


@page
def test_commands_and_options_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    wrong = {shlex.join(words): unknown(words) for words in commands(text, "cairn")}
    assert {line: word for line, word in wrong.items() if word} == {}


@page
def test_make_targets_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    named = {
        word
        for words in commands(page.read_text(encoding="utf-8"), "make")
        for word in words
        if "=" not in word
    }
    assert named <= targets


def test_the_readme_is_short() -> None:
    assert (ROOT / "README.md").stat().st_size <= 8_192


def test_the_page_of_commands_names_every_one() -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    named = {words[0] for words in commands(text, "cairn")}
    assert set(cairn.list_commands(click.Context(cairn))) <= named


def test_decisions_are_numbered_without_gaps() -> None:
    names = sorted(path.name for path in (ROOT / "docs/decisions").glob("*.md"))
    numbers = [int(name[:4]) for name in names if name[:4].isdigit()]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.fixture(scope="module")
def ids(samples: Path) -> set[str]:
    """Ids of everything that the samples give."""
    read = [
        read_records(
            path.read_bytes(), namespace="samples", source_file=str(path), timezone="UTC",
            seen_at=datetime(2026, 6, 1, tzinfo=UTC), redactor=redactor(),
        ).records
        for path in sorted(samples.rglob("*"))
        if path.suffix in LOG_SUFFIXES
    ]  # fmt: skip
    records = pl.concat(read).unique("record_key", keep="first")
    tables = build(records, StageContext(Policy(), load_embedder("wordllama")))
    return {
        value
        for frame in tables.values()
        for name in frame.columns
        if name.endswith("_id")
        for value in frame[name].drop_nulls()
    }


def test_ids_in_help_are_in_the_samples(ids: set[str]) -> None:
    context = click.Context(cairn)
    shown = {
        (name, id_)
        for name in cairn.list_commands(context)
        if name not in ("undo", "dismiss")  # of decisions, and of what waits
        for id_ in re.findall(r"\b[a-z]{1,2}_[0-9a-f]{16}\b", _epilog(context, name))
    }
    assert shown
    assert {(name, id_) for name, id_ in shown if id_ not in ids} == set()


def _epilog(context: click.Context, name: str) -> str:
    command = cairn.get_command(context, name)
    return (command and command.epilog) or ""


def test_what_examples_show_is_in_the_samples(ids: set[str]) -> None:
    shown = {
        (path.name, id_)
        for path in [ROOT / "README.md", *ROOT.glob("docs/*.md")]
        # What waits (`v_…`) is a row of no table.
        for id_ in re.findall(r"\b[a-uw-z]_[0-9a-f]{16}\b", path.read_text(encoding="utf-8"))
    }
    assert shown
    assert {(page, id_) for page, id_ in shown if id_ not in ids} == set(), "run `make docs`"
