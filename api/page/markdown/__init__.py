"""Markdown becomes HTML, every line of the file with its number, here and nowhere else."""
