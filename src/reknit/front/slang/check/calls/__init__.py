"""Calls: which function of a name is called, and with which existentials opened."""
