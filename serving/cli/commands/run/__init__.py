"""Commands for whoever runs Cairn."""
