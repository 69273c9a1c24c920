"""Pages for people: what logs say is text there, and every link leads somewhere."""

import re
from pathlib import Path

import polars as pl
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from cairn.knowledge.schema.tables import TABLES
from cairn.resources.context import open_state
from cairn.serving.exchange.exporting import WrittenExport
from cairn.serving.exchange.markdown import escaped, export_markdown, file_name
from cairn.serving.exchange.parquet import OF_PROCESSING, export_parquet
from cairn.serving.read.display import one_line
from cairn.serving.read.reader import open_reader

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
LINK = re.compile(r"(?<!\\)\[\[([^\]|]+)(?:\|[^\]]*)?\]\]")
NASTY = st.text(
    alphabet=st.sampled_from("ab1. -+#*_`~[]()<>!|&;:/\\$=%^@{}\n\t\"'é\u202e"),
    max_size=40,
)


def shown(text: str) -> str:
    """What a reader of Markdown sees of a list's item, if it is text alone."""
    tokens = MARKDOWN.parse(f"- {text}\n")
    kinds = [token.type for token in tokens]
    assert kinds == [
        "bullet_list_open", "list_item_open", "paragraph_open", "inline", "paragraph_close",
        "list_item_close", "bullet_list_close",
    ], kinds  # fmt: skip
    parts = tokens[3].children or []
    assert {part.type for part in parts} <= {"text", "text_special"}, parts
    return "".join(part.content for part in parts)


@given(NASTY)
def test_words_of_a_log_are_nothing_but_words(text: str) -> None:
    assert shown(f"x {escaped(text)}".rstrip()) == f"x {one_line(text)}".rstrip()
    if one_line(text):
        assert shown(escaped(text)) == one_line(text)
    assert not LINK.search(escaped(text))


@pytest.mark.parametrize(
    "text",
    ["<script>alert(1)</script>", "[[index]]", "![x](http://e.example/p.png)", "&lt;b&gt;", "---",
     "# h", "#tag", "==mark==", "%%c%%", "$x$", "http://e.example", "a@b.example", "`c`", "1. one"],
)  # fmt: skip
def test_marks_are_shown_as_they_stand(text: str) -> None:
    assert shown(escaped(text)) == text


def test_names_of_files_are_safe_everywhere() -> None:
    names = ["CON", "a/b\\c", "..", "über*?<>|", "東京", "x" * 300, "A", "a", ""]
    files = [file_name(name, f"e_{number:016x}") for number, name in enumerate(names)]
    assert len({one.casefold() for one in files}) == len(names)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]{0,70}", one) for one in files)
    assert files == [file_name(name, f"e_{number:016x}") for number, name in enumerate(names)]


@pytest.fixture(scope="module")
def pages(home: Path, tmp_path_factory: pytest.TempPathFactory) -> WrittenExport:
    reader = open_reader(open_state(home), "samples")
    place = tmp_path_factory.mktemp("pages") / "vault"
    return export_markdown(reader, place, replace=False, tell=lambda _: None)


def test_every_link_leads_to_a_page_and_every_page_has_its_head(pages: WrittenExport) -> None:
    files = sorted(pages.folder.rglob("*.md"))
    assert len(files) > 10
    linked: set[str] = set()
    for file in files:
        text = file.read_text()
        _, head, body = text.split("---\n", 2)
        told = yaml.safe_load(head)
        assert told["namespace" if file.stem == "index" else "id"]
        assert body.count("# ")
        linked |= set(LINK.findall(text))
    there = {file.relative_to(pages.folder).with_suffix("").as_posix() for file in files}
    assert linked == there, "every page is linked, and every link leads to one"
    project = next(file for file in files if file.stem.startswith("harbor-backup"))
    assert project.parent.name == "projects"
    assert "uv run pytest" in project.read_text()
    assert "“" in project.read_text()


def test_tables_are_there_with_their_columns(home: Path, tmp_path: Path) -> None:
    reader = open_reader(open_state(home), "samples")
    done = export_parquet(reader, tmp_path / "tables", replace=False, tell=lambda _: None)
    files = {file.stem for file in done.folder.glob("*.parquet")}
    assert files == set(TABLES) - OF_PROCESSING
    memory = pl.read_parquet(done.folder / "memory.parquet")
    assert memory.schema == TABLES["memory"].schema
    assert done.manifest.files["memory.parquet"].rows == memory.height > 0
    readme = (done.folder / "README.md").read_text()
    assert all(f"| {column} |" in readme for column in TABLES["memory"].columns)
