"""Whether one program refines another: every result and tangle of the second is one that the first allows."""
