"""Files in any format: which format one has, its bytes, and a module judged and written to one."""
