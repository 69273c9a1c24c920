"""Key lines and signatures: each family of tools, what is no error, stable and bounded in time."""

# ruff: noqa: E501  (an output is as long as it is)

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.knowledge.failures.examples import EXAMPLES, NOISE, FailureExample
from cairn.knowledge.failures.signatures import alike, failure_lines, is_generic, signature
from cairn.knowledge.failures.tool_families import FAMILIES


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: f"{each.family}-{each.command}")
def test_the_key_line_of_a_tool_is_found_with_its_signature(example: FailureExample) -> None:
    first = failure_lines(example.output, example.command)[0]
    assert (first.family, first.signature) == (example.family, example.signature)
    assert signature(first.signature) == first.signature


@pytest.mark.parametrize(("command", "output"), NOISE)
def test_what_is_printed_by_green_runs_is_no_key_line(command: str, output: str) -> None:
    assert failure_lines(output, command) == []


def test_each_family_that_the_issue_names_has_an_example() -> None:
    shown = {example.family for example in EXAMPLES}
    assert {family.name for family in FAMILIES} - shown <= {"esbuild", "hook"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/home/ada/x/tide.py:3:8: F401 `os` imported but unused", "C:/w/tide.py:90:1: F401 `re` imported but unused"),
        ("OSError: [Errno 28] at 2026-03-01T10:00:00Z in /tmp/a1b2c3d4e5", "OSError: [Errno 5] at 2025-01-09T23:59:59Z in /var/b0c1d2e3f4"),
        ("fatal: bad object 9f8e7d6c5b4a39281706", "fatal: bad object 0a1b2c3d4e5f60718293"),
    ],
)  # fmt: skip
def test_a_signature_is_the_same_on_other_machines_and_runs(one: str, other: str) -> None:
    assert signature(one) == signature(other)


def test_codes_of_errors_and_names_of_versions_stay() -> None:
    assert signature("error[E0433]: failed to resolve") == "error[E0433]: failed to resolve"
    assert signature("error TS2304: no utf8 for int64") == "error TS2304: no utf8 for int64"


def test_what_many_errors_say_is_generic_and_near_ones_agree_in_their_words() -> None:
    assert is_generic("AssertionError: assert {n} == {n}")
    assert not is_generic("no gauge called {name}")
    assert alike("no gauge called {name} in {path}", "no gauge called {n} in {name}")
    assert not alike("no gauge called {name}", "no quay called {name}")


@given(st.text(max_size=300))
def test_a_signature_has_itself(line: str) -> None:
    assert signature(signature(line)) == signature(line)


@pytest.mark.parametrize(
    "text", ["a", "/", "a/", "'", ":1", "(", "error: ", " ", "a.", "0a", "[", "E  "]
)
def test_hostile_text_is_read_in_no_time(text: str) -> None:
    begin = time.process_time()
    failure_lines(text * (20_000 // len(text)), "go test")
    failure_lines("\n".join([text * 200] * 50), "pytest")
    signature(text * (20_000 // len(text)))
    assert time.process_time() - begin < 3
