"""What keeps a Delta table small: few files, and none that no version in use needs."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from deltalake.exceptions import DeltaError

from cairn.resources.home.atomic_files import sync_folder
from cairn.resources.warehouse.delta import CONFIGURED, HOOKS, Delta, opened, written_as

SMALL_FILES = 32
"""More files than this beside one per partition, and the night compacts a table."""
LOG_RETENTION = timedelta(days=29)
"""A day less than Delta keeps log entries: what is older may be cleaned away."""


def vacuumed(
    uri: str,
    name: str,
    keep: Collection[int],
    retention: timedelta,
) -> int:
    """Compacts small files, writes a checkpoint, removes what no version in use needs.

    Args:
        uri: Where the table is; nothing happens if it is not there.
        name: What it is called.
        keep: Versions that stay readable.
        retention: How long other versions stay.

    Returns:
        Files removed.
    """
    stored = opened(uri)
    if stored is None:
        return 0
    if CONFIGURED.items() - stored.metadata().configuration.items():  # made by an older version
        stored.alter.set_table_properties(CONFIGURED, post_commithook_properties=HOOKS)
    files = stored.file_uris()
    if len(files) > SMALL_FILES + len({uri.rpartition("/")[0] for uri in files}):
        stored.optimize.compact(
            writer_properties=written_as(name), post_commithook_properties=HOOKS
        )
    kept = sorted(version for version in keep if version <= stored.version())
    which: dict[str, Any] = {
        "retention_hours": int(retention.total_seconds() // 3600),
        "enforce_retention_duration": False,
        "full": True,
        "keep_versions": kept,
    }
    # Delta goes on listing what is long removed, and even an empty vacuum makes versions.
    listed = stored.vacuum(dry_run=True, **which)
    folder = Path(uri)
    removed = [file for file in listed if (folder / file).exists()]
    if removed:
        stored.vacuum(dry_run=False, post_commithook_properties=HOOKS, **which)
    stored.create_checkpoint()
    if not kept or _committed_at(uri, kept[0]) > datetime.now(UTC) - LOG_RETENTION:
        stored.cleanup_metadata()
    return len(removed)


def purged(uri: str, keep: Collection[int]) -> int:
    """Removes all that no version to keep needs, at once.

    The log tells the least and greatest values of columns for each file that ever was: its entries
    go too, up to a checkpoint of the oldest version that is kept.

    Args:
        uri: Where the table is, which is there.
        keep: Versions that stay readable, at least one.

    Returns:
        Files of rows removed.
    """
    stored = Delta(uri)
    removed = stored.vacuum(
        dry_run=False,
        retention_hours=0,
        enforce_retention_duration=False,
        full=True,
        keep_versions=sorted(keep),
        post_commithook_properties=HOOKS,
    )
    folder = Path(uri) / "_delta_log"
    oldest = min(keep)
    Delta(uri, version=oldest).create_checkpoint()
    for file in sorted(folder.iterdir()):
        version = file.name.partition(".")[0]
        if version.isdecimal() and int(version) < oldest:
            file.unlink()
    sync_folder(folder)
    return len(removed)


def _committed_at(uri: str, version: int) -> datetime:
    """When a version was committed; long ago if its log entry is no longer there."""
    try:
        stored = opened(uri, version=version)
        moment = stored.history(1)[0]["timestamp"] if stored else 0
    except (DeltaError, IndexError, KeyError):
        moment = 0
    return datetime.fromtimestamp(moment / 1000, UTC)
