"""What there is to know about: tables, predicates, settings of policy, ids and times.

Everything else in knowledge stands on it. It uses no other room.
"""
