"""How a stage becomes an asset: batches, progress, partitions, plots.

It knows no stage by name.
"""
