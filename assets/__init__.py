"""The stages as Dagster assets, one module each, named as they stand in the data's way."""
