"""The outside world: home, settings, warehouse, vector index, embedder."""
