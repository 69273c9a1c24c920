"""Pages and blocks of the documentation that are made from the code: `make docs` writes them."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import dropwhile, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import click
import dagster as dg
import polars as pl
from pydantic.fields import FieldInfo

from cairn.integrations.plugin import plugin_files
from cairn.knowledge.assembly.run import RUN
from cairn.knowledge.extraction.rules.reference import reference as rules
from cairn.knowledge.ingest.adapters import own_adapters
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import OBJECT_TYPES, PREDICATES
from cairn.knowledge.schema.tables import TABLES, Table
from cairn.pipelines.graph import ASSETS, BOOKS
from cairn.resources.home.home import CHECKOUT
from cairn.resources.home.settings import PREFIX, Settings

MADE = "<!-- Made from the code by `make docs`; a test compares it. -->"
EVERYWHERE = "extractors"
"""Stands above every asset; in the picture its arrows would hide all others."""

WORDS = {
    "String": "text", "Int64": "count", "Float64": "number", "Float32": "number",
    "UInt64": "64 bits", "Boolean": "yes or no", "Datetime": "time",
}  # fmt: skip
"""Types as a reader of docs/tables.md would call them."""


def pages(root: Path = CHECKOUT) -> dict[Path, str]:
    """Every page that is made from the code, whole or in part, and the plugin, as they should be.

    Raises:
        ValueError: a page has lost the markers of a block.
    """
    blocks = {
        root / "README.md": ("groups", groups()),
        root / "docs" / "how-it-works.md": ("graph", graph()),
        root / "docs" / "adapters.md": ("adapters", sources()),
    }
    return {
        **{
            path: with_block(path.read_text(encoding="utf-8"), *block)
            for path, block in blocks.items()
        },
        root / "docs" / "tables.md": tables(),
        root / "docs" / "settings.md": settings(),
        root / "docs" / "rules.md": rules(),
        root / "docs" / "predicates.md": predicates(),
        **{root / name: text for name, text in plugin_files().items()},
    }


def with_block(text: str, name: str, content: str) -> str:
    """A page with what stands between the markers of a block replaced.

    Raises:
        ValueError: the markers are not there.
    """
    begin, end = f"<!-- {name}: made by `make docs` -->\n", f"<!-- end of {name} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"no block {name!r}: {begin.strip()} … {end}")
    return pattern.sub(lambda _: begin + content + end, text)


def graph() -> str:
    """The asset graph as a Mermaid picture: a box per step with the tables that it writes.

    Steps by day have round ends. Arrows that others imply are left out.
    """
    steps = _steps()
    above = _above(steps)
    by_day = {step.name for step in RUN if step.by_day}
    lines = ["```mermaid", "flowchart TD"]
    for group in dict.fromkeys(specs[0].group_name for specs in steps.values()):
        lines.append(f"  subgraph {group}")
        for step, specs in steps.items():
            if specs[0].group_name == group:
                label = "<br>".join(spec.key.to_user_string() for spec in specs)
                left, right = ("([", "])") if step in by_day else ("[", "]")
                lines.append(f'    {step}{left}"{label}"{right}')
        lines.append("  end")
    lines += [f"  {dep} --> {step}" for step in above for dep in sorted(_direct(above, step))]
    return "\n".join([*lines, "```"]) + "\n"


def groups() -> str:
    """The graph by group: a box per group with how many tables it has."""
    steps = _steps()
    group = {step: specs[0].group_name for step, specs in steps.items()}
    tables = {name: [] for name in group.values()}
    for step, specs in steps.items():
        tables[group[step]] += [spec.key.to_user_string() for spec in specs]
    pairs = {
        (group[dep], group[step]): None
        for step, deps in _above(steps).items()
        for dep in sorted(deps)
        if group[dep] != group[step]
    }
    lines = ["```mermaid", "flowchart LR"]
    drawn = {name for pair in pairs for name in pair}
    lines += [f'  {name}["{name}<br>{_few(its)}"]' for name, its in tables.items() if name in drawn]
    for made in dict.fromkeys(after for _, after in pairs):
        before = [str(one) for one, after in pairs if after == made]
        lines.append(f"  {' & '.join(before)} --> {made}")
    return "\n".join([*lines, "```"]) + "\n"


def _few(tables: list[str]) -> str:
    shown = tables[: 2 if len(tables) > 3 else 3]
    return ", ".join(shown) + (f", +{len(tables) - 2}" if len(tables) > 3 else "")


def _steps() -> dict[str, list[dg.AssetSpec]]:
    specs = {spec.key.to_user_string(): spec for asset in ASSETS for spec in asset.specs}
    made = {step.name: [table.name for table in step.writes] or [step.name] for step in RUN}
    made |= {"maintenance": ["maintenance"], "books": [table.name for table in BOOKS]}
    return {
        step: [specs[name] for name in names] for step, names in made.items() if step != EVERYWHERE
    }


def _above(steps: Mapping[str, list[dg.AssetSpec]]) -> dict[str, set[str]]:
    """What each step reads of directly."""
    step_of = {spec.key: step for step, specs in steps.items() for spec in specs}
    return {
        step: {step_of.get(dep.asset_key, "") for spec in specs for dep in spec.deps} - {""}
        for step, specs in steps.items()
    }


def _direct(above: Mapping[str, set[str]], step: str) -> set[str]:
    """What a step stands below, without what stands above another of those anyway."""
    implied, further = set[str](), list(above[step])
    while further:
        deps = above[further.pop()] - implied
        implied |= deps
        further += deps
    return above[step] - implied


def sources() -> str:
    """The kinds of sources that there are adapters for, by name."""
    rows = ((f"`{one.name}`", one.about) for _, one in sorted(own_adapters().items()))
    return _grid(("adapter", "reads"), rows)


def tables() -> str:
    """The page on tables."""
    head = f"""\
# Tables

{MADE}

Delta Lake tables under `CAIRN_HOME/warehouse/<namespace>/<table>`: whatever reads Delta can read
them as they are. Rows are unique by the key and written sorted by it; times are UTC; ids are text.
Columns of processing say when or where a row was handled, and are left out when two builds of the
same logs are compared. `work` is the writers' own; the other tables are read in the versions that
the publication names.

"""
    index = _grid(
        ("table", "what it holds"),
        (
            (f"[`{t.name}`](#{t.name})", t.about.removeprefix("One row per "))
            for t in TABLES.values()
        ),
    )
    return head + index + "\n" + "\n".join(map(_table, TABLES.values()))


def predicates() -> str:
    """docs/predicates.md: every declared predicate, what it says, and how it is kept."""
    lines = [
        "# Predicates",
        "",
        MADE,
        "",
        "What a fact says of its subject. Events are what happened: they are asked for",
        "(`cairn facts --events`), never searched freely, merged or put into a context, until they",
        "prove themselves. Identities, preferences, directives and decisions fade slowly. Where",
        "one value holds at a time, a new one ends it. Any other predicate is an attribute.",
        "",
        "",
    ]
    rows = [
        (
            f"`{each.name}`",
            each.about,
            f"`{each.object}`" if each.name in OBJECT_TYPES else each.object,
            each.kind,
            "one" if each.holds_one else "many",
        )
        for each in PREDICATES
    ]
    head = ("predicate", "what it says", "its object", "kind", "values at a time")
    return "\n".join(lines) + _grid(head, rows)


def _table(table: Table) -> str:
    facts = [f"Key: {_names(table.key)}."]
    parts = [name for name in ("namespace", "day") if name in _partitions(table)]
    facts += [f"Partitioned by {_names(parts)}."] if parts else []
    facts += [f"Processing: {_names(table.processing)}."] if table.processing else []
    rows = (
        (f"`{name}`", type_name(column.type), "may be empty" if column.null else "", column.about)
        for name, column in table.columns.items()
    )
    grid = _grid(("column", "type", "", "meaning"), rows)
    return f"## {table.name}\n\n{table.about}\n\n{' '.join(facts)}\n\n{grid}"


def _partitions(table: Table) -> set[str]:
    return ({"namespace"} & set(table.columns)) | ({"day"} if table.by_day else set())


def type_name(kind: object) -> str:
    """A type in words: text, count, number, yes or no, time, list of …, {field: …}."""
    match kind:
        case pl.List():
            return f"list of {type_name(kind.inner)}"
        case pl.Struct():
            fields = (f"{field.name}: {type_name(field.dtype)}" for field in kind.fields)
            return "{" + ", ".join(fields) + "}"
        case _:
            return WORDS[str(kind).partition("(")[0]]


def settings() -> str:
    """The page on settings."""
    head = f"""\
# Settings

{MADE}

A setting is an environment variable, or a key in `cairn.toml`; the first place that has it wins:

1. `--home DIR`, which stands for `{PREFIX}HOME`
2. the environment: `{PREFIX}TIMEZONE=Europe/Berlin`, `{PREFIX}POLICY__MIN_LEARNING_CONFIDENCE=0.7`
3. `cairn.toml` in the folder in which the command runs
4. `cairn.toml` in the home
5. the default

```toml
timezone = "Europe/Berlin"

[policy]
min_learning_confidence = 0.7
```

`cairn config` shows every setting in force and where it comes from; secrets are masked. An unknown
key or a value that cannot be is refused, with the place where it stands; the name that a setting
had in an older version is still read, with a warning. Logs whose times have no offset are read in
the timezone of their source.

## General

"""
    general = {name: field for name, field in Settings.model_fields.items() if name != "policy"}
    policy = """
## Policy

Every threshold, weight and list that decides something. Each is part of the fingerprint of what it
decides: changing one redoes just that (`cairn stale` says how much).

"""
    return head + _settings(general, "") + policy + _settings(Policy.model_fields, "policy.")


def _settings(fields: Mapping[str, FieldInfo], outer: str) -> str:
    rows = (
        (
            f"`{outer}{name}`",
            f"`{PREFIX}{(outer + name).replace('.', '__').upper()}`",
            _value(field.get_default()),
            field.description or "",
        )
        for name, field in fields.items()
    )
    return _grid(("cairn.toml", "environment", "default", "meaning"), rows)


def _value(value: object) -> str:
    if value in (None, {}):
        return ""
    if isinstance(value, tuple):
        return ", ".join(map(str, cast("tuple[object, ...]", value)))
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _grid(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines: Iterator[str] = (
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
        for row in (head, ("---",) * len(head), *rows)
    )
    return "\n".join(lines) + "\n"


def with_examples(text: str, home: Path) -> str:
    """A page with the output of each `$ cairn …` in its console blocks as `home` gives it now.

    It is what a terminal of 100 characters shows, without colours and with paths from the checkout.
    """

    def block(found: re.Match[str]) -> str:
        lines: list[str] = []
        for command in re.findall(r"^\$ (cairn .*)$", found[1], re.MULTILINE):
            lines += [f"$ {command}", *_output(command, home), ""]
        return "```console\n" + "\n".join(lines[:-1]) + "\n```" if lines else found[0]

    return re.sub(r"^```console\n(.*?)^```", block, text, flags=re.MULTILINE | re.DOTALL)


def _output(command: str, home: Path) -> list[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    path = f"{Path(sys.executable).parent}:{own.get('PATH', '')}"
    done = subprocess.run(  # noqa: S603  the commands stand in our own pages
        ["/bin/bash", "-o", "pipefail", "-c", command],
        env=own | {"PATH": path, "CAIRN_HOME": str(home), "COLUMNS": "100", "FORCE_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and done.stderr:  # one whose reader leaves early (`| head`) is silent
        sys.exit(f"{command}: {done.stderr.strip().splitlines()[-1:]}")
    shown = done.stdout.replace(f"{CHECKOUT}/", "").replace(str(home), "data/state")
    return [line.rstrip() for line in click.unstyle(shown).strip("\n").splitlines()]


def summary(told: Iterable[str]) -> list[str]:
    """What a run tells of its stages, learnings and entities, without how long each stage took."""
    lines = dropwhile(lambda line: not line.startswith("stage "), told)
    kept = list(takewhile(lambda line: not line.startswith("Example"), lines))
    width = kept[0].index("seconds")
    stages = sum(1 for _ in takewhile(bool, kept))
    return [line[:width].rstrip() for line in kept[:stages]] + kept[stages:-1]


def main() -> None:
    """Writes what differs, and says so. Examples come from a run over the samples."""
    for path, text in pages().items():
        _write(path, text)
    click.echo("running the samples for the examples …")
    with TemporaryDirectory() as folder:
        home = Path(folder) / "state"
        told = "\n".join(summary(_output("cairn run --samples --report", home)))
        page = CHECKOUT / "docs" / "how-it-works.md"
        block = with_block(page.read_text(encoding="utf-8"), "run", f"```text\n{told}\n```\n")
        _write(page, block)
        for path in (CHECKOUT / "README.md", *sorted(CHECKOUT.glob("docs/*.md"))):
            _write(path, with_examples(path.read_text(encoding="utf-8"), home))


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        click.echo(f"{path.relative_to(CHECKOUT)}: written")


if __name__ == "__main__":
    main()
