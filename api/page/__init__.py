"""The page: a form, the answer with its cards, and the vault to read. HTML made on the server."""
