"""Commands of `cairn`, one module each; a module defines `command`."""
