"""Types: as they are written, what they have, and which interfaces they conform to."""
