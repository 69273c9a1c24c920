"""What works here: how the commands of a project are run, whether they pass, which are in force.

It uses dialogue, failures, the shell's grammar of nlp, engine and schema.
"""
