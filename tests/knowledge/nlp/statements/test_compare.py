"""Do two statements say the same in words? Judged on pairs written and labelled by hand."""

import json
from itertools import permutations, product

import pytest

from cairn.knowledge.nlp.statements.compare import Verdict, compare
from cairn.knowledge.nlp.statements.tokens import PHRASES, plain
from tests.places import LABELLED

PAIRS = [json.loads(line) for line in (LABELLED / "wording_pairs.jsonl").read_text().splitlines()]
CLAUSES = [line.split("\t") for line in (LABELLED / "wording_clauses.tsv").read_text().splitlines()]
"""`same`, `opposite` or `apart` (whatever is not the same), and two statements: of several clauses,
scopes, quantities, modals, conditions, arguments, graded axes."""

EITHER = [
    ("we use Redis", "we don't use Redis"), ("Anna likes tea", "Anna hates tea"),
    ("the API is public", "the API is private"), ("backups run", "backups never run"),
    ("the linter yodels", "the linter doesn't yodel"), ("Max can swim", "Max can't swim"),
    ("Lea eats fish", "Lea eats no fish"), ("rebasing is allowed", "rebasing is forbidden"),
    ("you must sign", "you must not sign"), ("writes are cheap", "writes are expensive"),
    ("nobody smokes", "everybody smokes"), ("all nodes work", "not all nodes work"),
]  # fmt: skip
"""What may be so, and not."""
JOINTS = (" and ", ", ", "; ", ". ", " but ", ", whereas ", " while ", " although ", " or ")


def test_verdict_on_a_labelled_pair_either_way_round():
    wrong = [
        (one, two, compare(one, two))
        for pair in PAIRS
        for one, two in permutations((pair["left"], pair["right"]))
        if compare(one, two).verdict != pair["verdict"]
    ]
    assert wrong == []


def test_a_statement_agrees_with_itself():
    for pair in PAIRS:
        assert compare(pair["left"], pair["left"]).verdict is Verdict.SAME


def test_what_is_said_clause_by_clause_is_compared_so():
    wrong = [
        (left, right, compare(left, right).verdict)
        for expected, *pair in CLAUSES
        for left, right in (pair, pair[::-1])
        if (compare(left, right).verdict != expected)
        if expected != "apart" or compare(left, right).verdict is Verdict.SAME
    ]
    assert wrong == []


@pytest.mark.parametrize("joint", JOINTS)
def test_each_clause_has_its_own_polarity(joint):
    for one, two in permutations(EITHER, 2):
        said = {sides: one[sides[0]] + joint + two[sides[1]] for sides in product((0, 1), repeat=2)}
        verdicts = {
            pair: compare(*(said[sides] for sides in pair)).verdict
            for pair in product(said, repeat=2)
        }
        for (ours, theirs), verdict in verdicts.items():
            assert (verdict is Verdict.SAME) == (ours == theirs), (said[ours], said[theirs])
            assert verdict is verdicts[theirs, ours], (said[ours], said[theirs])
            assert verdict is not Verdict.OPPOSITE or joint != " or ", (said[ours], said[theirs])


@pytest.mark.parametrize(
    ("left", "right", "difference"),
    [
        ("Uses Python 3.11", "Uses Python 3.12", "version"),
        ("Reads /etc/a at start", "Reads /etc/b at start", "path"),
        ("Prefers tabs over spaces", "Prefers spaces over tabs", "order"),
        ("Likes coffee", "Likes tea", "word"),
        ("Likes coffee", "Never likes coffee", "polarity"),
        ("Is the cache on?", "Is the cache not on?", "question"),
        ("I like jazz", "You like jazz", "person"),
    ],
)
def test_the_difference_is_named(left, right, difference):
    assert compare(left, right).difference == difference


@pytest.mark.parametrize(
    ("left", "right", "slot", "values"),
    [
        ("The default branch is main", "The default branch is master",
         "default branch be *", ("main", "master")),
        ("I live in Berlin", "I live in New York", "liv in *", ("berlin", "new york")),
        ("The user lives in Berlin", "The user lives in Bern", "liv in *", ("berlin", "bern")),
        ("The API runs on port 8080", "The API runs on port 9090",
         "api run on port *", ("number=8080", "number=9090")),
        ("The timeout is 30 s", "The timeout is 5 minutes",
         "timeout be *", ("number=30 second", "number=5 minut")),
    ],
)  # fmt: skip
def test_the_slot_and_its_values_are_named(left, right, slot, values):
    found = compare(left, right)
    assert (found.verdict, found.slot, found.values) == (Verdict.VALUE, slot, values)
    assert compare(right, left)[2:] == (slot, values[::-1])


def test_no_turn_of_phrase_is_missed_for_its_triggers():
    for text in {pair[side] for pair in PAIRS for side in ("left", "right")}:
        all_tried = text
        for _, pattern, replacement in PHRASES:
            all_tried = pattern.sub(replacement, all_tried)
        assert plain(text) == all_tried


def test_denials_of_a_public_set_are_seen_and_little_else(shared_data):
    lines = (shared_data / "mnli_contradictions" / "mnli_contradicting_examples").read_text()
    rows = [line.split("\t") for line in lines.splitlines() if line.count("\t") == 2]
    struck = [
        label for left, right, label in rows if compare(left, right).verdict is Verdict.OPPOSITE
    ]
    assert len(struck) >= 50
    assert struck.count("contradiction") / len(struck) >= 0.95


def test_a_full_stop_on_one_side_changes_nothing():
    for left, right, verdict in (
        ("I live in Berlin", "I live in Munich", Verdict.VALUE),
        ("The tests use the cache", "The tests never use the cache", Verdict.OPPOSITE),
        ("The tests use the cache", "The tests use the cache", Verdict.SAME),
    ):
        assert compare(left, f"{right}.").verdict == verdict


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The meeting is at 7 pm", "The meeting is at 19:00"),
        ("The gate closes at noon", "The gate closes at 12:00"),
        ("The disk holds 2 TB", "The disk holds 2,000 GB"),
        ("Lea is 1.8 m tall", "Lea is 180 cm tall"),
        ("The shop runs version 2.3", "The shop runs version 2.3.0"),
        ("A dozen workers run", "Twelve workers run"),
        ("The build takes an hour", "The build takes 60 minutes"),
        ("There are 2 million rows", "There are 2,000,000 rows"),
        ("The rent is $1.5k", "The rent is 1,500 dollars"),
        ("Twenty-five hosts are up", "25 hosts are up"),
    ],
)
def test_literals_are_compared_by_value(left, right):
    for one, two in ((left, right), (right, left)):
        assert compare(one, two).verdict is Verdict.SAME


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The meeting is at 7 am", "The meeting is at 19:00"),
        ("The disk holds 2 TB", "The disk holds 2 TiB"),
        ("The link has 5 Mb", "The link has 5 MB"),
        ("The shop runs version 2.3", "The shop runs version 2.30"),
        ("The shop runs version 2.3", "The shop runs version 2.3.1"),
        ("A dozen workers run", "Dozens of workers run"),
        ("The job runs for an hour", "The job runs for one day"),
    ],
)
def test_other_values_are_not_the_same(left, right):
    for one, two in ((left, right), (right, left)):
        assert compare(one, two).verdict is not Verdict.SAME


def test_one_is_not_several_unless_it_stands_for_all():
    assert compare("A dog guards the house", "Dogs guard the house").verdict is Verdict.UNSURE
    assert compare("The dog guards no house", "The dog guards no houses").verdict is Verdict.SAME
    assert compare("Every test passes", "All tests pass").verdict is Verdict.SAME


GENERAL = [
    ("I have no pets", "I have a dog"),
    ("I don't eat meat", "I eat red meat in winter"),
    ("My brother has no car", "My brother has a red car"),
    ("The user does not use Docker", "The user uses Docker for tests"),
    ("We don't use databases", "We use Postgres"),
    ("I have no siblings", "I have a sister called Nora"),
    ("There are no tests", "There are two slow tests"),
    ("I don't eat meat or fish", "I eat fish"),
    ("We use neither npm, yarn nor pnpm for the shop", "We use yarn for the shop"),
]
NOT_OF_ITS_KIND = [
    ("I have no pets", "I have a picture of a dog"),
    ("I have no dog", "I have a dog house"),
    ("I have no dog", "I have a toy dog"),
    ("I have no dog", "I have a pet"),
    ("I have no pets", "My sister has a dog"),
    ("I have no pets", "I had a dog"),
    ("I have no pets", "I want a dog"),
    ("I have no pets", "If I have a dog, I walk"),
    ("I don't like pets", "I like my dog"),
    ("The server does not use the cache", "The server uses the shared cache"),
    ("Not all users have pets", "The users have dogs"),
    ("I don't eat meat or fish", "I eat cheese"),
    ("I eat meat or fish", "I don't eat fish"),
    ("I don't eat meat or fish", "You eat fish"),
    ("I don't drink coffee after five", "I drink coffee"),
]


@pytest.mark.parametrize(("denied", "said"), GENERAL)
def test_a_denial_of_the_general_denies_the_special(denied, said):
    for one, two in ((denied, said), (said, denied)):
        assert compare(one, two).verdict is Verdict.OPPOSITE


@pytest.mark.parametrize(("denied", "said"), NOT_OF_ITS_KIND)
def test_a_denial_of_the_special_denies_no_other_thing(denied, said):
    for one, two in ((denied, said), (said, denied)):
        assert compare(one, two).verdict is not Verdict.OPPOSITE


PARTS = [
    ("We use tabs, not spaces", "We use spaces"),
    ("Given the delay, the launch is not on Monday, as planned", "The launch is on Monday"),
    ("Our office (the new one) is not open", "Our office is open"),
    ("For example, the budget does not grow", "The budget grows"),
]
NOT_ASSERTED = [
    ("In Berlin, we do not ship food", "We ship food"),
    ("If it rains, we do not run", "We run"),
    ("We use tabs, not spaces", "We use tabs"),
    ("We use tabs, not spaces", "We do not use spaces"),
    ("At night, the office (the new one) is not open", "The office is open"),
]


@pytest.mark.parametrize(("text", "said"), PARTS)
def test_a_part_that_is_asserted_by_itself_can_deny(text, said):
    for one, two in ((text, said), (said, text)):
        assert compare(one, two).verdict is Verdict.OPPOSITE


@pytest.mark.parametrize(("text", "said"), NOT_ASSERTED)
def test_a_part_that_is_not_asserted_denies_nothing(text, said):
    for one, two in ((text, said), (said, text)):
        assert compare(one, two).verdict is not Verdict.OPPOSITE


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The tool reads JSON and writes YAML", "The tool writes YAML and reads JSON"),
        ("The Egyptian office is open", "The office of Egypt is open"),
        ("We sit next to the wooden door", "We sit beside the wood door"),
    ],
)
def test_the_same_in_other_turns_of_phrase(left, right):
    assert compare(left, right).verdict is Verdict.SAME


def test_what_is_read_is_not_what_is_written():
    one, two = "The tool reads JSON and writes YAML", "The tool reads YAML and writes JSON"
    assert compare(one, two).verdict is Verdict.UNSURE
