"""A guard between an agent and its tools: no call runs that the chain did not permit."""
