"""The commands of `kernelcup` that need nothing but the REST API."""
