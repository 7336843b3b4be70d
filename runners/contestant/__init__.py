"""The untrusted half: what runs in the cell beside the submission. Nothing here is ever believed by the judge."""
