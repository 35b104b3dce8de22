"""Random programs, their meaning worked out without the simulator, and passes tried on them."""
