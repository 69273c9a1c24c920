"""A call joined with its result: what was read before never stands in for another one."""

from cairn.knowledge.dialogue.tool_calls import steps
from cairn.knowledge.dialogue.turns import Turn


def turn(seq: int, kind: str, text: str, given: str | None = None, *, failed: bool = False) -> Turn:
    origin = "agent" if kind == "tool_call" else "tool"
    return Turn(
        f"r_{seq}", seq, kind, origin, text, "Bash" if given else None, given, "c", failed,
        None, False, None, None,
    )  # fmt: skip


def test_a_command_that_is_run_again_is_judged_by_its_own_result() -> None:
    call = turn(0, "tool_call", "", '{"command": "make test"}')
    for text, failed, worked in (
        ("3 passed", False, True),
        ("3 passed", True, False),
        ("AssertionError: 3 != 4", True, False),
        ("3 passed", False, True),
    ):
        (step,) = steps([call, turn(1, "tool_result", text, failed=failed)])
        assert (step.kind, step.worked) == ("run", worked)
        assert step.result is not None
        assert step.result.text == text


def test_what_was_read_before_keeps_the_call_that_asks() -> None:
    given = '{"command": "make lint"}'
    first, second = (steps([turn(seq, "tool_call", "", given)])[0] for seq in (4, 9))
    assert [first.call.seq, second.call.seq] == [4, 9]
    assert first.command == second.command == "make lint"
    assert first.worked is second.worked is None
