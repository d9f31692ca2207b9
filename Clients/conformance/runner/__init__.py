"""Plays cases to the client libraries, and whatever else looks at them from the outside."""
