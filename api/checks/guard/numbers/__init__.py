"""Numbers: how they are written, what follows from others, and whether a line says them."""
