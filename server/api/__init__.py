"""The REST API: routers and schemas, one file a resource."""
