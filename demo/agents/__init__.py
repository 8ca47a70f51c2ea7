"""Two small agents that keep the demo alive, through the public REST API and nothing else."""
