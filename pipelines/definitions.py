"""The code location: the graph over the home that the environment names."""

from pipelines.assembly import definitions
from resources.context import open_state

state = open_state()
state.home.dagster_environment()

defs = definitions(state)
