"""Modules that GPU MODE's format promises to submissions and references: their text is handed to contestants."""
