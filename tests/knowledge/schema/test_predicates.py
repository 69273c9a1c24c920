"""What follows from the declaration of predicates."""

from cairn.knowledge.schema import predicates
from cairn.knowledge.schema.predicates import OBSERVED_TYPES, PREDICATES


def test_each_is_declared_once_and_its_object_is_of_a_kind_that_there_is() -> None:
    names = [each.name for each in PREDICATES]
    assert len(names) == len(set(names))
    kinds = {predicates.SENTENCE, predicates.VALUE, predicates.COMMAND, predicates.WORD}
    assert {each.object for each in PREDICATES} <= kinds | OBSERVED_TYPES


def test_an_event_has_a_name_and_is_no_sentence() -> None:
    lines = {predicates.WITHDRAWS}  # of which a line that stands is the other half
    assert predicates.STRUCTURAL_PREDICATES - lines < predicates.NAME_PREDICATES
    assert not predicates.NAME_PREDICATES & predicates.FREE_STATEMENTS
    assert predicates.STATED_PREDICATES < predicates.FREE_STATEMENTS
    assert predicates.RELATING_EVENTS == "used_tool, mentions_path and targets_system"
    provable = {"discovery", "provides_solution", "identifies_issue", "asks"}
    assert provable == predicates.PROVABLE_PREDICATES
