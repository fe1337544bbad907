"""Batches that were already collected, kept in a folder until the whole pass is done."""

from __future__ import annotations

import hashlib
import os
import pathlib
import zipfile

import numpy as np


class Resume:
    """Keeps each batch's arrays below a folder; a second run with the same question reads them.

    The model is not part of the question: give every model its own folder.
    """

    def __init__(self, folder, rows, options):
        digest = hashlib.blake2b(repr(([(row.ids, row.scored) for row in rows], options)).encode(),
                                 digest_size=8).hexdigest()
        self.folder = None if folder is None else pathlib.Path(folder)
        self.name = f"collect-{digest}"
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)

    def load(self, number):
        """The arrays of a batch, or None."""
        if self.folder is None:
            return None
        try:
            with np.load(self._file(number)) as stored:
                return {name: stored[name] for name in stored.files}
        except (FileNotFoundError, ValueError, OSError, zipfile.BadZipFile):
            return None

    def save(self, number, arrays):
        if self.folder is None:
            return
        temporary = self._file(number).with_suffix(".tmp")
        with open(temporary, "wb") as file:
            np.savez(file, **arrays)
        os.replace(temporary, self._file(number))

    def done(self):
        """The pass is complete: its batches are no longer needed."""
        if self.folder is None:
            return
        for file in self.folder.glob(f"{self.name}-*"):
            file.unlink()

    def _file(self, number):
        return self.folder / f"{self.name}-{number}.npz"
