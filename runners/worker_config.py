"""Celery's configuration of a runner. Loaded by name, so that importing the worker reads no settings."""

from runners.host import host_settings

_settings = host_settings()

_queue = f"device.{_settings.device}"

broker_url = _settings.broker_url
broker_transport_options = {
    # Under the queue's own name, so that an access list can keep one device's runners from another's messages.
    "unacked_key": f"{_queue}.unacked",
    "unacked_index_key": f"{_queue}.unacked.index",
    "unacked_mutex_key": f"{_queue}.unacked.mutex",
    # Longer than any job: Redis gives a job that is not acknowledged for so long to the next runner, which drops it.
    "visibility_timeout": 6 * 3600,
    "socket_connect_timeout": 5.0,
    "socket_keepalive": True,
}
broker_connection_retry_on_startup = True
broker_connection_max_retries = None
task_serializer = "json"
accept_content = ["json"]
task_ignore_result = True
task_default_queue = _queue
# Early: leases in the database bring a lost job back.
task_acks_late = False
worker_pool = "solo"
worker_concurrency = 1
# No limit: a message whose acknowledgement met a broker that had just died counts as held for ever, and would take up a
# limit of one. The solo pool judges a message before it asks for the next in any case.
worker_prefetch_multiplier = 0
worker_enable_remote_control = False
worker_send_task_events = False
