"""Every change of the graph shows in graph.txt, to be read before it is taken.

    .venv/bin/python -m tests.pipelines.test_graph

writes it anew.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from cairn.knowledge.assembly.run import RUN, STEPS
from cairn.knowledge.schema.tables import TABLES
from cairn.pipelines.assembly import definitions
from cairn.pipelines.follow import MAKERS
from cairn.pipelines.graph import ASSETS, BOOKS, PHASES
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings

SNAPSHOT = Path(__file__).parent / "graph.txt"


def described(folder: Path) -> str:
    """The graph as text: assets with parents and checks, jobs, and what starts them."""
    defs = definitions(State(open_home(folder), Settings()))
    return "\n".join([*_assets(defs), "", *_jobs(defs), "", *_starters(defs), ""])


def _assets(defs: dg.Definitions) -> Iterator[str]:
    graph = defs.resolve_asset_graph()
    for key in sorted(graph.get_all_asset_keys()):
        node = graph.get(key)
        yield f"asset {key.to_user_string()} ({node.group_name})"
        if node.parent_keys:
            names = sorted(parent.to_user_string() for parent in node.parent_keys)
            yield f"    from {', '.join(names)}"
        for check in sorted(node.check_keys, key=lambda check: check.name):
            blocks = "blocks" if graph.get(check).blocking else "warns"
            yield f"    check {check.name} ({blocks})"


def _jobs(defs: dg.Definitions) -> Iterator[str]:
    for job in sorted(defs.resolve_all_job_defs(), key=lambda job: job.name):
        if not job.name.startswith("__"):
            steps = [node.name for node in job.graph.nodes_in_topological_order]
            yield f"job {job.name}"
            yield f"    {', '.join(sorted(steps))}"


def _starters(defs: dg.Definitions) -> Iterator[str]:
    repository = defs.get_repository_def()
    for schedule in repository.schedule_defs:
        yield f"schedule {schedule.name}: {schedule.cron_schedule} -> {schedule.job_name}"
    for sensor in repository.sensor_defs:
        jobs = ", ".join(target.job_name for target in sensor.targets)
        yield f"sensor {sensor.name}: every {sensor.minimum_interval_seconds} s -> {jobs}"


def test_a_group_is_seen_at_a_glance() -> None:
    """At most ten tables each, of which the UI draws one box."""
    groups = Counter(
        group for asset in ASSETS for group in asset.group_names_by_key.values() if group
    )
    assert len(groups) == 10
    assert {name: count for name, count in groups.items() if count > 10} == {}


def test_the_graph_is_as_it_was_read(tmp_path: Path) -> None:
    assert described(tmp_path / "home") == SNAPSHOT.read_text()


def test_every_table_is_an_asset_with_columns_and_a_grain(tmp_path: Path) -> None:
    graph = definitions(State(open_home(tmp_path / "home"), Settings())).resolve_asset_graph()
    for name, table in TABLES.items():
        node = graph.get(dg.AssetKey(name))
        assert node.description == table.about
        assert "dagster/column_schema" in node.metadata or name == "extractors"


def test_the_graph_is_the_run_that_is_declared(tmp_path: Path) -> None:
    graph = definitions(State(open_home(tmp_path / "home"), Settings())).resolve_asset_graph()
    assert [part for parts in PHASES.values() for part in parts] == list(STEPS)
    order = {name: place for place, name in enumerate(STEPS)}
    made_by = {table.name: step.name for step in RUN for table in step.writes}
    for step in RUN:
        names = [table.name for table in step.writes] or [step.name]
        (asset,) = {graph.get(dg.AssetKey(name)).assets_def for name in names}
        assert step.name in PHASES[asset.op.name]
        below = {parent.to_user_string() for name in names
                 for parent in graph.get(dg.AssetKey(name)).parent_keys} - set(names)  # fmt: skip
        if step.writes:
            assert below - {"extractors"} == {table.name for table in step.reads} - set(names)
        assert all(order[made_by[name]] < order[step.name] for name in below & made_by.keys())
        assert (step.name in MAKERS) == (step.stage is None)
    made = {key.to_user_string() for key in graph.get_all_asset_keys()}
    books = {table.name for table in BOOKS}
    assert made - made_by.keys() == {*books, "maintenance", "publication"}


def test_a_run_is_a_few_steps_whatever_it_makes(tmp_path: Path) -> None:
    defs = definitions(State(open_home(tmp_path / "home"), Settings()))
    job = defs.resolve_job_def("update")
    assert {node.name for node in job.graph.nodes} == {*PHASES, "publication_is_published"}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        SNAPSHOT.write_text(described(Path(folder) / "home"))
