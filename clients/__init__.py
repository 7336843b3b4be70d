"""Clients of KernelCup: a Python SDK and the command `kernelcup`.

They know the REST API and nothing else of ours.
"""
