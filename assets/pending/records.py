"""Records: the files that are to be taken in."""

from cairn.knowledge.schema.tables import SOURCE_FILES
from cairn.resources.context import State
from cairn.resources.home.log_files import LogFile, changed
from cairn.resources.home.sources import files_there


def changed_files(state: State) -> list[LogFile]:
    """Files of the registered sources and of the inbox that are new or differ, newest first."""
    known = state.warehouse.read(SOURCE_FILES).collect()
    return changed(files_there(state.home, state.namespace), known)
