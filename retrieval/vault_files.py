"""Which files of a vault are rules: what ingest reads, and what an API compares with the index."""

SUFFIXES = (".md", ".markdown", ".mdx")  # in any letter case
ALIASES = "aliases.yaml"  # in any folder: what people call a thing, and what the rules call it
MAX_BYTES = 5_000_000  # a file; the parser's time and memory grow with it
