"""Evidence of strangers: names that lead out of the folder, links, masks, who may read a file."""

import io
import os
import stat
import tempfile
import unittest
import zipfile

import numpy as np

import vestige
from vestige import _files
from vestige._compiled import core

LOGITS = np.random.default_rng(0).normal(size=(20, 3))
BAD_NAMES = ("../../evil", "/tmp/evil", "original/0/../../../evil", "original//forget", "a\\b", "a\0b", "./a",
             "a/\x1b[2J")


def evidence():
    return vestige.Evidence().add("original", forget=LOGITS).add_rows("forget", labels=np.zeros(20, int))


class Names(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = os.path.join(self._folder.name, "a", "b")
        os.makedirs(self.folder)

    def everything(self):
        return sorted(os.path.relpath(os.path.join(at, name), self._folder.name)
                      for at, _, names in os.walk(self._folder.name) for name in names)

    def test_an_archive_writes_nowhere_else(self):
        archive = os.path.join(self.folder, "x.npz")
        # Not the last: libzip shows control characters in such names as the signs of code page 437.
        for name in (*BAD_NAMES[:-1], "text/../../evil.txt", "text\\..\\evil.txt"):
            with zipfile.ZipFile(archive, "w") as file:
                for own, array in (("original/0/forget", LOGITS), ("labels/forget", np.zeros(20, int))):
                    file.writestr(own + ".npy", _files.npy_bytes(array))
                member = zipfile.ZipInfo("x")
                member.filename = name if name.startswith("text") else name + ".npy"
                file.writestr(member, b"text" if name.startswith("text") else _files.npy_bytes(LOGITS))
            with self.subTest(name=name):
                if "\0" in name:  # libzip ends the name there
                    with self.assertRaises((ValueError, KeyError)):
                        vestige.Evidence(archive)["a"]
                    continue
                with self.assertRaisesRegex(ValueError, "name"):
                    vestige.Evidence(archive).save(os.path.join(self.folder, "copy"))
        self.assertEqual(self.everything(), ["a/b/x.npz"])

    def test_keys_and_names_are_refused_when_they_are_given(self):
        for name in BAD_NAMES:
            with self.subTest(name=name), self.assertRaisesRegex(ValueError, "name"):
                evidence()[name] = LOGITS
        for layer in ("..", "../x", "a\\b", ""):
            with self.subTest(layer=layer), self.assertRaisesRegex(ValueError, "name"):
                evidence().add("original", 1, forget=LOGITS, activations={layer: {"forget": LOGITS}})
        with self.assertRaisesRegex(ValueError, "name"):
            evidence().add_rows("utility./../../evil", text=["x"] * 20)
        for method in ("..\\x", "a\0b", "a\nb"):
            with self.subTest(method=method), self.assertRaisesRegex(ValueError, "name"):
                evidence().add("unlearned", method=method, forget=LOGITS)

    def test_writers_refuse_too(self):
        for write in (_files.write_folder, _files.write_npz, _files.write_safetensors):
            with self.subTest(write=write.__name__), self.assertRaisesRegex(ValueError, "name"):
                write(os.path.join(self.folder, "x"), {"../evil": LOGITS}, {}, False)
        self.assertEqual(self.everything(), [])

    def test_links_in_a_folder_are_not_followed_out(self):
        place = os.path.join(self.folder, "evidence")
        evidence().save(place)
        elsewhere = os.path.join(self._folder.name, "elsewhere")
        os.mkdir(elsewhere)
        os.symlink(elsewhere, os.path.join(place, "unlearned"))
        opened = vestige.Evidence(place).add("unlearned", method="x", forget=LOGITS)
        with self.assertRaisesRegex(ValueError, "link"):
            opened.save()
        self.assertEqual(os.listdir(elsewhere), [])

    def test_who_may_read_stays(self):
        for name in ("x.npz", "folder"):
            place = os.path.join(self.folder, name)
            evidence().save(place)
            mode = 0o700 if os.path.isdir(place) else 0o600
            os.chmod(place, mode)
            evidence().save(place, force=True)
            self.assertEqual(stat.S_IMODE(os.stat(place).st_mode), mode)


class Masks(unittest.TestCase):
    def test_masked_values_are_no_numbers(self):
        masked = np.ma.masked_array(LOGITS, mask=np.zeros(LOGITS.shape, bool))
        vestige.Evidence().add("original", forget=masked)  # nothing is masked
        masked[3, 1] = np.ma.masked
        with self.assertRaisesRegex(ValueError, "masked"):
            vestige.Evidence().add("original", forget=masked)


class Guards(unittest.TestCase):
    def test_the_apostrophe_before_a_formula_is_taken_off(self):
        text = "split,id,row\nforget,'=x,1\nforget,''=x,2\nforget,'y,3\nforget,-5,4\n"
        ids = core().columns_of_csv(text)["id"]
        self.assertEqual(ids, ["=x", "'=x", "'y", "-5"])


if __name__ == "__main__":
    unittest.main()
