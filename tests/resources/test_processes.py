"""Processes by name."""

import subprocess
import sys

from cairn.resources.processes import is_gone, process_name


def test_a_process_is_gone_once_it_has_ended_and_only_where_that_can_be_seen() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        name = process_name(child.pid)
        host, where, pid, start = name.split(":")
        assert not is_gone(name)
        # Its number was given to another process since.
        assert is_gone(f"{host}:{where}:{pid}:{int(start) - 1}")
        child.kill()
    assert is_gone(name)
    assert is_gone(f"{host}:{pid}")
    assert not is_gone(f"another-{host}:{where}:{pid}:{start}")
    assert not is_gone(f"{host}:another boot:{pid}:{start}")
    assert not is_gone(process_name())
    assert not is_gone("")
