"""Commands that keep answering until they are stopped."""
