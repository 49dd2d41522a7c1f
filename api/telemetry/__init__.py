"""What users asked and did not get, for who runs the server."""
