"""Readers: what rules cannot see, a model reads claim by claim."""
