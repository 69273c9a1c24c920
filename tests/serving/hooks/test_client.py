"""The hook client: what is said at each moment of a session, and when it says nothing."""

import fcntl
import json
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cairn.integrations import hook_client
from cairn.integrations.agents import AGENTS, CLIENT
from cairn.knowledge.failures.examples import EXAMPLES
from cairn.knowledge.failures.signatures import SLOTTING, signature, slots
from cairn.knowledge.llm.fence import CLOSING, NOTICE, is_recalled
from cairn.knowledge.nlp.text import estimated_tokens
from cairn.knowledge.offers.lookup import BRIEF_TOKENS
from cairn.knowledge.schema.tables import RAW_LOGS
from cairn.pipelines import follow as run
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import note
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.write.deletion import reach, target
from tests.serving import two_namespaces
from tests.serving.hooks.conftest import Hook, offers
from tests.serving.hooks.payloads import ODD, claude_code, failed, started

ORCHARD = "/home/ada/code/orchard"
HARBOR = "/home/mira/code/harbor-backup"
MISSING = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'distutils'"
PRUNE = "uv run harbor prune --keep 7"


@pytest.mark.parametrize("agent", list(AGENTS))
def test_a_session_begins_with_the_brief_of_its_project(
    own_home: Path, hook: Hook, agent: str
) -> None:
    said = hook(own_home, started(agent, "s-1", f"{ORCHARD}/src"), agent=agent)
    assert (said.code, said.err) == (0, "")
    assert said.text.startswith(f'{NOTICE}\n<cairn-memory namespace="ada" generation="')
    assert said.text.endswith(CLOSING)
    assert "quincepress" in said.text
    assert estimated_tokens(said.text) <= BRIEF_TOKENS
    assert is_recalled(said.text), "it is known again where it comes back in a transcript"
    (offer,) = offers(own_home)
    assert (offer["agent"], offer["moment"], offer["session"]) == (agent, "start", "s-1")
    assert offer["project"] == "orchard"
    assert len(offer["shown"]) >= said.text.count("\n- ") > 0


def failing(hook: Hook, home: Path, agent: str = "claude-code") -> Callable[..., str]:
    """What is said in a session when a command failed with some output."""

    def said(session: str, output: str, folder: str = HARBOR) -> str:
        payload = failed(agent, session, folder, "uv run pytest", output)
        return hook(home, payload, agent=agent, namespace="samples").text

    return said


@pytest.mark.parametrize("agent", list(AGENTS))
def test_what_ended_an_error_comes_with_the_error_and_once(
    samples_home: Path, hook: Hook, agent: str
) -> None:
    said = failing(hook, samples_home, agent)
    told = said("s-2", MISSING)
    assert "In `src/harbor_backup/cli.py`" in told
    assert estimated_tokens(told) <= hook_client.LIMITS["failure"]
    assert said("s-2", MISSING) == "", "nothing is said twice in a session"
    hook(samples_home, started(agent, "s-5", HARBOR), agent=agent, namespace="samples")
    assert said("s-5", MISSING) == told, "though it stood in the brief: now it is needed"


def test_an_error_is_known_whoever_tells_it_and_is_that_of_a_name_and_a_project(
    samples_home: Path, hook: Hook
) -> None:
    said = failing(hook, samples_home)
    told = said("s-2", MISSING)
    assert said("s-3", f"3 passed\n{MISSING}\n1 failed") == told != ""
    assert said("s-4", MISSING.replace("distutils", "numpy")) == "", "it is for that name alone"
    with closing(sqlite3.connect(samples_home / "lookup" / "samples.sqlite")) as lookup:
        lookup.execute("""UPDATE errors SET names = '["distutils", "imp"]' WHERE names != '[]'""")
        lookup.commit()
    assert said("s-6", MISSING) == told, "though it ended that error for another name too"
    for number, line in enumerate(("E       ", "python: error: ", "[harbor] ")):
        shown = MISSING.replace("Module", f"{line}Module")
        assert said(f"s-7-{number}", shown) == told, "whoever tells it"
    assert said("s-6", MISSING.replace("distutils", "numpy")) == ""
    assert said("s-4", MISSING, "/home/mira/code/lantern-shop") == "", "or another project's"
    assert said("s-4", "Error: the quay has gone") == ""


def test_gemini_cli_has_the_brief_with_its_first_prompt(own_home: Path, hook: Hook) -> None:
    first = started("gemini-cli", "s-1", ORCHARD)
    assert "quincepress" in hook(own_home, first, agent="gemini-cli").text
    assert hook(own_home, first, agent="gemini-cli").text == ""


def test_cursor_is_told_once_and_always_in_json(own_home: Path, hook: Hook) -> None:
    """It runs the hooks of Claude Code too, and takes no word for a broken one."""
    payload = started("cursor", "s-1", ORCHARD)
    assert "quincepress" in hook(own_home, payload).text, "by those of Claude Code alone"
    assert "quincepress" in hook(own_home, payload, agent="cursor").text
    assert hook(own_home, payload).out == ""
    assert hook(own_home, b"no json", agent="cursor").out == "{}"
    assert hook(own_home / "none", payload, agent="cursor").out == "{}"


def test_two_namespaces_and_two_projects_never_see_each_others_lines(
    own_home: Path, hook: Hook
) -> None:
    theirs = two_namespaces.words("bo")
    prompt = claude_code(
        "UserPromptSubmit", "s-5", ORCHARD,
        prompt="The foghorn build of lighthouse fails: is the foghorn cache stale? Run its tests.",
    )  # fmt: skip
    asked = [
        started("claude-code", "s-5", ORCHARD),
        started("claude-code", "s-5", "/home/bo/code/lighthouse"),
        prompt,
        failed("claude-code", "s-5", ORCHARD, "make foghorn", "make: *** [foghorn] Error 1"),
    ]
    said = "".join(hook(own_home, payload).text for payload in asked)
    assert "quincepress" in said
    assert not [word for word in theirs if word in said]
    assert hook(own_home, started("claude-code", "s-6", "/srv/else")).text == ""


def test_a_worktree_of_a_project_is_that_project(
    own_home: Path, hook: Hook, tmp_path: Path
) -> None:
    tree = tmp_path / "tree" / "src"
    tree.mkdir(parents=True)
    (tree.parent / ".git").write_text(f"gitdir: {ORCHARD}/.git/worktrees/tree\n")
    assert "quincepress" in hook(own_home, started("claude-code", "s-7", str(tree))).text
    (tree.parent / ".git").write_text(f"gitdir: {tree.parent}/.git/worktrees/tree\n")
    assert hook(own_home, started("claude-code", "s-7", str(tree))).text == ""
    (tree.parent / ".git").write_text(f"gitdir: {tmp_path}/other/.git/worktrees/tree\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".git").write_text(f"gitdir: {ORCHARD}/.git/worktrees/other\n")
    said = hook(own_home, started("claude-code", "s-7", str(tree)))
    assert said.text == "", "a chain of links, which has no end where somebody means it so"


def test_one_in_ten_is_held_out_and_noted(own_home: Path, hook: Hook) -> None:
    for number in range(30):
        hook(own_home, started("claude-code", f"s-{number}", ORCHARD))
    noted = offers(own_home)
    held = sum(len(offer["held_out"]) for offer in noted)
    assert 0 < held < sum(len(offer["shown"]) for offer in noted) / 4
    (first, *_) = (offer for offer in noted if offer["held_out"])
    again = hook(own_home, started("claude-code", first["session"], ORCHARD))
    assert offers(own_home)[-1]["held_out"] == first["held_out"], "all through its session"
    assert len(first["shown"]) == again.text.count("\n- ")


def test_without_a_holdout_all_is_shown(own_home: Path, hook: Hook) -> None:
    state = State(open_home(own_home), Settings(policy={"holdout_share": 0.0}))
    run.follow(state.of("ada"), since="publication")
    for number in range(20):
        hook(own_home, started("claude-code", f"s-{number}", ORCHARD))
    assert not any(offer["held_out"] for offer in offers(own_home))


def test_what_was_offered_is_taken_in_makes_no_knowledge_and_is_forgotten_with_its_session(
    own_home: Path, hook: Hook
) -> None:
    state = State(open_home(own_home), Settings()).of("ada")
    before = state.warehouse.read(RAW_LOGS).collect()
    session = before.filter(kind="message")["conversation_id"][0]
    hook(own_home, started("claude-code", session, ORCHARD))
    hook(own_home, started("claude-code", "s-10", ORCHARD))
    run.follow(state, until="raw_logs")
    after = state.warehouse.read(RAW_LOGS).collect()
    new = after.join(before, on="record_id", how="anti")
    assert new.select("kind", "tool_name", "text", "origin").unique().rows() == [
        ("effect", "offer", "", "system")
    ]
    assert new.height == 2
    assert {offer["session"] for offer in offers(own_home)} == {session, "s-10"}
    note(state.home, reach(state, target(state, session, "ada")).event)
    run.follow(state, until="raw_logs")
    assert {offer["session"] for offer in offers(own_home)} == {"s-10"}


def _unreadable(home: Path) -> None:
    (home / "lookup" / "ada.sqlite").write_bytes(b"no database at all")


def _of_another_cairn(home: Path) -> None:
    with sqlite3.connect(home / "lookup" / "ada.sqlite") as lookup:
        lookup.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")


def _gone(home: Path) -> None:
    shutil.rmtree(home / "lookup")


def _full(home: Path) -> None:
    """What cannot be noted is not said: here a folder stands where the file would be."""
    shutil.rmtree(home / "inbox" / "ada", ignore_errors=True)
    (home / "inbox" / "ada").write_text("")


@pytest.mark.parametrize("breaks", [_unreadable, _of_another_cairn, _gone, _full])
def test_a_home_that_is_broken_ends_in_silence(own_home: Path, hook: Hook, breaks: object) -> None:
    assert callable(breaks)
    breaks(own_home)
    said = hook(own_home, started("claude-code", "s-9", ORCHARD))
    assert (said.code, said.out, said.err) == (0, "", "")
    log = own_home / "hooks" / "log.jsonl"
    if breaks is _gone:
        assert not log.exists(), "nothing is published yet: that is no fault"
    else:
        (entry,) = map(json.loads, log.read_text().splitlines())
        assert entry["moment"] == "start"
        assert entry["why"]
        assert "quincepress" not in log.read_text()


@pytest.mark.parametrize("payload", ODD)
def test_any_oddity_of_input_ends_in_silence(own_home: Path, hook: Hook, payload: bytes) -> None:
    said = hook(own_home, payload)
    assert (said.code, said.out, said.err) == (0, "", "")
    assert not (own_home / "hooks" / "queue.jsonl").exists()


def test_much_input_costs_no_time(own_home: Path, hook: Hook) -> None:
    payload = started("claude-code", "s-10", ORCHARD) | {"junk": "x" * 50_000_000}
    said = hook(own_home, payload)
    assert (said.code, said.out) == (0, "")
    output = "\n".join(f"line {number} of the log" for number in range(200_000))
    said = hook(own_home, failed("claude-code", "s-10", ORCHARD, "make", f"{output}\n{MISSING}"))
    assert (said.code, said.err) == (0, "")


def test_a_home_that_is_not_there_stays_so(tmp_path: Path, hook: Hook) -> None:
    home = tmp_path / "none"
    for payload in (
        started("claude-code", "s", ORCHARD), claude_code("SessionEnd", "s", str(tmp_path))
    ):  # fmt: skip
        said = hook(home, payload)
        assert (said.code, said.out, said.err) == (0, "", "")
    assert not home.exists()


def test_it_waits_for_nobody_beyond_its_deadline(own_home: Path, hook: Hook) -> None:
    with (own_home / "inbox" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        began = time.monotonic()
        said = hook(own_home, started("claude-code", "s-11", ORCHARD))
        taken = time.monotonic() - began
    assert (said.code, said.out) == (0, "")
    assert taken < 20, "it does not wait for the lock: that is never let go here"
    assert "the inbox is being written" in (own_home / "hooks" / "log.jsonl").read_text()
    # An agent that never closes the pipe is not waited for either.
    command = [sys.executable, "-I", "-S", CLIENT, "codex", own_home, "ada"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as waiting:
        assert waiting.wait(20) == 0


@pytest.mark.parametrize(("event", "queued"), [("SessionEnd", True), ("SessionStart", False)])
def test_of_an_agent_that_is_late_the_transcript_is_taken_and_nothing_said(
    own_home: Path, event: str, *, queued: bool
) -> None:
    given = {"hook_event_name": event, "session_id": "s-13", "cwd": ORCHARD,
             "transcript_path": "/srv/late.jsonl"}  # fmt: skip
    command = [sys.executable, "-I", "-S", CLIENT, "claude-code", own_home, "ada"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as late:
        time.sleep(hook_client.DEADLINE + 0.3)
        said, _ = late.communicate(json.dumps(given).encode())
    queue = own_home / "hooks" / "queue.jsonl"
    assert (said, late.returncode) == (b"", 0)
    assert (queue.exists() and "late.jsonl" in queue.read_text()) == queued


def test_a_command_is_warned_of_only_where_that_is_asked_for(
    samples_home: Path, hook: Hook
) -> None:
    asked = claude_code(
        "PreToolUse", "s-12", HARBOR, tool_name="Bash",
        tool_input={"command": PRUNE.replace(" ", "  ")},
    )  # fmt: skip
    assert hook(samples_home, asked, namespace="samples").text == ""
    warned = hook(samples_home, asked, "warn", namespace="samples")
    assert f"Refused before: Does not want `{PRUNE}`" in warned.text
    assert estimated_tokens(warned.text) <= hook_client.LIMITS["command"]
    assert "permissionDecision" not in warned.out, "it is a word, and no decision"


def test_a_prompt_brings_what_is_known_about_it_and_most_bring_nothing(
    samples_home: Path, hook: Hook
) -> None:
    def said(prompt: str, session: str = "s-13") -> str:
        payload = claude_code("UserPromptSubmit", session, HARBOR, prompt=prompt)
        return hook(samples_home, payload, namespace="samples").text

    told = said("Should the archives be gzip or zstd?")
    assert "- From now on I prefer gzip over zstd for the archives." in told
    assert "zstd over gzip" not in told, "that ended in March"
    assert estimated_tokens(told) <= hook_client.LIMITS["prompt"]
    assert said("zstd or gzip, for the archives?") == ""
    assert said("From now on I prefer gzip over zstd for the archives.", "s-16") == "", (
        "it is what was said"
    )
    routine = "Commit once uv run pytest has passed: which routine is that, test and commit?"
    assert "Routine" not in said(routine, "s-17"), "the brief has the commands"
    for prompt in ("thanks, go on", "Fix the tests.", "", "What is the weather in Lisbon?"):
        assert said(prompt, "s-14") == ""
    assert "explicit return types" not in said(
        "Explicit return types on exported functions?", "s-15"
    )


def test_a_transcript_is_queued_and_its_intake_started_once(
    own_home: Path, hook: Hook, tmp_path: Path
) -> None:
    mark = tmp_path / "began"
    code = f"open({str(mark)!r}, 'a').write('x'); import time; time.sleep(1)"
    program = [sys.executable, "-c", code]
    for _ in range(5):
        said = hook(own_home, claude_code("SessionEnd", "s-14", str(tmp_path)), "--", *program)
        assert (said.code, said.out, said.err) == (0, "", "")
    queue = (own_home / "hooks" / "queue.jsonl").read_text().splitlines()
    assert [json.loads(line)["path"] for line in queue] == [f"{tmp_path}/s-14.jsonl"] * 5
    deadline = time.monotonic() + 20
    while not mark.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)
    assert mark.read_text() == "x", "no pile of processes"


def test_it_slots_lines_as_the_lookup_was_made() -> None:
    slotting = hook_client.Slotting(json.loads(json.dumps(SLOTTING)))
    lines = [line for one in EXAMPLES for line in one.output.splitlines()]
    assert len(lines) > 90
    for line in lines:
        told, names = slotting.signature(line)
        assert (told, tuple(dict.fromkeys(names))) == (signature(line), slots(line))


def test_it_starts_with_little() -> None:
    """What it imports, it imports at each prompt of each session."""
    code = f"import sys; sys.argv = ['x']; sys.path.insert(0, {str(CLIENT.parent)!r})\n"
    code += "import hook_client; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"pathlib", "typing", "subprocess", "logging", "urllib", "argparse", "sqlite3", "uuid"}
    assert not heavy & set(done.stdout.split())
    assert CLIENT.stat().st_size < 28_000
