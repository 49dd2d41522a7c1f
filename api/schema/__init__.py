"""What goes over HTTP, a file a subject."""
