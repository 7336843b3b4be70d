"""Keeps cheats off the board: reads a submission's source and the judge's evidence, and decides what may rank."""
