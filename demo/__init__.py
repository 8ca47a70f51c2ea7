"""The demo: a small shop on its own port, two demo agents, and the command that starts them all."""
