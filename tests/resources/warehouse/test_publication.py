"""Manifests: readers see whole states, and what they see is kept."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cairn.knowledge.schema.tables import FUNNEL, WORK
from cairn.resources.home.home import open_home
from cairn.resources.warehouse.publication import (
    Manifest,
    forget_others,
    generations_in_use,
    manifests,
    namespaces,
    publish,
    published,
    read_published,
    versions_in_use,
)
from cairn.resources.warehouse.warehouse import Warehouse

NOON = datetime(2026, 2, 3, 12, tzinfo=UTC)


def _manifest(number: int, namespace: str = "me") -> Manifest:
    return Manifest(namespace, f"g{number}", {"funnel": number, "work": 2 * number}, NOON, NOON)


def test_the_last_three_are_kept_and_what_they_name_is_in_use(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    assert published(home, "me") is None
    for number in range(5):
        assert publish(home, _manifest(number))
    publish(home, _manifest(9, "you"))
    assert published(home, "me") == _manifest(4)
    assert manifests(home, "me") == [_manifest(4), _manifest(3), _manifest(2)]
    assert namespaces(home) == ["me", "you"]
    assert versions_in_use(home, "me") == {"funnel": {2, 3, 4}, "work": {4, 6, 8}}
    assert versions_in_use(home, "you") == {"funnel": {9}, "work": {18}}
    assert generations_in_use(home, "me") == {"g2", "g3", "g4"}
    forget_others(home, "me")
    assert manifests(home, "me") == [_manifest(4)]


def test_the_same_content_is_not_published_again(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    publish(home, _manifest(1))
    later = replace(_manifest(1), published_at=datetime(2026, 3, 1, tzinfo=UTC))
    assert not publish(home, later)
    assert manifests(home, "me") == [_manifest(1)]


def test_readers_see_their_namespace_as_it_was_published(tmp_path: Path) -> None:
    home, warehouse = open_home(tmp_path / "home"), Warehouse(tmp_path / "tables")

    def gates(rows_in: int) -> None:
        warehouse.write(
            FUNNEL,
            FUNNEL.frame(
                {"namespace": name, "stage": "s", "gate": "g", "rows_in": rows_in, "passed": 0,
                 "rejected": 0, "rate": 0.0}
                for name in ("me", "you")
            ),
        )  # fmt: skip

    gates(1)
    version = warehouse.version(FUNNEL, "me")
    assert version is not None
    publish(home, Manifest("me", None, {"funnel": version}, None, NOON))
    gates(2)
    manifest = published(home, "me")
    assert manifest
    seen = read_published(warehouse, manifest, FUNNEL, columns=["namespace", "rows_in"]).collect()
    assert seen.rows() == [("me", 1)]
    warehouse.write(WORK, WORK.empty())
    assert read_published(warehouse, manifest, WORK).collect().equals(WORK.empty())


def test_a_namespace_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    with pytest.raises(ValueError, match="namespace"):
        publish(home, _manifest(1, "../me"))
