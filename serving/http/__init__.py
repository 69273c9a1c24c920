"""The HTTP API: thin routes over what `serving` answers."""
