"""What hooks are given, by agent: the fields that each documents, with what a test puts in."""

from typing import Any

Payload = dict[str, Any]

ODD = [
    b"", b"no json", b"[]", b"null", b"{", b"\xff\xfe\x00", b"1" * 100,
    b'{"hook_event_name": 7}', b'{"hook_event_name": "SessionStart"}',
    b'{"hook_event_name": "SessionStart", "session_id": "../../etc", "cwd": 7}',
    b'{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": {"a": 1}}',
    b'{"hook_event_name": "PostToolUseFailure", "session_id": "s", "error": [[[]]]}',
    b'{"hook_event_name": "SessionEnd", "session_id": "s", "transcript_path": "../x"}',
    b'{"hook_event_name": "Stop", "session_id": "s", "transcript_path": null}',
    b"[" * 100_000,
]  # fmt: skip
"""What is no payload of any agent, in one way or another."""


def claude_code(event: str, session: str, cwd: str, **more: Any) -> Payload:
    """As Claude Code 2.1 sends it."""
    return {
        "session_id": session,
        "transcript_path": f"{cwd}/{session}.jsonl",
        "cwd": cwd,
        "permission_mode": "default",
        "hook_event_name": event,
        **more,
    }


def codex(event: str, session: str, cwd: str, **more: Any) -> Payload:
    """As Codex 0.169 sends it."""
    return {
        "session_id": session,
        "turn_id": "t-1",
        "transcript_path": f"{cwd}/rollout-{session}.jsonl",
        "cwd": cwd,
        "hook_event_name": event,
        "model": "gpt-5",
        "permission_mode": "default",
        **more,
    }


def gemini_cli(event: str, session: str, cwd: str, **more: Any) -> Payload:
    """As Gemini CLI 0.61 sends it."""
    return {
        "session_id": session,
        "transcript_path": f"{cwd}/session-{session}.json",
        "cwd": cwd,
        "hook_event_name": event,
        "timestamp": "2026-11-24T10:00:00.000Z",
        **more,
    }


def cursor(event: str, session: str, cwd: str, **more: Any) -> Payload:
    """As Cursor 3.7 sends it."""
    return {
        "conversation_id": session,
        "generation_id": "g-1",
        "model": "default",
        "hook_event_name": event,
        "cursor_version": "3.7.21",
        "workspace_roots": [cwd],
        "user_email": None,
        "transcript_path": None,
        **more,
    }


def started(agent: str, session: str, cwd: str) -> Payload:
    """A session begins."""
    source = {"source": "startup"}
    match agent:
        case "claude-code":
            return claude_code("SessionStart", session, cwd, **source, model="opus")
        case "codex":
            return codex("SessionStart", session, cwd, **source)
        case "gemini-cli":
            return gemini_cli("BeforeAgent", session, cwd, prompt="Hello.")
        case _:
            return cursor("sessionStart", session, cwd, is_background_agent=False)


def failed(agent: str, session: str, cwd: str, command: str, output: str) -> Payload:
    """A command failed."""
    match agent:
        case "claude-code":
            return claude_code(
                "PostToolUseFailure", session, cwd, tool_name="Bash", tool_use_id="t-1",
                tool_input={"command": command}, error=f"Exit code 1\n{output}", is_interrupt=False,
            )  # fmt: skip
        case "codex":
            return codex(
                "PostToolUse", session, cwd, tool_name="Bash", tool_use_id="t-1",
                tool_input={"command": command}, tool_response=output,
            )  # fmt: skip
        case "gemini-cli":
            shown = {"llmContent": f"Output: {output}\nExit Code: 1", "returnDisplay": output}
            return gemini_cli(
                "AfterTool", session, cwd, tool_name="run_shell_command",
                tool_input={"command": command}, tool_response=shown,
            )  # fmt: skip
        case _:
            return cursor(
                "postToolUseFailure", session, cwd, tool_name="Shell", tool_use_id="t-1",
                tool_input={"command": command, "working_directory": cwd}, error_message=output,
                failure_type="error", duration=10, is_interrupt=False,
            )  # fmt: skip
