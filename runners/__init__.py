"""Everything that runs on a runner host: the judge, the contestant, the sandbox and the devices."""
