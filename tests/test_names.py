"""A name means one thing, and a room holds what one can look over."""

import re
from collections import Counter

from tests.places import ROOT

PACKAGES = ("assets", "cairn", "knowledge", "pipelines", "resources", "serving")


CLASS = re.compile(r"^\s*class (\w+)", re.MULTILINE)


def test_class_names_are_unique() -> None:
    names = Counter(
        name
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if package != "cairn" or path.parent == ROOT / "cairn"
        for name in CLASS.findall(path.read_text(encoding="utf-8"))
    )
    assert {name for name, count in names.items() if count > 1} == set()


MOST_MODULES = 20
ONE_EACH = {"serving/query"}
"""Where a module is a query, and there are as many as there are queries."""


def test_no_room_holds_more_than_one_can_look_over() -> None:
    rooms = {path.parent for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    sizes = {str(room.relative_to(ROOT)): len([*room.glob("*.py")]) - 1 for room in rooms}
    full = {name for name, size in sizes.items() if size > MOST_MODULES}
    assert full <= ONE_EACH, full
