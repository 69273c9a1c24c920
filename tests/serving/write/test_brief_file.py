"""The brief that a file keeps: the rest stays byte for byte, and what agents read is recalled."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from cairn.knowledge.ingest.speakers import spoken
from cairn.knowledge.llm.fence import fenced
from cairn.serving.write.brief_file import (
    BEGIN,
    END,
    UnwritableFile,
    keep_brief,
    without,
    written,
)
from tests.serving.conftest import Ask
from tests.serving.one_call import knowledge_of, session

RULE = "We always run the quincepress tests first."
BRIEF = fenced(f"What you want here:\n- {RULE}", "work", "g")
OTHER = fenced("- test: `make test`", "work", "g")

TEXTS = st.text(st.sampled_from("a \r\n\ufeff-"), max_size=12) | st.text(max_size=40)


@given(TEXTS.map(str.encode))
@example(b"")
@example(b"\xef\xbb\xbf")
@example(b"# Mine\r\nno end")
@example(b"x\nabc\r")
def test_what_was_written_is_taken_out_again_byte_for_byte(before: bytes) -> None:
    assume(b"cairn brief" not in before)
    after = written(before, BRIEF)
    assert after.startswith(before)
    assert written(after, BRIEF) == after
    assert written(written(before, OTHER), BRIEF) == after
    assert without(after) == before
    assert without(before) == before


@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_what_is_written_around_it_stays(line: str) -> None:
    def text(*lines: str) -> bytes:
        return line.join(lines).encode()

    first = written(text("# Mine", "mine", ""), BRIEF)
    assert first == text("# Mine", "mine", "", BEGIN, *BRIEF.splitlines(), END, "")
    between = first.replace(b"# Mine", b"# Ours") + text("theirs", "no end")
    again = written(between, OTHER)
    assert again == between.replace(text(*BRIEF.splitlines()), text(*OTHER.splitlines()))
    assert without(again) == text("# Ours", "mine", "theirs", "no end")


def test_a_brief_that_has_marks_in_it_makes_none() -> None:
    """Its lines come from logs."""
    once = written(b"", f"- x {END} {BEGIN}\n- y")
    assert written(once, BRIEF) == written(b"", BRIEF)


@pytest.mark.parametrize(
    "text",
    [BEGIN, END, f"{END}\n{BEGIN}", f"{BEGIN}\n{BEGIN}\n{END}", f"{BEGIN}\n{END}\n{END}"],
)
def test_damaged_marks_are_an_error_and_nothing_is_changed(tmp_path: Path, text: str) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text(f"# Mine\n{text}\nmore\n")
    before = file.read_bytes()
    for brief in (BRIEF, ""):
        with pytest.raises(UnwritableFile, match="put them right, or take them out; it was not"):
            keep_brief(file, brief)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_no_text_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_bytes("# Mine\n".encode("utf-16"))
    with pytest.raises(UnwritableFile, match="not in UTF-8"):
        keep_brief(file, BRIEF)


def test_a_link_a_mode_and_a_file_that_was_missing(tmp_path: Path) -> None:
    file, link = tmp_path / "AGENTS.md", tmp_path / "CLAUDE.md"
    link.symlink_to("AGENTS.md")
    assert keep_brief(link, BRIEF)
    assert link.is_symlink()
    file.chmod(0o640)
    number = file.stat().st_ino
    assert not keep_brief(file, BRIEF)
    assert file.stat().st_ino == number, "the same is not written again"
    assert keep_brief(link, OTHER)
    assert file.stat().st_mode & 0o777 == 0o640
    assert not keep_brief(tmp_path / "GEMINI.md", ""), "nothing to take out"
    assert keep_brief(file, "")
    assert not file.exists(), "it was made for the brief alone"
    with pytest.raises(UnwritableFile, match="there is no folder"):
        keep_brief(tmp_path / "none" / "AGENTS.md", BRIEF)


def test_the_command_keeps_the_brief_of_the_project_of_the_file(ask: Ask, tmp_path: Path) -> None:
    folder = tmp_path / "lantern-shop"
    folder.mkdir()
    file = folder / "AGENTS.md"
    file.write_text("# Mine\n")
    told = ask("brief", "--write", file, "--json").json
    assert (told["file"], told["changed"], told["project"]) == (str(file), True, "lantern-shop")
    shown = ask("brief", "lantern-shop", "--text").out
    assert file.read_text() == f"# Mine\n\n{BEGIN}\n{shown}{END}\n"
    assert "as it is" in ask("brief", "--write", file).out
    assert "wrote: " in ask("brief", "--write", file, "--budget", "150").out
    assert ask("brief", "--write", file, "--remove", "--json").json["changed"]
    assert file.read_text() == "# Mine\n"
    elsewhere = ask("brief", "--write", tmp_path / "AGENTS.md")
    assert (elsewhere.code, elsewhere.out) == (1, "")
    assert "no project is called" in elsewhere.err
    assert not (tmp_path / "AGENTS.md").exists()
    file.write_text(BEGIN)
    assert "it was not changed" in ask("brief", "--write", file).err
    for wrong in (("--remove",), ("--text", "--write", file)):
        assert ask("brief", *wrong).code == 2
    nothing_then = ask("brief", "--write", folder / "GEMINI.md", "--as-of", "2020-01-01")
    assert "Nothing that helps" in nothing_then.out
    assert not (folder / "GEMINI.md").exists()


FILE = written(b"# Pier\n\nPlain words.\n", BRIEF).decode()
NUMBERED = "".join(f"{n:6}\u2192{line}\n" for n, line in enumerate(FILE.splitlines(), 1))
READ: dict[str, Any] = {"name": "Read", "input": {"file_path": "/home/cy/code/pier/AGENTS.md"}}
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "read": (READ, NUMBERED),
    "head": ({"name": "Bash", "input": {"command": "head -7 AGENTS.md"}},
             "\n".join(FILE.splitlines()[:-2])),
    "diff": ({"name": "Bash", "input": {"command": "git diff"}},
             "".join(f"+{line}\n" for line in FILE.splitlines())),
    "write": ({"name": "Write", "input": {"file_path": "AGENTS.md", "content": FILE}}, "ok"),
    "edit": ({"name": "Edit", "input": {"file_path": "AGENTS.md", "old_string": "x",
                                        "new_string": FILE}}, FILE),
}  # fmt: skip


def test_a_session_that_had_the_file_learns_nothing_of_it() -> None:
    made = knowledge_of(b"".join(
        session(call["name"], result, call["input"]).replace(b'"cy', b'"cy-%s' % case.encode())
        for case, (call, result) in CASES.items()
    ))  # fmt: skip
    results = made["raw_logs"].filter(kind="tool_result")
    origins = dict(results.select("conversation_id", "origin").iter_rows())
    assert origins.keys() == {f"cy-{case}" for case in CASES}
    fenced_ones = {f"cy-{case}" for case, (_, said) in CASES.items() if "cairn-memory" in said}
    assert {origins[one] for one in fenced_ones} == {"recalled"}
    for table, text in (("facts", "content"), ("candidates", "object"), ("learnings", "content")):
        assert not made[table][text].str.contains("quincepress").any(), table
    assert "quincepress" not in made["entities"]["display_name"].str.to_lowercase().to_list()


def test_the_file_that_codex_gives_is_recalled_and_no_word_of_a_person() -> None:
    given_ = f"# AGENTS.md instructions for /pier\n\n<INSTRUCTIONS>\n{FILE}\nMore.\n</INSTRUCTIONS>"
    parts = list(spoken(given_))
    assert [who for who, part in parts if RULE in part] == ["recalled"]
    assert {who for who, _ in parts} == {"recalled", "system"}
    said = session(READ["name"], "ok", READ["input"]).replace(b"Look at the pier.", RULE.encode())
    assert RULE in knowledge_of(said)["facts"]["content"], "a person does teach it"
