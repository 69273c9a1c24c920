"""Whose words stand in a text, and whose a tool returned."""

import polars as pl
import pytest

from cairn.knowledge.ingest.speakers import call_origin, named_results, result_origin, said, spoken

SPOKEN = {
    "fix the pump": [("human", "fix the pump")],
    "is a < b and <b>bold</b>?": [("human", "is a < b and <b>bold</b>?")],
    "  <command-name>/mcp</command-name>": [("system", "<command-name>/mcp</command-name>")],
    "[Request interrupted by user]": [("system", "[Request interrupted by user]")],
    "<system-reminder>a\nb</system-reminder>\nfix it": [
        ("system", "<system-reminder>a\nb</system-reminder>"),
        ("human", "fix it"),
    ],
    "<system_instruction>Never push.</system_instruction>\n\nName the quay": [
        ("system", "<system_instruction>Never push.</system_instruction>"),
        ("human", "Name the quay"),
    ],
    "fix <cairn-memory>P-20</cairn-memory> it": [
        ("human", "fix"),
        ("recalled", "<cairn-memory>P-20</cairn-memory>"),
        ("human", "it"),
    ],
    "go on <cairn-memory>cut off": [("human", "go on"), ("recalled", "<cairn-memory>cut off")],
    "Stop hook feedback:\n[lint]: red": [("system", "Stop hook feedback:\n[lint]: red")],
    "Unknown slash command: fix": [("system", "Unknown slash command: fix")],
    "<user_action>review</user_action>": [("system", "<user_action>review</user_action>")],
    " \n": [],
}


@pytest.mark.parametrize("text", SPOKEN)
def test_what_a_harness_or_cairn_put_in_is_not_a_persons(text: str) -> None:
    assert list(spoken(text)) == SPOKEN[text]


def test_a_block_after_one_of_the_harness_is_a_person_s() -> None:
    marker = "[Request interrupted by user]"
    assert said([marker, "use uv", " ", "never pip"]) == [
        ("system", marker),
        ("human", "use uv\nnever pip"),
    ]
    assert said(["go on"], "agent") == [("agent", "go on")]


def test_our_own_tools_are_recalled_and_the_web_external() -> None:
    assert call_origin("mcp__cairn__search_memory") == "recalled"
    assert call_origin("mcp__plugin_cairn_cairn__known") == "recalled"
    assert call_origin("mcp__cairngorm__peaks") == call_origin("Bash") == "agent"
    assert result_origin("WebFetch", "page") == "external"
    assert result_origin("Bash", "42") == "tool"
    assert result_origin("Bash", "x <cairn-memory>y</cairn-memory>") == "recalled"


def test_results_take_the_name_of_the_call_they_answer() -> None:
    logs = pl.DataFrame(
        [
            ("tool_call", "a", "WebSearch", "agent"),
            ("tool_result", "a", None, "tool"),
            ("tool_call", "b", "mcp__cairn__known", "recalled"),
            ("tool_result", "b", None, "tool"),
            ("tool_call", "c", "Bash", "agent"),
            ("tool_result", "c", None, "tool"),
            ("tool_result", "lost", None, "tool"),
            ("message", None, None, "human"),
        ],
        schema=["kind", "call_id", "tool_name", "origin"],
        orient="row",
    ).with_columns(namespace=pl.lit("n"), conversation_id=pl.lit("c"))
    named = named_results(logs)
    assert named.select("tool_name", "origin").rows()[1::2] == [
        ("WebSearch", "external"),
        ("mcp__cairn__known", "recalled"),
        ("Bash", "tool"),
        (None, "human"),
    ]
    assert named.drop("tool_name", "origin").equals(logs.drop("tool_name", "origin"))
