"""What a run leaves for people to look at: the page of one run, and of two side by side."""
