"""Where work is done: folders, checkouts and worktrees, and the projects that they belong to.

It uses what practices use.
"""
