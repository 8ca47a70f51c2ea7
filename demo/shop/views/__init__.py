"""The shop's pages. Every press of a button that matters is counted before anything else."""
