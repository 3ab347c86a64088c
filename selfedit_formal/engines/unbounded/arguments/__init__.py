"""Arguments that stand in for a promise, or prove it without a query: each with why it is enough."""
