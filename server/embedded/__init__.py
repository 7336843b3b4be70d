"""The whole service on one machine, started by one command: SQLite, Valkey, API, workers and a CPU runner."""
