"""What homes share: snapshots of a namespace in a folder or an object store, and who may add one.

May use home, processes, llm, lookup, telemetry and warehouse.
"""
