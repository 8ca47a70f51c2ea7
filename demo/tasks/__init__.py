"""Tasks in the demo shop, each with scripted agents, good and bad, and how each must come out."""
