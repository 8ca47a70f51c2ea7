"""The confirmation protocol as pure rules. Standard library only."""
