"""Knowledge in three layers: profiles of entities, pieces, and the graph between entities."""
