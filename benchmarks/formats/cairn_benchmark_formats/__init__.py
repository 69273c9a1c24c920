"""Adapters of data sets that Cairn is measured on; nobody's logs look like these.

They are a plug-in like any other: installed beside Cairn, found by its entry points.
"""
