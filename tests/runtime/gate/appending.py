"""A process that appends to a ledger: `python appending.py FILE NAME COUNT`. Says each position it was told."""

from __future__ import annotations

import sys

from selfedit_formal.gate import Entry, SqliteLedger

if __name__ == "__main__":
    path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with SqliteLedger(path) as ledger:
        for number in range(count):
            receipt = ledger.append(
                [Entry("evict", f"{name}{number}", f"{name}-{number}-{part}", "stale", number) for part in range(3)]
            )
            sys.stdout.write(f"{receipt.position} {receipt.seal} {number}\n")
            sys.stdout.flush()
