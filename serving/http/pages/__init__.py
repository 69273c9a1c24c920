"""Pages for people: what the API tells, as HTML that needs no script; each has the same as JSON.

It uses the queries of models, and knows no table.
"""
