"""What speaks against a statement though it lies close to it."""

import pytest

from cairn.knowledge.nlp.statements.negation import contradicts

SAYS = "I like strong coffee in the morning"


@pytest.mark.parametrize(
    ("text", "against"),
    [
        ("I dislike strong coffee in the morning.", True),
        ("Good morning! I do not like strong coffee in the morning. Tea is fine.", True),
        ("I like strong coffee in the morning.", False),
        ("I like strong coffee in the morning. I do not like strong coffee in the morning.", False),
        ("Do I dislike strong coffee in the morning?", False),
        ("I do not like meetings in the morning.", False),
        ("", False),
    ],
)
def test_a_denial_is_against_it_and_a_question_is_not(text: str, against: bool) -> None:
    assert contradicts(text, SAYS) is against


def test_another_value_is_against_it() -> None:
    said = "The API listens on port 8080"
    assert contradicts("The API listens on port 9090.", said)
    assert not contradicts("The web site listens on port 9090.", said)
