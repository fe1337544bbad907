"""Progress of a pass over the rows, on stderr, once it takes longer than two seconds."""

from __future__ import annotations

import sys
import time


class Progress:
    """Lines at a terminal overwrite each other; elsewhere one line every ten seconds."""

    def __init__(self, what, total, shown):
        self.what, self.total = what, total
        self.start = time.monotonic()
        self.bar = sys.stderr.isatty()
        self.next = self.start + 2 if shown else float("inf")
        self.wiped = True

    def show(self, done):
        """Says how far the work is."""
        now = time.monotonic()
        if now < self.next:
            return
        self.next = now + (0.2 if self.bar else 10)
        self.wiped = not self.bar
        text = f"{self.what}: {done} rows"
        if self.total:
            left = (now - self.start) * (self.total - done) / max(done, 1)
            text = f"{self.what}: {done} of {self.total} rows, {left:.0f} s left"
        print(f"\r\033[K{text}" if self.bar else text, end="" if self.bar else "\n",
              file=sys.stderr, flush=True)

    def end(self):
        """Wipes the line."""
        if not self.wiped:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
