"""How a stage becomes an asset: what is pending, batches, progress, partitions, plots.

It knows no stage by name.
"""
