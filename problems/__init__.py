"""The problem format and the library of problems."""
