"""Prove, or refute with a window, what a context-pruning policy promises."""
