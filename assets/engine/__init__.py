"""How a stage is run and shown: batches, progress, plots.

It knows no stage by name.
"""
