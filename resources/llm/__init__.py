"""A language model that answers once: cache, budget, breaker, prices, the provider.

It uses home and telemetry.
"""
