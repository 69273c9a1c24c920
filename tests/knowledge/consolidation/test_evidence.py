"""What counts as evidence, and how often."""

import numpy as np
import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.consolidation.evidence import evidence
from cairn.knowledge.consolidation.similar_facts import similar_facts
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.rows import day, episodes, fact_sources, facts
from tests.knowledge.toy_embedder import ToyEmbedder

POLICY = Policy()
CACHE = "The cache ignores the locale"
COFFEE = "The user of this house likes very strong black coffee"


def source(record, conversation, when, fact="f1"):
    return {
        "fact_id": fact, "record_id": record, "conversation_id": conversation, "occurred_at": when,
    }  # fmt: skip


def episode(name, conversation, when, text=f"{CACHE} today"):
    return {
        "episode_id": name, "conversation_id": conversation, "started_at": when, "text": text,
    }  # fmt: skip


def judged(known, sources, heard):
    embedder = ToyEmbedder()
    similar = similar_facts(known, embedder, POLICY)
    return evidence(known, sources, heard, similar, embedder, POLICY)


def found(known, sources, heard=()):
    return judged(known, fact_sources(*sources), episodes(*heard))


def test_a_further_conversation_restates_once_and_at_its_first_statement():
    rows = found(
        facts({"fact_id": "f1", "content": CACHE}),
        [
            source("r1", "s1", day(0)),
            source("r2", "s1", day(1)),
            source("r3", "s2", day(3)),
            source("r4", "s2", day(2)),
        ],
    )
    assert rows.select("kind", "source_id", "occurred_at").rows() == [("restatement", "r4", day(2))]


def test_a_similar_episode_supports_once_per_further_and_later_conversation():
    rows = found(
        facts({"fact_id": "f1", "content": CACHE, "first_seen": day(1)}),
        [source("r1", "s1", day(1))],
        [
            episode("same conversation", "s1", day(2)),
            episode("too early", "s0", day(0)),
            episode("second", "s2", day(4)),
            episode("first", "s2", day(3)),
            episode("other", "s3", day(3), "The user likes coffee"),
        ],
    )
    assert rows.select("kind", "source_id").rows() == [("episode", "first")]


def test_an_episode_that_denies_a_fact_does_not_support_it():
    says = "The nightly backup of the photo archive runs on the old server"
    rows = found(
        facts({"fact_id": "f1", "content": says}),
        [source("r1", "s1", day(0))],
        [
            episode("denies", "s2", day(1), says.replace("runs", "never runs")),
            episode("agrees", "s4", day(1), f"{says} now"),
        ],
    )
    assert rows["source_id"].to_list() == ["agrees"]


def test_what_a_fact_was_drawn_from_does_not_support_it():
    known = facts(
        {"fact_id": "f1", "content": CACHE, "first_seen": day(1), "derived_from": ["one", "two"]}
    )
    heard = [
        episode("one", "s1", day(0)),
        episode("two", "s2", day(0)),
        episode("later, where it was drawn from", "s2", day(2)),
        episode("elsewhere", "s3", day(3)),
    ]
    rows = found(known, [source("r1", "s1", day(1))], heard)
    assert rows["source_id"].to_list() == ["elsewhere"]


def test_a_fact_that_is_stated_and_drawn_from_a_theme_is_not_restated_by_that():
    known = facts({"fact_id": "f1", "content": CACHE, "derived_from": ["one", "two"]})
    heard = [episode("one", "s1", day(0)), episode("two", "s2", day(2))]
    said = [source("r1", "s1", day(0)), source("two", "s2", day(2)), source("r3", "s3", day(3))]
    assert found(known, said, heard)["source_id"].to_list() == ["r3"]


def test_a_conversation_that_restates_is_not_counted_again_for_its_episode():
    rows = found(
        facts({"fact_id": "f1", "content": CACHE}),
        [source("r1", "s1", day(0)), source("r2", "s2", day(2))],
        [episode("p1", "s2", day(1))],
    )
    assert rows["kind"].to_list() == ["restatement"]


def test_what_denies_a_fact_or_gives_another_value_does_not_support_it():
    for says, other in (
        ("I like black coffee here", "I dislike black coffee here"),
        ("The server runs on port 8080", "The server runs on port 9090"),
    ):
        known = facts(
            {"fact_id": "f1", "content": says, "first_seen": day(1)},
            {"fact_id": "f2", "content": other, "first_seen": day(2)},
        )
        rows = found(
            known,
            [source("r1", "s1", day(1)), source("r2", "s2", day(2), "f2")],
            [episode("against", "s2", day(2), other), episode("for", "s3", day(3), says)],
        ).filter(fact_id="f1", kind="episode")
        assert rows["source_id"].to_list() == ["for"]


def test_a_structural_fact_is_supported_by_restatement_alone():
    rows = found(
        facts({"fact_id": "f1", "content": CACHE, "predicate": "used_tool"}),
        [source("r1", "s1", day(0)), source("r2", "s3", day(2))],
        [episode("p1", "s2", day(1))],
    )
    assert rows["kind"].to_list() == ["restatement"]


def test_a_clear_contradiction_strikes_both_when_the_later_came():
    rows = found(
        facts(
            {"fact_id": "f1", "content": "The user of this house likes very strong black coffee"},
            {
                "fact_id": "f2",
                "content": "The user of this house dislikes very strong black coffee",
                "first_seen": day(5),
            },
            {"fact_id": "f3", "content": "The user of this house likes very strong black tea"},
        ),
        [source("r1", "s1", day(0)), source("r2", "s2", day(5), "f2")],
    )
    assert sorted(rows.select("kind", "fact_id", "source_id", "occurred_at").rows()) == [
        ("contradiction", "f1", "f2", day(5)),
        ("contradiction", "f2", "f1", day(5)),
    ]


def test_facts_of_different_entities_do_not_contradict():
    rows = found(
        facts(
            {"fact_id": "f1", "content": "The user likes very strong black coffee"},
            {
                "fact_id": "f2",
                "content": "The user dislikes very strong black coffee",
                "entity_id": "e2",
            },
        ),
        [],
    )
    assert rows.is_empty()


def test_any_order_of_rows_and_no_rows():
    known = facts(*({"fact_id": f"f{at}", "content": f"{CACHE} {at}"} for at in range(9)))
    sources = fact_sources(
        *(source(f"r{at}", f"s{at % 4}", day(at % 5), f"f{at % 9}") for at in range(40))
    )
    heard = episodes(*(episode(f"p{at}", f"s{at % 6}", day(at % 7)) for at in range(20)))
    shuffled = np.random.default_rng(3)
    again = [table[shuffled.permutation(table.height)] for table in (known, sources, heard)]
    rows = judged(known, sources, heard)
    assert rows.height > 9
    assert_frame_equal(rows, judged(*again), check_exact=True)
    nothing = [table.clear() for table in (known, sources, heard)]
    assert judged(*nothing).is_empty()


def test_an_instruction_contradicts_the_statement_that_it_forbids():
    rows = found(
        facts(
            {"fact_id": "f1", "content": "Use npm for the packages of the web shop"},
            {"fact_id": "f2", "content": "Never use npm for the packages of the web shop"},
        ),
        [],
    )
    assert sorted(rows.select("kind", "fact_id", "source_id").rows()) == [
        ("contradiction", "f1", "f2"),
        ("contradiction", "f2", "f1"),
    ]


def contradicted(left, right, policy=POLICY, **second):
    known = facts({"fact_id": "f1", "content": left}, {"fact_id": "f2", "content": right, **second})
    similar = similar_facts(known, ToyEmbedder(), policy)
    rows = evidence(known, fact_sources(), episodes(), similar, ToyEmbedder(), policy)
    return similar["verdict"].to_list(), rows.filter(kind="contradiction").height


@pytest.mark.parametrize(
    ("said", "denied"),
    [
        ("The old server of this house likes coffee", "The old server of this house hates coffee"),
        ("I like black coffee", "I hate black coffee"),
        ("I care", "I don't care"),
        ("I have no pets", "I have a dog called Rex"),
        ("You need to sign the form", "Keep the receipts, and you don't need to sign the form"),
    ],
)
def test_a_denial_in_the_same_words_is_clear_however_little_alike(said, denied):
    for policy in (POLICY, Policy(contradiction_similarity=1.0, merge_similarity=1.0)):
        assert contradicted(said, denied, policy) == (["opposite"], 2)


def test_another_value_denies_nothing_and_is_kept():
    said = [f"The default port of the staging web server is {port}" for port in (80, 81)]
    assert contradicted(*said) == (["value"], 0)


def test_questions_and_mentions_contradict_nothing():
    said = "We deploy the web shop of this house on Fridays"
    denied = "We never deploy the web shop of this house on Fridays"
    assert contradicted(said, denied) == (["opposite"], 2)
    assert contradicted(said, "Do we never deploy the web shop of this house on Fridays?")[1] == 0
    assert contradicted(said, f'The sign in the hall says "{denied}"')[1] == 0
    for mention in ("targets_system", "mentions_path", "used_tool"):
        assert contradicted(said, denied, predicate=mention) == ([], 0)


@pytest.mark.parametrize(
    ("first", "second", "struck"),
    [
        ("person", "agent", {"f2"}),
        ("person", "outside", {"f2"}),
        ("agent", "outside", {"f2"}),
        ("agent", "agent", {"f1", "f2"}),
        ("outcome", "person", {"f1", "f2"}),
        ("person", "searched", {"f1", "f2"}),
    ],
)
def test_what_an_agent_or_a_page_says_denies_nothing_that_has_better_trust(first, second, struck):
    known = facts(
        {"fact_id": "f1", "content": COFFEE, "first_seen": day(0), "trust": first},
        {"fact_id": "f2", "content": COFFEE.replace("likes", "dislikes"),
         "first_seen": day(5), "trust": second},
    )  # fmt: skip
    rows = judged(known, fact_sources(), episodes()).filter(kind="contradiction")
    assert set(rows["fact_id"]) == struck
