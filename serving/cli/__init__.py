"""The command line: options, tables on a terminal, one module per command.

It uses every room of serving.
"""
