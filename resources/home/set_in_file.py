"""One setting, set in the home's cairn.toml; whatever else stands there stays as it is."""

import json
import re
import tomllib

from cairn.resources.home.atomic_files import replace_file
from cairn.resources.home.home import Home
from cairn.resources.home.settings import FILE, ConfigError

_HEADER = re.compile(r"\s*\[")


def set_in_file(home: Home, table: str, name: str, value: str) -> None:
    """Sets `name` in a table of the home's file, which is made if there is none.

    Raises:
        ConfigError: the file is written in a way that this cannot change; it says what to write.
    """
    file = home.root / FILE
    text = file.read_text("utf-8") if file.exists() else ""
    own = f"{name} = {json.dumps(value, ensure_ascii=False)}"
    lines = text.splitlines()
    header = re.compile(rf"\s*\[\s*{table}\s*\]")
    begin = next((at + 1 for at, line in enumerate(lines) if header.match(line)), None)
    if begin is None:
        lines += [f"[{table}]", own]
    else:
        end = next((at for at in range(begin, len(lines)) if _HEADER.match(lines[at])), len(lines))
        is_it = re.compile(rf"\s*{name}\s*=")
        at = next((at for at in range(begin, end) if is_it.match(lines[at])), None)
        lines[begin if at is None else at : begin if at is None else at + 1] = [own]
    changed = "\n".join(lines) + "\n"
    try:
        wanted = tomllib.loads(text)
        wanted.setdefault(table, {})[name] = value
        ok = tomllib.loads(changed) == wanted
    except (tomllib.TOMLDecodeError, AttributeError):
        ok = False
    if not ok:
        raise ConfigError(f"{file} cannot be changed here: write `{table}.{own}` there yourself")
    replace_file(file, changed.encode())
