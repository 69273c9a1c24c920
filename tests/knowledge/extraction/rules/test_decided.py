"""What a person decides, and what is only the work at hand."""

from collections.abc import Sequence

import pytest

from cairn.knowledge.dialogue.trust import PERSON
from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import (
    Line,
    agent,
    call,
    found_in_each,
    human,
    raw_logs,
)


def decided(*texts: str) -> list[list[str]]:
    return conversations(*([human(text), agent("Ok.")] for text in texts))


def conversations(*each: Sequence[Line]) -> list[list[str]]:
    return [
        rows.filter(predicate="decides")["object"].sort().to_list() for rows in found_in_each(*each)
    ]


DECIDED = [
    ("we settled on Kafka for the event bus", "We settled on Kafka for the event bus"),
    ("We've decided against a second database.", "We've decided against a second database."),
    (
        "thinking again: let's drop the `moor` command",
        "Let's drop the `moor` command",
    ),
    ("We have finally chosen Postgres for the berths.",) * 2,
    ("ok, let's go with the outbox table.", "Let's go with the outbox table."),
    ("It's fine to break the old API.",) * 2,
    ("i thought we removed the tide log", "I thought we removed the tide log"),
    ("I thought we no longer use winches.",) * 2,
    ("Drop support for the old cranes.",) * 2,
    ("The tide service was replaced by a cron job.",) * 2,
    ("Berth tables are frozen until the audit is over.",) * 2,
    ("We're dropping support for old cranes.",) * 2,
    ("As of version 4.2 releases go out on Wednesdays.",) * 2,
    (
        "the crane job writes to `var/quay` and we should ignore that in git",
        "The crane job writes to `var/quay` and we should ignore that in git",
    ),
    ("`Quay.next` should return None for a full pier.",) * 2,
    ("I want the tide list to stay sorted by date.",) * 2,
    ("I don't want the harbor type in the public API.",) * 2,
    ("let's make the crane id optional", "Let's make the crane id optional"),
    ("yup, let's limit the tide list to 50 rows", "Let's limit the tide list to 50 rows"),
    (
        "let's use the outbox because it survives restarts",
        "Let's use the outbox because it survives restarts",
    ),
    ("We'll use SQLite for the berth cache.",) * 2,
    ("We don't actually need a migration script",) * 2,
    (
        "mmk, we want to replace the regex w/ the quayparse library",
        "We want to replace the regex w/ the quayparse library",
    ),
    ("It has to run on old tablets too", "It has to run on old tablets too"),
    ("we need to support IE11", "We need to support IE11"),
    ("Pretty logs are not a goal.",) * 2,
    (
        "we can't use generics because the pier app is on Go 1.17",
        "We can't use generics because the pier app is on Go 1.17",
    ),
    ("no backwards compatibility needed", "No backwards compatibility needed"),
    ("There's no need to support old charts.",) * 2,
    ("We don't want to depend on the tide API.",) * 2,
    ("plus I don't want the gate to open by itself", "I don't want the gate to open by itself"),
    (
        "Idea is that the pier config should take precedence over the harbor config.",
        "The pier config should take precedence over the harbor config.",
    ),
    ("We're ultimately going to deploy the pier API on the small cluster.",) * 2,
    ("Let's keep the crane signature as it was, but give it a new name.",) * 2,
    ("We don't want each crane to have its own log.",) * 2,
    ("Let's stick w/ sqlite", "Let's stick w/ sqlite"),
    (
        "When a ship is late, the row in the tide list should have a red edge.",
        "When a ship is late, the row in the tide list should have a red edge.",
    ),
    ("We don't have the tide API anymore.",) * 2,
    ("The pier table no longer exists.",) * 2,
    ("so... ok... let's drop the old loader", "Let's drop the old loader"),
    ("Alarms go to the harbor master, that's decided.",) * 2,
    ("Can we import the ids package as quay_ids?", "Import the ids package as quay_ids"),
    ("lets stay with the old crane driver",) * 1 + ("Lets stay with the old crane driver",),
    ("We dont need to restore the old charts.",) * 2,
    ("I dont want the gate to be only a form",) * 2,
    (
        "Can you change the id from org.quay to org.pier?",
        "Change the id from org.quay to org.pier",
    ),
    ("Yes, `quayfs` is fine just for tests.", "`quayfs` is fine just for tests."),
    ("This worked, so we can delete the old loader.",) * 2,
    (
        'Let\'s replace "berth" with "mooring" and then tidy up, can you do it?',
        'Let\'s replace "berth" with "mooring"',
    ),
    ("Talked to the board, we go with tugs instead of sails.",) * 2,
    ("After the meeting: we move from rope to chain, one pier at a time.",) * 2,
    ("The old berth API gets shut off in March.",) * 2,
    ("The new command will be called `moor`.",) * 2,
    ("Radar first, the sonar port is cancelled.",) * 2,
    ("No radar in the first release.",) * 2,
    ("Decided: one state file per pier.",) * 2,
    ("I slept on it, and we keep the cranes, no winches.",) * 2,
    ("Ropes are being replaced by chains.",) * 2,
    ("We'll ship v2 without the ferry",) * 2,
    ("We are not going to do night tours this year.",) * 2,
    ("I don't think we need `mooring_policy`, the default is fine.",) * 2,
    ('We should not show "tug" for ferries, but instead "pusher".',) * 2,
    ("I decided that piers 4 and 5 become one.",) * 2,
    ("For the license we went with AGPL.",) * 2,
    ("After comparing I take chains over ropes for this.",) * 2,
    ("We keep the old crane until the board has moved, so no night shift.",) * 2,
    ("Tides are going to be stored as integers.",) * 2,
    ("Dock-ix it is, pier-age was nice.",) * 2,
]


def test_what_a_person_decides() -> None:
    texts, kept = zip(*DECIDED, strict=True)
    assert decided(*texts) == [[text] for text in kept]


UNDECIDED = [
    "Let's remove it. Let's fix the tests. Let's do the small ones first. Let's see.",
    "Let's add a test for the queue. We should add more tests. The tests should be green.",
    "The tests fail on CI and the lint is broken, let's remove them. It should use Redis.",
    "The server should be running on port 3000. I'd like the tests to pass.",
    "The rest should be easy. The fix must be small. The last output should be empty.",
    "Let's make a plan. Let's have a look. Let's not mess with the code.",
    "Whatever is there should go. A carefully chosen name matters here.",
    "I want the refund to be sent today. We will use it for now. We won't do that.",
    "I thought we removed it. I thought we could drop the old cranes.",
    "Maybe the queue should use Redis. We don't need that. It's fine to do so.",
    "Let's make sure that it works. Have we decided to drop it? They decided to leave.",
    "Change it from red to blue. Stay with me.",
    "Set the timeout to something else. No idea, just a guess.",
    "We don't need to do so now. I want to use it.",
    "I don't want you to stop. That is enough for now.",
    "If you want, we can remove the cache.",
    "Can we change this from that to those? Can we rename it?",
    "No rush, just a note. Keep it as is. Start running the tests instead of talking.",
    "Check if the cranes are correctly moved to the pier. See whether the quay was renamed.",
    "Phase 2 is merged to main. The PR for berths was approved. Both branches are merged.",
    "1. no special berths needed\n2. no history needed, both lists\n3. no need for a table",
    "Information about both should be stored. No need to track or audit.",
    "The berth list should be shown when somebody opens the quay tab: .",
    "We keep getting the same tide. Decided: we start with the pier. We will be there.",
    "The merge shouldn't be too hard, please take a look. The quay should be more tidy.",
    "Once a ship has left we no longer use its berth, right?",
    "For the first we don't need a crane. The berths should be on the left but idk.",
    "If we decided to drop Kafka, we would save money. We decided to talk about it.",
]


def test_what_is_no_decision() -> None:
    assert decided(*UNDECIDED) == [[]] * len(UNDECIDED)


def test_an_agents_plan_is_no_decision() -> None:
    rows = candidates(raw_logs([human("go"), agent("Let's drop the `moor` command.")]), Policy())
    assert "decides" not in set(rows.candidates["predicate"])


def conversation(*lines: Line) -> list[str]:
    (found,) = conversations(lines)
    return found


def test_what_an_agent_proposes_is_decided_by_a_yes_and_what_a_person_asks_for_is_not() -> None:
    told = agent("I propose changes to the quay. Let's drop the `moor` command.")
    rows = candidates(raw_logs([human("go"), told, human("yes, do it")]), Policy()).candidates
    assert rows.filter(predicate="decides")["object"].to_list() == [
        "Let's drop the `moor` command."
    ]
    asked = human("Let's drop the `moor` command. Or can you propose something?")
    rows = candidates(raw_logs([asked, agent("Ok.")]), Policy()).candidates
    assert rows.filter(predicate="decides").is_empty()


def test_an_agents_plan_is_a_decision_once_the_person_says_yes_to_it() -> None:
    rows = candidates(
        raw_logs([human("go"), agent("Let's drop the `moor` command."), human("yes, do it")]),
        Policy(),
    ).candidates
    kept = rows.filter(rows["predicate"] == "decides")
    assert kept["object"].to_list() == ["Let's drop the `moor` command."]
    assert kept["trust"].to_list() == [PERSON]
    said = agent("Let's drop the `moor` command.")
    assert conversation(said, human("no, keep it")) == []
    assert conversation(said, human("what does it do?")) == []


def test_a_decision_that_is_taken_back_was_none() -> None:
    hidden = human("let's hide the `moor` command"), agent("Done.")
    assert conversation(*hidden) == ["Let's hide the `moor` command"]
    assert conversation(*hidden, human("hm, revert that please")) == []
    assert conversation(*hidden, human("thinking again: let's remove the `moor` command")) == [
        "Let's remove the `moor` command"
    ]
    other = conversation(*hidden, human("actually, let's rename `berth` to `quay`"))
    assert len(other) == 2


def test_an_order_that_was_carried_out_is_an_event_of_its_session() -> None:
    edit = call("Edit", file_path="/srv/harbour/quay.py", old_string="moor", new_string="")
    rows = candidates(
        raw_logs([human("Let's also remove the `moor` command"), agent("Ok."), edit]), Policy()
    ).candidates
    kept = rows.filter(rows["object"].str.contains("moor"), rows["kind"] == "fact")
    assert set(kept["predicate"]) == {"asks"}
    for told in (
        "Rename the package from `quay` to `harbour`",
        "please rename the package from `quay` to `harbour`",
        "Can you rename the package from `quay` to `harbour`?",
        "We can delete the `moor` command.",
    ):
        lines = human(told), agent("Ok.")
        without, done = conversations(lines, [*lines, edit])
        assert without
        assert done == []
    for told in (
        "Let's keep the `moor` command",
        "Let's remove all commands and never moor",
        "Let's completely remove the `moor` command",
    ):
        assert conversation(human(told), agent("Ok."), edit) == [told]


def test_a_later_word_on_the_same_thing_ends_a_decision() -> None:
    round_ = human("Let's keep the tide gradient round"), agent("Done.")
    assert conversation(*round_) == ["Let's keep the tide gradient round"]
    assert conversation(*round_, human("looks good, now the quays")) != []
    assert conversation(*round_, human("actually, drop the tide gradient, a flat colour")) == []


@pytest.mark.parametrize(
    "told",
    [
        "The pier icon should be bigger than the crane.",
        'Instead of "Places" we should show "Open berths".',
        "The tide chart should have rounded borders.",
    ],
)
def test_how_one_thing_looks_or_is_worded_is_an_event_of_its_session(told: str) -> None:
    work = human(told), call("Edit", file_path="quay.css", new_string="x"), agent("Done.")
    rows = candidates(raw_logs(work), Policy()).candidates
    wished = rows.filter(rows["predicate"].is_in(["decides", "asks"]))
    assert set(wished["predicate"]) == {"asks"}
