"""Processes that answer: sockets, connections, workers, logging.

It uses no other room of serving.
"""
