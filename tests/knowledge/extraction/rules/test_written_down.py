"""Rules that stand in what an agent wrote into files that agents read first."""

import polars as pl
import pytest

from cairn.knowledge.dialogue.trust import OUTCOME
from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.rules.written_down import RULES
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import Line, call, output, raw_logs

AGENTS = "/srv/harbour/AGENTS.md"
MEMORY = "/home/ada/.claude/projects/-srv-harbour/memory"
PUT_RIGHT = """---
name: berth-names
description: Berths are named by quay and number, never by the ship that lies there
metadata:
  type: feedback
---
Ada renamed a berth that was called after a ship.

**Why:** ships move. Never rename a berth on a Sunday.
"""


def rows(*lines: Line) -> pl.DataFrame:
    return candidates(raw_logs(lines), Policy(), RULES).candidates


def written(*lines: Line) -> list[str]:
    return sorted(rows(*lines)["object"])


def edit(new: str, old: str = "", path: str = AGENTS, **more: str) -> Line:
    return {**call("Edit", file_path=path, old_string=old, new_string=new), **more}


def test_what_an_edit_brings_into_a_rule_file_and_tells_what_to_do_is_a_directive() -> None:
    lines = """## Quays

The harbour has four quays. They were built by hand.

- **Never dredge at night.** Neighbours sleep.
- IMPORTANT: Every new berth must have a chart
  in `charts/`
- When a crane is moved, do not forget its licence: the board asks for it
- `tides/` provides the tables - use it instead of writing new ones.
"""
    before = "- Always ask the pilot first."
    found = rows(edit(f"{before}\n{lines}", before))
    assert sorted(found["object"]) == [
        "Every new berth must have a chart in `charts/`",
        "Never dredge at night.",
        "When a crane is moved, do not forget its licence: the board asks for it",
        "`tides/` provides the tables - use it instead of writing new ones.",
    ]
    assert set(found["predicate"]) == {"directs"}
    assert set(found["trust"]) == {OUTCOME}
    assert set(found["quote_field"]) == {"tool_input.new_string"}
    assert set(found["entity_name"]) == {"harbour"}


def test_what_stands_between_two_rules_is_text_but_at_the_top() -> None:
    told = "Never dredge at night."
    assert written(edit(f"# Quays\n\n---\n\n- {told}\n\n---\n\nThe end.")) == [told]
    assert written(edit(f"---\nrule: {told}\n---\n\nThe end.")) == []


@pytest.mark.parametrize(
    "line",
    [
        "Before a ship leaves, ensure:\n- [ ] Always ring the bell",
        "The script will:\n\n- Never wait for the tide",
        "- Links point to the pilot.",
        "- [Tides](tides.md) — never trust the old ones",
        "```\n# Never dredge at night\n```",
        "Do not remove it by hand.",
        "When to dredge: never at night.",
    ],
)
def test_what_is_told_ticked_shown_or_points_is_none(line: str) -> None:
    assert written(edit(line)) == []


@pytest.mark.parametrize(
    ("path", "reads"),
    [
        ("CLAUDE.local.md", True),
        (".cursor/rules/quays.mdc", True),
        (".github/copilot-instructions.md", True),
        (f"{MEMORY}/MEMORY.md", True),
        (r"C:\Users\ada\harbour\GEMINI.md", True),
        (f"{MEMORY}/berths.md", False),
        ("README.md", False),
        (".claude/skills/tides/SKILL.md", True),
    ],
)
def test_files_that_agents_read_first(path: str, reads: bool) -> None:
    assert bool(written(edit("Never dredge at night.", path=path))) is reads


def test_what_is_written_at_home_is_meant_for_every_project() -> None:
    found = rows(edit("Never dredge at night.", path="/home/ada/.claude/CLAUDE.md"))
    assert found.select("entity_name", "entity_type").row(0) == ("user", "person")


def test_a_memory_of_what_was_put_right_is_the_sentence_that_heads_it() -> None:
    told = "Berths are named by quay and number, never by the ship that lies there"
    note = call("Write", file_path=f"{MEMORY}/berths.md", content=PUT_RIGHT)
    assert written(note) == [told]
    again = PUT_RIGHT.replace("by quay and number", "by number")
    later = call("Write", file_path=f"{MEMORY}/berths.md", content=again)
    assert written(note, later) == [told.replace("by quay and number", "by number")]
    status = PUT_RIGHT.replace("feedback", "project")
    assert written(call("Write", file_path=f"{MEMORY}/berths.md", content=status)) == []


def test_how_to_apply_what_was_put_right_is_a_rule_of_its_own() -> None:
    applied = f"{PUT_RIGHT}\n**How to apply:** Before a berth gets a name, look it up in `quays/`."
    assert written(call("Write", file_path=f"{MEMORY}/berths.md", content=applied)) == [
        "Before a berth gets a name, look it up in `quays/`.",
        "Berths are named by quay and number, never by the ship that lies there",
    ]


NOTES = """# Cranes

- The crane of quay 3 is locked by night — the pilot has its key. Ask early.
- Uses the old motor.
- Fixed in March: the crane was stuck.
- Status 2026-03-01: the crane of quay 4 is being built.
- It is painted every year in May.
- Create a log of the lifts of quay 3, and keep it for the pilot.
- If the crane of quay 3 is stuck, the pilot keeps its key.
- The log of `<QUAY_NAME>` stays with the pilot until May.
- The crane of quay 3 keeps a log: YES / NO
- Always oil the chain before a lift.
"""


@pytest.mark.parametrize(
    ("path", "noted"),
    [
        (f"{MEMORY}/MEMORY.md", True),
        (".claude/skills/cranes/references/quays.md", True),
        (".claude/skills/cranes/SKILL.md", False),
        (".learnings/2026-03-01-crane.md", False),
        ("AGENTS.md", False),
    ],
)
def test_how_a_named_thing_is_is_noted_in_memory_and_beside_skills(path: str, noted: bool) -> None:
    found = rows(edit(NOTES, path=path))
    told = found.select("predicate", "object", "confidence").sort("predicate").rows()
    assert told[0] == ("directs", "Always oil the chain before a lift.", 0.8)
    lock = "The crane of quay 3 is locked by night — the pilot has its key."
    assert told[1:] == ([("states", lock, 0.7)] if noted else [])


def test_what_an_agent_saves_for_all_sessions_is_of_the_person() -> None:
    found = rows(
        call("save_memory", fact="Never dredge at night. My boat is called Tern."),
        call("search_memory", fact="Always dredge by day."),
    )
    told = found.select("predicate", "object", "entity_name").sort("predicate").rows()
    assert told == [
        ("directs", "Never dredge at night.", "user"),
        ("states", "My boat is called Tern.", "user"),
    ]


def test_a_patch_is_an_edit() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: AGENTS.md\n@@\n # Quays\n-Dredge when you like.\n"
        "+Never dredge at night.\n*** End Patch"
    )
    found = rows(call("apply_patch", input=patch))
    assert found["object"].to_list() == ["Never dredge at night."]
    assert found["quote"].to_list() == ["Never dredge at night."]


def test_what_was_refused_failed_or_taken_out_again_was_not_let_stand() -> None:
    line = "Never dredge at night."
    made = edit(line, call_id="t")
    failed = {**output("The user doesn't want to proceed with this tool use."), "call_id": "t",
              "is_error": True}  # fmt: skip
    assert written(made, {**output("done"), "call_id": "t"}) == [line]
    assert written(made, failed) == []
    assert written(edit(line), edit("Dredge when you like.", line)) == []
    assert written(edit(line), call("Write", file_path=AGENTS, content="# Quays")) == []
    assert written(edit(line), edit("Never.", "Always.", path="/srv/harbour/CLAUDE.md")) == [line]
