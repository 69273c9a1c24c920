"""Checks of assets: invariants, expectations, balances, goals, equality with a rebuild.

They read what assets wrote.
"""
