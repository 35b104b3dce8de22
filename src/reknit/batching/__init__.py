"""One recipe over many inputs: files, folders, archives; by worker processes here or on a cluster; resumed where it was ended."""
