"""A name means one thing: no two classes of the product are called the same."""

import ast
from collections import Counter

from tests.places import ROOT

PACKAGES = ("assets", "cairn", "knowledge", "pipelines", "resources", "serving")


def test_class_names_are_unique() -> None:
    trees = (
        ast.parse(path.read_text(encoding="utf-8"))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if package != "cairn" or path.parent == ROOT / "cairn"
    )
    names = Counter(
        node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    assert {name for name, count in names.items() if count > 1} == set()
