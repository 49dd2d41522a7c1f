VERSION = "1.0.0"  # as in pyproject.toml
