"""The lookup file of a namespace, made of what was just published."""

from cairn.knowledge.offers.lookup import READS, SCHEMA, TABLES, lookup
from cairn.knowledge.schema.identity import digest
from cairn.resources.context import State
from cairn.resources.lookup.file import stamp_of, write_lookup
from cairn.resources.warehouse.publication import Manifest, read_published


def make_lookup(state: State, manifest: Manifest) -> None:
    """Makes it anew where it is of other tables, of another Cairn, or gone."""
    versions = [f"{table.name}={manifest.tables.get(table.name)}" for table in READS]
    stamp = digest(SCHEMA, manifest.generation or "", state.policy.holdout_share, *versions)
    if stamp_of(state.home, manifest.namespace) == stamp:
        return
    reads = {
        table.name: read_published(state.warehouse, manifest, table).collect() for table in READS
    }
    rows = lookup(manifest.namespace, manifest.generation, reads, state.policy)
    write_lookup(state.home, manifest.namespace, TABLES, rows, stamp)
