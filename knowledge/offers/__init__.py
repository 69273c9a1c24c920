"""What is offered to an agent that did not ask, and whether it helped.

It uses practices, failures, consolidation and what is below them.
"""
