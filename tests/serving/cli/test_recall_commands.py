"""`cairn context`, `memory` and `why`: what a person, or a hook of an agent, reads."""

from cairn.knowledge.llm.fence import CLOSING, NOTICE
from tests.knowledge.llm.test_fence import said_by
from tests.serving.conftest import Ask

MESSAGE = "why does harbor-backup fail at night?"


def test_a_context_is_memories_and_nothing_else(ask: Ask) -> None:
    turn = ("--turn", "rsync says permission denied", "--budget", "6000")
    told = ask("context", MESSAGE, *turn)
    assert told.err == ""
    notice, opened, *lines, closed = told.out.splitlines()
    assert (notice, closed) == (NOTICE, CLOSING)
    assert opened.startswith('<cairn-memory namespace="samples" generation="wordllama')
    assert [line for line in lines if not line.startswith("- ")] == [
        "Facts:", "Episodes:", "Learnings:",
    ]  # fmt: skip
    assert "not on the PATH of the Pi's cron user" in lines[-1], "what Gemini CLI's session taught"
    assert any("backup fails" in line for line in lines)
    assert any("rsync" in line for line in lines[lines.index("Episodes:") :])
    found = ask("context", MESSAGE, *turn, "--json").json
    assert found["known"]["entities"][0]["name"] == "harbor-backup"
    assert found["known"]["sufficient"] is True
    assert [f"- {' '.join(text.split())}" for text in found["memories"]["facts"]] == lines[
        1 : lines.index("Episodes:")
    ]
    assert found["text"] == told.out.rstrip("\n")


def test_a_context_tells_how_a_task_is_done_and_no_fact_that_does_not_speak_to_it(ask: Ask) -> None:
    found = ask("context", "How do I run the tests in lantern-shop?", "--json").json
    assert found["memories"]["practices"] == ["test: `pnpm vitest`", "test: `pnpm playwright test`"]
    told = ask("context", "Do we use npm or pnpm in lantern-shop?", "--json").json
    assert "practices" not in told["memories"]
    assert told["memories"]["facts"][0] == "We use pnpm in this repository, never npm install."
    assert not any("explicit return types" in text for text in told["memories"]["facts"])


def test_what_a_search_prints_is_fenced_and_nothing_found_is_not(ask: Ask) -> None:
    lines = ask("search", MESSAGE).out.splitlines()
    assert (lines[0], lines[-1]) == (NOTICE, CLOSING)
    assert said_by("\n".join(["mine", *lines, "", "mine"]), "human") == "mine\nmine"
    assert "cairn-memory" not in ask("search", "zebra quagga").out


def test_a_question_that_names_nothing_gets_what_a_search_for_it_finds(ask: Ask) -> None:
    question = "how did we fix the checkout test?"
    told = ask("context", question, "--json").json
    assert all(one["similarity"] < 1 for one in told["known"]["entities"])
    assert {one["kind"] for one in told["found"]} == {"episode", "learning"}
    assert any("@js-temporal/polyfill" in text for text in told["memories"]["learnings"])
    assert all(one["confidence"] > 0.5 for one in told["found"])
    searched = ask("search", question, "--limit", "50", "--json").json["results"]
    assert {one["id"] for one in told["found"]} <= {one["id"] for one in searched}
    first = told["memories"]["episodes"][0]
    assert len(first) < 250, "of several, each has its beginning told"


def test_a_context_keeps_to_its_budget(ask: Ask) -> None:
    sizes = {
        budget: sum(ask("context", MESSAGE, "--budget", budget, "--json").json["tokens"].values())
        for budget in ("120", "400", "1500")
    }
    assert sizes["120"] < sizes["400"] < sizes["1500"]
    assert all(size <= int(budget) for budget, size in sizes.items())


def test_a_context_of_nothing_is_refused(ask: Ask) -> None:
    assert ask("context", " ", "--turn", "").code == 2
    assert ask("context", "zebra quagga").out == ""


def test_memory_is_a_numbered_list_and_what_is_known_of_each(ask: Ask) -> None:
    listed = ask("memory", "--limit", "5", "--json").json
    assert [row["number"] for row in listed["memory"]] == [1, 2, 3, 4, 5]
    assert listed["total"] > 5
    second = listed["memory"][1]
    one = ask("memory", "2", "--json").json
    assert one["entity"]["entity_id"] == second["entity_id"]
    assert {fact["entity_id"] for fact in one["facts"]} == {second["entity_id"]}
    assert ask("memory", "2", "--events", "--json").json["total"] > one["total"]
    assert second["display_name"] in ask("memory", "2").out
    refused = ask("memory", "9999")
    assert refused.code == 1
    assert "there is no number 9999" in refused.err


def test_why_leads_to_the_line_and_back(ask: Ask) -> None:
    (fact,) = ask("search", "the NAS is asleep", "--type", "facts", "--limit", "1", "--json").json[
        "results"
    ]
    found = ask("why", fact["id"], "--json").json
    quote = found["quotes"][0]
    assert quote["quote"] == fact["sources"][0]["quote"]
    told = ask("why", fact["id"]).out
    assert f"{quote['file']}:{quote['line']}" in told
    assert quote["quote"] in told
    back = ask("why", quote["record_id"], "--uses", "--json").json
    assert fact["id"] in {row["fact_id"] for row in back["facts"]}
    assert fact["id"] in ask("why", quote["record_id"], "--uses").out
    assert "--uses is for a record" in ask("why", fact["id"], "--uses").err
