"""What of isolation and quiet timing a host has, and what to change: behind `kernelcup doctor` and the registration."""
