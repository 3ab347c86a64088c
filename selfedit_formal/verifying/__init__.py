"""From a promise to its verdict: what engines say is replayed, made smaller, held against the other meaning."""
