"""Whether a run left nothing to do, noted so that the next one need not look for it again."""

import math
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib.metadata import entry_points
from typing import Any

from cairn.assets.pending.learning_candidates import finished_conversations
from cairn.knowledge.ingest.adapters import GROUP
from cairn.knowledge.schema.tables import CONVERSATIONS
from cairn.pipelines.planning.pending import is_pending, night_model_work_pending, owes
from cairn.resources.context import State
from cairn.resources.home.nothing_new import NothingNew, last_look, look, note_nothing_new
from cairn.resources.home.settings import old_settings
from cairn.resources.home.usage import midnight
from cairn.resources.limits.day import files_held_back
from cairn.resources.llm.verdict_limits import SuiteVerdicts
from cairn.resources.warehouse.publication import blocked_namespaces


def note_if_done(
    state: State,
    planned: Mapping[str, Any],
    totals: Sequence[Mapping[str, Any]],
    *,
    refused: int,
    earlier_answers: int,
    untouched: Collection[str] = (),
) -> None:
    """Notes that nothing is pending, if so it is and files alone decide it.

    Namespaces that are `untouched` since they were found as the last run left them are not looked
    at once more.
    """
    if not _told_by_files(state):
        return
    plugins = _plugins()
    with suppress(OSError):  # it is only not noted then
        # What changes from here on is seen by the next run to have changed.
        seen = look(state.home, plugins, last_look(state.home), untouched)
        if is_pending(state):
            return
        until = None
        if state.settings.model is not None:
            if night_model_work_pending(state) or not _all_finished(state):
                return
            until = (midnight(datetime.now(UTC)) + timedelta(days=1)).timestamp()
        found = NothingNew(seen, plugins, until, planned, totals, refused, earlier_answers)
        note_nothing_new(state.home, found)


def _told_by_files(state: State) -> bool:
    """Whether all that decides lies in files of this machine, and nothing waits for anything."""
    home = state.home
    return state.settings.is_local and not (
        state.searches  # they fall due
        or state.model_goes_on
        or state.model_waited < math.inf
        or blocked_namespaces(home)
        or any(SuiteVerdicts(home, name).any_broken for name in state.namespaces())
        or old_settings()  # each run warns of them
        or any(owes(own) for own in state.each())
        or files_held_back(state)  # until midnight
    )


def _all_finished(state: State) -> bool:
    """Whether no conversation comes to rest by time alone, to be judged by a model then."""
    held = state.warehouse.read(CONVERSATIONS, columns=["namespace"]).collect()
    return finished_conversations(state).height == held.height


def _plugins() -> list[str]:
    """Files of adapters that are not ours, with all that came of their packages."""
    packages = {entry.module.partition(".")[0] for entry in entry_points(group=GROUP)}
    found = {
        file
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in packages and (file := getattr(module, "__file__", None))
    }
    return sorted(found)
