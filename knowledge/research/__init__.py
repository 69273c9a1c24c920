"""What is to be searched for, what came of it, and what a person is told unasked.

It uses extraction and what is below it; tables of later stages it reads by name.
"""
