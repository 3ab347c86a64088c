"""Work in processes of its own, which end at their limits: a host and its workers, and attempts side by side."""
