"""The Dagster UI as its server sees it: what its buttons send, and what becomes of it.

Queries go to the code location of a home as they come from a browser; runs are executed at once,
in this process, and backfills as the daemon does it.
"""

import logging
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import dagster as dg
from dagster._core.definitions.reconstruct import ReconstructableJob
from dagster._core.execution.backfill import BULK_ACTION_TERMINAL_STATUSES, BulkActionStatus
from dagster._core.remote_origin import InProcessCodeLocationOrigin
from dagster._core.remote_representation.grpc_server_registry import GrpcServerRegistry
from dagster._core.test_utils import InProcessTestWorkspaceLoadTarget
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._daemon.backfill import execute_backfill_iteration
from dagster._grpc.server import GrpcServerCommand

from cairn.assets.engine.namespaces import make_known
from tests.pipelines.house import keep_connected
from tests.places import ROOT

DAEMON = logging.getLogger("cairn.tests.daemon")

ASSETS = """
query {
  assetNodes {
    assetKey { path }
    groupName
    jobNames
    configField { isRequired }
    repository { name location { name } }
    assetChecksOrError {
      ... on AssetChecks { checks { name canExecuteIndividually jobNames } }
    }
  }
}
"""

REQUIRED_TOO = """
query($keys: [AssetKeyInput!]!) { assetNodeAdditionalRequiredKeys(assetKeys: $keys) { path } }
"""

LAUNCH = """
mutation($params: ExecutionParams!) {
  launchPipelineExecution(executionParams: $params) {
    __typename
    ... on LaunchRunSuccess { run { id } }
    ... on InvalidSubsetError { message }
    ... on RunConfigValidationInvalid { errors { message } }
    ... on PythonError { message }
  }
}
"""

BACKFILL = """
mutation($params: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $params) {
    __typename
    ... on LaunchBackfillSuccess { backfillId }
    ... on PythonError { message }
  }
}
"""

FROM_UI = {"key": "dagster/from_ui", "value": "true"}
PARTITION = {"key": "dagster/partition", "value": "default"}
"""What a click names that is of one namespace; of many it is a backfill."""


@dataclass(frozen=True)
class Ui:
    """The buttons of the UI over one home."""

    instance: dg.DagsterInstance
    server: WorkspaceProcessContext

    def ask(self, query: str, **variables: Any) -> Mapping[str, Any]:
        """The answer to a query or a mutation."""
        # Takes a second, which each worker would spend.
        from dagster_graphql.test.utils import execute_dagster_graphql

        return execute_dagster_graphql(self.server.create_request_context(), query, variables).data

    @cached_property
    def assets(self) -> dict[str, Mapping[str, Any]]:
        """What the UI knows of each asset, by name."""
        found = self.ask(ASSETS)["assetNodes"]
        return {asset["assetKey"]["path"][0]: asset for asset in found}

    @property
    def groups(self) -> dict[str, list[str]]:
        """Names of assets by group."""
        found: dict[str, list[str]] = {}
        for name, asset in self.assets.items():
            found.setdefault(asset["groupName"], []).append(name)
        return found

    def checks(self, name: str) -> list[str]:
        """Checks of an asset that have a button of their own."""
        checks = self.assets[name]["assetChecksOrError"]["checks"]
        return [c["name"] for c in checks if c["canExecuteIndividually"] == "CAN_EXECUTE"]

    def materialize(self, *names: str) -> str:
        """What comes of "Materialize": SUCCESS, or why not."""
        if why := self.refusal(*names):
            return why
        job = self.job(*names)
        checks = [
            {"name": check["name"], "assetKey": {"path": [name]}}
            for name in names
            for check in self.assets[name]["assetChecksOrError"]["checks"]
            if job in check["jobNames"]
        ]
        return self._launch(job, names, checks)

    def refusal(self, *names: str) -> str:
        """What "Materialize" asks for before it starts anything; empty if for nothing."""
        required = self.ask(REQUIRED_TOO, keys=_keys(names))["assetNodeAdditionalRequiredKeys"]
        if required:
            return f"asks for {required} too"
        if any((self.assets[name]["configField"] or {}).get("isRequired") for name in names):
            return "asks for configuration"
        return ""

    def check(self, name: str, *checks: str) -> str:
        """What comes of "Execute" at checks of an asset."""
        asked = [{"name": check, "assetKey": {"path": [name]}} for check in checks]
        return self._launch(self.job(name), [], asked)

    def backfill(self, *names: str, tags: Mapping[str, str] = MappingProxyType({})) -> str:
        """What comes of "Launch backfill", with these tags added."""
        added = [{"key": key, "value": value} for key, value in tags.items()]
        params = {"tags": [FROM_UI, *added], "assetSelection": _keys(names), "fromFailure": False}
        params |= {"partitionNames": list(self.instance.get_dynamic_partitions("namespaces"))}
        launched = self.ask(BACKFILL, params=params)["launchPartitionBackfill"]
        if launched["__typename"] != "LaunchBackfillSuccess":
            return str(launched)
        backfill_id = launched["backfillId"]
        for _ in range(10):
            errors = [error for error in execute_backfill_iteration(self.server, DAEMON) if error]
            backfill = self.instance.get_backfill(backfill_id)
            if backfill is None or errors:
                return str(errors)
            if backfill.status in BULK_ACTION_TERMINAL_STATUSES:
                if backfill.status == BulkActionStatus.COMPLETED_SUCCESS:
                    return "SUCCESS"
                runs = self.instance.get_runs(dg.RunsFilter(tags={"dagster/backfill": backfill_id}))
                reasons = "; ".join(self._became(run.run_id) for run in runs)
                return f"{backfill.status.value}: {reasons}"
        return "goes on"

    def job(self, *names: str) -> str:
        """The first job that all these assets have in common."""
        first, *others = (self.assets[name]["jobNames"] for name in names)
        return next(job for job in first if all(job in other for other in others))

    def _launch(
        self,
        job: str,
        names: Sequence[str],
        checks: Sequence[Mapping[str, Any]],
    ) -> str:
        repository = next(iter(self.assets.values()))["repository"]
        params = {
            "mode": "default",
            "executionMetadata": {"tags": [FROM_UI, PARTITION]},
            "runConfigData": "{}",
            "selector": {
                "repositoryLocationName": repository["location"]["name"],
                "repositoryName": repository["name"],
                "pipelineName": job,
                "assetSelection": _keys(names),
                "assetCheckSelection": list(checks),
            },
        }
        launched = self.ask(LAUNCH, params=params)["launchPipelineExecution"]
        if launched["__typename"] != "LaunchRunSuccess":
            return str(launched)
        return self._became(launched["run"]["id"])

    def _became(self, run_id: str) -> str:
        run = self.instance.get_run_by_id(run_id)
        if run is None or run.status != dg.DagsterRunStatus.SUCCESS:
            return "\n".join([f"{run and run.status.value}", *_reasons(self.instance, run_id)])
        return "SUCCESS"


def _reasons(instance: dg.DagsterInstance, run_id: str) -> list[str]:
    reasons: list[str] = []
    for entry in instance.all_logs(run_id, of_type=dg.DagsterEventType.STEP_FAILURE):
        assert entry.dagster_event is not None
        error = entry.dagster_event.step_failure_data.error
        while error and error.cause:
            error = error.cause
        reasons.append(f"{entry.step_key}: {error.message if error else ''}")
    return reasons


def _keys(names: Sequence[str]) -> list[dict[str, list[str]]]:
    return [{"path": [name]} for name in names]


def forget_definitions() -> None:
    """Has runs load the definitions anew, of the home that CAIRN_HOME names by now."""
    # By this name Dagster loaded it for another home, in a test before.
    sys.modules.pop("definitions", None)
    # And so it keeps the job that it executed last, with the home and settings of then.
    ReconstructableJob.get_repository_definition.cache_clear()
    ReconstructableJob.get_definition.cache_clear()


@contextmanager
def opened_ui() -> Generator[Ui]:
    """The UI over the home that CAIRN_HOME names."""
    forget_definitions()
    definitions = LoadableTargetOrigin(
        python_file=str(ROOT / "pipelines" / "definitions.py"),
        attribute="defs",
        working_directory=str(ROOT),
    )
    with (
        dg.DagsterInstance.ephemeral() as instance,
        GrpcServerRegistry(
            # Serves no location: the only one is in this process, and the instance in its memory.
            instance_ref=None, server_command=GrpcServerCommand.API_GRPC, heartbeat_ttl=1,
            startup_timeout=1, wait_for_processes_on_shutdown=False,
        ) as registry,
        WorkspaceProcessContext(
            instance,
            InProcessTestWorkspaceLoadTarget(InProcessCodeLocationOrigin(definitions)),
            grpc_server_registry=registry,
        ) as server,
    ):  # fmt: skip
        keep_connected(instance)
        make_known(instance, ["default"])
        yield Ui(instance, server)
