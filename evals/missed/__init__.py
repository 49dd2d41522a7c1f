"""What users asked and did not get, as drafts of questions for the gate."""
