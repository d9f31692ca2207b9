"""What `run` and `compare` share."""
