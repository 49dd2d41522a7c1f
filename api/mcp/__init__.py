"""The Model Context Protocol: agents and editors search, read and ask the rules as tools."""
