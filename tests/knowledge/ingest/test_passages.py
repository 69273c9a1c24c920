"""What is long is found by passages: nothing between them is lost."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from cairn.knowledge.ingest.sessions import LONGEST_PART, PASSAGE, cut_at_sentence, with_passages

SHOWN = 1_200
WORDS = st.lists(
    st.sampled_from(["kettle", "runs", "at night.", "Why?", "\n", "Tür", "喷气。", "x" * 700]),
    max_size=600,
).map(" ".join)


def passages(request: str, answer: str = "", errors: str = "") -> tuple[str, list[str]]:
    """The text of an episode, and its passages."""
    whole = pl.concat_str("request", "answer", pl.lit(errors), separator="\n").str.strip_chars()
    told = pl.DataFrame({"request": [request], "answer": [answer]})
    made = with_passages(told.with_columns(text=cut_at_sentence(whole, SHOWN)))
    return made["text"][0], (made["passages"].to_list()[0] or [])


@given(WORDS, WORDS)
def test_text_and_passages_are_the_request_and_the_answer(request: str, answer: str) -> None:
    text, found = passages(request, answer)
    said = f"{request[:LONGEST_PART]}\n{answer[:LONGEST_PART]}"
    assert "".join("".join([text, *found]).split()) == "".join(said.split())
    assert all(0 < len(passage) <= PASSAGE for passage in found)


def test_what_the_text_says_whole_has_no_passages() -> None:
    assert passages("Why?", "A loose cable.", "Error: no carrier") == (
        "Why?\nA loose cable.\nError: no carrier", [],
    )  # fmt: skip


def test_a_long_paste_leaves_room_for_the_answer() -> None:
    _, found = passages("a line of a log.\n" * 9_000, "It was the cable.")
    assert found[-1].endswith("It was the cable.")
    assert len(found) < 2 * LONGEST_PART / PASSAGE
