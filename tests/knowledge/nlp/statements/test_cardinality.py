"""Which statements fill a slot that holds one value at a time."""

import pytest

from cairn.knowledge.nlp.statements.cardinality import Filled, filled
from cairn.knowledge.schema.policy import Policy


def read(statement, policy=Policy(), predicate="states"):  # noqa: B008  frozen
    return filled(predicate, statement.lower(), statement, policy)


@pytest.mark.parametrize(
    "said",
    [
        ("I live in Berlin.", "The user lives in Rome now."),
        ("I work at Acme Corp.", "I work for Globex."),
        ("My name is Anna.", "My name is Hannah."),
        ("My name is Anna and I'm glad to be here.", "Hi, my name is Hannah, and I'll explain."),
        ("My favourite editor is Vim.", "My favorite editor is Helix"),
        ("Vim is my favourite editor.", "My favourite editor is Helix."),
        ("Trunk is the default branch.", "The default branch is main."),
        ("Our default branch is main.", "From now on, the default branch is `trunk`."),
        ("The API server runs on port 8080.", "The API server listens on port 8443 now."),
        ("The version of Postgres is 15.", "The version of Postgres is 16.2."),
        ("The timeout is set to 30 seconds.", "The timeout is set to 1 minute."),
        ("The certificate expires on 2026-05-01.", "The certificate expires on 2027-05-01."),
        ("We use Python 3.12.", "We use Python 3.13 here."),
        ("The retry limit is 5.", "The retry limit is 8."),
        ("I am 34 years old.", "I'm 35 years old."),
        ("My moving day is 1 April.", "My moving day is 15 April now."),
        ("The review is on 1 April.", "The review is on 3 April."),
        ("The staging host is 10.0.0.4.", "The staging host is 10.0.0.5."),
        ("I prefer tabs over spaces.", "I now prefer spaces over tabs."),
        (
            "I prefer zstd over gzip for archives.",
            "From now on I prefer gzip to zstd for archives.",
        ),
    ],
)
def test_two_values_of_one_slot(said):
    one, two = map(read, said)
    assert one
    assert two
    assert one.slot == two.slot
    assert one.value != two.value


@pytest.mark.parametrize(
    "said",
    [
        "I like tea.",
        "I know Python 3.12 and Go.",
        "I have a cat.",
        "We use 3 servers.",
        "I lived in Berlin.",
        "I used to live in Berlin.",
        "I do not live in Berlin.",
        "If I live in Berlin, taxes are high.",
        "I want to live in Berlin.",
        "I would live in Berlin.",
        "I will live in Berlin.",
        "I live in Berlin and Rome.",
        "I live in Berlin and it rains, doesn't it?",
        "I live in a small flat.",
        "Do I live in Berlin?",
        "Anna says the default branch is trunk.",
        "The docs say that the default branch is trunk.",
        "The page shows the default branch is trunk.",
        "No other module — tests use Python 3.12.",
        "Maybe the default branch is trunk.",
        "I work at night.",
        "My default shell is not zsh.",
        "The default branch was main.",
        'The sign reads "I live in Berlin".',
        "I live in Berlin with Eva.",
        "I live in Berlin near the zoo.",
        "I live in Rome during the holidays.",
        "I work for Acme on weekdays.",
        "The timeout is set to 30 seconds for uploads.",
        "My manager is great.",
        "One of my favourite songs is Help.",
        "My job is stressful.",
        "My sister is called Nora.",
        "My friend's name is Tom.",
        "I prefer tabs.",
        "I prefer to work over night.",
        "I do not prefer tabs over spaces.",
        "I prefer tabs over spaces and short lines.",
    ],
)
def test_what_fills_no_slot(said):
    assert read(said) is None


def test_different_subjects_have_slots_of_their_own():
    slots = {
        read(said).slot
        for said in (
            "I live in Rome.",
            "The default branch is main.",
            "The default shell is zsh.",
            "The API server runs on port 80.",
            "The worker runs on port 80.",
            "We use Python 3.12.",
            "We use Node 22.",
            "The staging host is 10.0.0.4.",
            "The staging port is 8080.",
            "My deadline is 3 May.",
            "My birthday is 3 May.",
        )
    }
    assert len(slots) == 11
    assert read("My sister lives in Rome.") is None, "a sister is not the only one"


@pytest.mark.parametrize("said", ["I live in Berlin again.", "I live in Berlin at the moment."])
def test_that_it_is_so_again_is_no_other_value(said):
    assert read("I live in Berlin.") == read(said) == Filled("liv in *", "berlin")


@pytest.mark.parametrize(
    ("said", "again"),
    [
        ("The project version is 2.3.0.", "The project version is 2.3"),
        ("The project version is v2.3", "The project version is 2.3.0"),
        ("My height is 180 cm.", "My height is 1.80 m."),
        ("The price is 2.30", "The price is 2.3"),
        ("The rent is 1,250.00 euros.", "The rent is €1250."),
        ("The timeout is 30 s.", "The timeout is 0.5 minutes."),
        ("The interval is two hours", "The interval is 120 minutes"),
        ("The quota is 1024 MiB", "The quota is 1 GiB"),
        ("My weight is 70 kg", "My weight is 70.0 kilograms"),
    ],
)
def test_one_amount_or_version_is_one_value_however_it_is_written(said, again):
    assert read(said) == read(again) is not None


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("The project version is 2.3", "The project version is 2.30"),
        ("The project version is 2.3.0", "The project version is 2.3.1"),
        ("The project version is 2.3.0rc1", "The project version is 2.3.0"),
        ("We use Python 3.10", "We use Python 3.1"),
        ("The price is 2.30", "The price is 2.03"),
        ("The rent is 950 euros", "The rent is $950"),
        ("The timeout is 30 s", "The timeout is 30 ms"),
        ("The quota is 1024 MB", "The quota is 1 GB"),
        ("The size is 20 mm", "The size is 20 MB"),
        ("The limit is 10", "The limit is 100"),
    ],
)
def test_another_amount_or_version_is_another_value(said, other):
    assert read(said).slot == read(other).slot
    assert read(said).value != read(other).value


def test_a_setting_says_that_there_is_one_sister():
    one = Policy(single_valued=("sister be called *",))
    assert read("My sister is called Nora.", one) == Filled("sister be call *", "nora")


def test_the_entity_itself_is_no_subject():
    said = filled("states", "", "Anna lives in Rome.", Policy(), "Anna")
    assert said == read("I live in Rome.")


def test_settings_add_slots_and_take_them_away():
    said = "Our CI runs on Jenkins."
    assert read(said) is None
    assert read(said, Policy(single_valued=("ci run on *",))) == Filled("ci run on *", "jenkin")
    named = "My cat is called Tom."
    slot = read(named).slot
    assert read(named, Policy(many_valued=(slot,))) is None


def test_typed_predicates_hold_one_value_or_many():
    assert read("Rome", predicate="lives_in") == Filled("lives_in", "rome")
    assert read("Rome", predicate="knows") is None
    assert read("2.3.0", predicate="has_version") == read("v2.3", predicate="has_version")
    assert read("Rome", Policy(many_valued=("lives_in",)), "lives_in") is None


def test_what_is_preferred_of_two_is_preferred_of_these_two_and_for_that():
    slots = {
        read(said).slot
        for said in (
            "I prefer tabs over spaces.",
            "I prefer tabs over commas.",
            "I prefer tabs over spaces in Makefiles.",
        )
    }
    assert len(slots) == 3


def test_of_decisions_on_one_thing_the_latest_holds():
    first = read("Where should charts live? docs/, not assets/", predicate="decides")
    then = read("Where should charts live? assets/, not docs/", predicate="decides")
    assert first
    assert then
    assert (first.slot, first.value == then.value) == (then.slot, False)
    for_tides = read("Let's use JSON for the tide charts.", predicate="decides")
    later = read("Let's go with TOML for the tide charts instead", predicate="decides")
    assert for_tides
    assert later
    assert (for_tides.slot, for_tides.value == later.value) == (later.slot, False)
    assert read("Let's keep the monolith.", predicate="decides") is None
    assert read("Where should charts live? docs/") is None
