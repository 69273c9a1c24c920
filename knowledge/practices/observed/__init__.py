"""What calls tell of a project beside its tasks: versions, commits, branches, ports, systems.

Each module reads one call, or one working folder, by rules; `observations` makes the table of them.
It uses what `practices` says of commands and folders.
"""
