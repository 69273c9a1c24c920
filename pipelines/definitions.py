"""The code location: the graph over the home that the environment names."""

from cairn.pipelines.assembly import definitions
from cairn.resources.context import open_state

state = open_state()
state.home.dagster_environment()

defs = definitions(state)
