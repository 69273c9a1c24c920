"""What is asked and what is answered, declared once: `things`, `answers`, `parameters`, `queries`.

Uses query, retrieval, status and write; HTTP, MCP and the command line are made from it.
"""
