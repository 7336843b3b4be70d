"""Warm fork, namespaces, seccomp and limits: where a submission's code runs, and how it is kept there."""
