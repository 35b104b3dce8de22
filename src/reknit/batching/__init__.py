"""One recipe over many inputs, by worker processes here or on a cluster; resumed where it was ended."""
