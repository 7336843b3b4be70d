"""The life of a submission: submit, dispatch, lease, record, decide, sweep, cancel."""
