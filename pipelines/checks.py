"""Suites as blocking checks."""

import dagster as dg

CHECKS: list[dg.AssetChecksDefinition] = []
