"""The code location: the graph over the home that the environment names."""

from cairn.pipelines.assembly import definitions
from cairn.resources.context import open_state
from cairn.resources.telemetry.start import start

state = open_state()
state.home.dagster_environment()
start(state.home, state.settings, "dagster")

defs = definitions(state)
