"""The router's pure rules: what a prompt confirms, and which of the two agents it goes to."""
