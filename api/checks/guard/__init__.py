"""The guard: what an answer states must stand in the passages that it cites."""
