"""Where tests find what they share."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The checkout."""

LABELLED = ROOT / "tests" / "knowledge" / "labelled"
"""Pairs and lines with what is right about each, written by people."""
