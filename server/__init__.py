"""The service: REST API, database, the life of a submission, ranking."""
