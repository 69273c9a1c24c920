"""`cairn brief`: what to know of a project before work on it starts."""

from datetime import datetime, timedelta
from pathlib import Path

from cairn.serving.knowledge_layers.knowledge import Knowledge
from tests.serving.conftest import Ask


def test_a_brief_tells_how_to_work_within_its_budget(ask: Ask, home: Path) -> None:
    told = ask("brief", "lantern-shop", "--json").json
    assert told["project"] == "lantern-shop"
    kinds = [line["kind"] for line in told["lines"]]
    assert {"practice", "recent"} <= set(kinds)
    assert told["tokens"] <= 400
    assert all(line["text"] in told["text"] for line in told["lines"])
    assert '<cairn-memory namespace="samples"' in told["text"]
    few = ask("brief", "lantern-shop", "--budget", "120", "--json").json
    assert 0 < len(few["lines"]) < len(told["lines"])
    assert few["tokens"] <= 120
    shown = " ".join(ask("brief", "lantern-shop").out.split())
    assert "How to work here" in shown
    assert told["lines"][0]["text"] in shown
    fenced = ask("brief", "lantern-shop", "--text").out
    assert fenced.strip() == told["text"].strip()
    with Knowledge.open(home) as knowledge:
        assert knowledge.brief("lantern-shop")["text"] == told["text"]


def test_a_path_in_a_project_names_it_and_nothing_is_known_of_others(ask: Ask) -> None:
    assert ask("brief", "/srv/lantern-shop/src", "--json").json["project"] == "lantern-shop"
    none = ask("brief", "no-such-project", "--json").json
    assert (none["project"], none["lines"], none["text"]) == (None, [], "")
    assert "Nothing is known of no-such-project" in ask("brief", "no-such-project").out


def test_a_brief_of_the_past_knows_nothing_of_what_came_later(ask: Ask) -> None:
    now = ask("brief", "lantern-shop", "--json").json
    then = ask("brief", "lantern-shop", "--as-of", "2026-02-20", "--json").json
    assert all(line["last_seen"] < "2026-02-21" for line in then["lines"])
    assert then["text"] != now["text"]
    moment = datetime.fromisoformat(now["as_of"]) + timedelta(seconds=1)
    again = ask("brief", "lantern-shop", "--as-of", moment.isoformat(), "--json").json
    assert again["lines"] == now["lines"], "what was stored is what is made of the same"
    assert ask("brief", "lantern-shop", "--as-of", "2020-01-01", "--json").json["lines"] == []
