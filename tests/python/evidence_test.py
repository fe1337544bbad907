"""Evidence in memory: building, refusing, saving, opening."""

import os
import unittest
from unittest import mock

import numpy as np
from support import DEMO, Case, small_arrays, small_evidence

import vestige
from vestige.export import Collected


class Building(Case):
    def test_keys_are_the_paths_of_the_folder(self):
        evidence = small_evidence(vestige)
        self.assertEqual(evidence.keys()[0], "labels/forget")
        self.assertIn("unlearned/finetune/0/forget", evidence)
        self.assertEqual(len(evidence), 12)
        self.assertEqual(evidence["original/0/test"].shape, (60, 4))
        self.assertIn("12 arrays", repr(evidence))

    def test_probed_models_keep_their_role_and_method(self):
        evidence = small_evidence(vestige)
        forget = evidence["original/0/forget"]
        evidence.add("probed/int8/original", 0, forget=forget)
        evidence.add("probed/int8/unlearned/finetune", 0, forget=forget)
        self.assertIn("probed/int8/original/0/forget", evidence)
        self.assertIn("probed/int8/unlearned/finetune/0/forget", evidence)

    def test_wrong_roles_methods_and_shapes(self):
        evidence = vestige.Evidence()
        array = np.zeros((3, 2), np.float32)
        self.refuses("role 'orginal' is unknown", evidence.add, "orginal", 0, forget=array)
        self.refuses("unlearned needs a method", evidence.add, "unlearned", 0, forget=array)
        self.refuses("original has no methods", evidence.add, "original", 0, method="x", forget=array)
        self.refuses("nothing was given", evidence.add, "original", 0)
        self.refuses("outputs are numbers", evidence.add, "original", 0, forget=["a", "b"])
        self.refuses("rows of different lengths", evidence.add, "original", 0, forget=[[1, 2], [3]])
        self.refuses("evidence is of type int", vestige.audit, 3)
        self.refuses("settings have no 'knd'", evidence.settings, knd="logits")
        self.refuses("empty", evidence.save, self.path("x"))
        self.assertEqual(len(evidence), 0)

    def test_rows_of_collected_splits_cannot_part(self):
        labels, outputs = small_arrays()
        first = Collected(outputs["original", "forget"], labels["forget"], np.arange(60), {},
                          np.arange(60, dtype=np.uint64))
        evidence = vestige.Evidence().add("original", 0, forget=first)
        other = labels["forget"].copy()
        other[5] = (other[5] + 1) % 4
        self.refuses("row 5 of forget has labels", evidence.add, "retrained", 0, forget=Collected(
            outputs["retrained", "forget"], other, np.arange(60), {}, first.digests))
        changed = first.digests.copy()
        changed[[8, 9]] = 99
        self.refuses("row 8 of forget is another one than when original/0", evidence.add, "retrained",
                     0, forget=Collected(outputs["retrained", "forget"], labels["forget"], None, {},
                                         changed))
        self.refuses("59 rows", evidence.add, "retrained", 0, forget=Collected(
            outputs["retrained", "forget"][:59], labels["forget"][:59], None, {}, None))
        self.assertEqual(evidence.keys(), ["ids/forget", "labels/forget", "original/0/forget"])

    def test_shadow_training_rows_are_the_shadows_own(self):
        labels, outputs = small_arrays()
        evidence = vestige.Evidence()
        for name in (0, 1):
            evidence.add("shadow", name, shadow_train=Collected(
                outputs["original", "forget"], (labels["forget"] + name) % 4, None, {},
                np.arange(60, dtype=np.uint64) + name))
        self.assertEqual(evidence.keys()[:2], ["labels/shadow_train.0", "labels/shadow_train.1"])

    def test_ids_may_be_texts(self):
        evidence = small_evidence(vestige)
        evidence.add_rows("forget", ids=[f"patient-{row}" for row in range(60)])
        self.assertTrue(evidence.inspect())
        audit = vestige.audit(evidence, "yardstick,utility")
        self.assertEqual(audit.results["inputs"][0]["path"], "ids/forget.npy")


class Copies(Case):
    def test_a_method_that_is_a_retrained_model_has_no_verdict(self):
        evidence = small_evidence(vestige)
        self.assertNotIn("W-SAME", [check["code"] for check in evidence.inspect().checks])
        evidence.add("unlearned/copy", 0, **{split: evidence[f"retrained/0/{split}"]
                                             for split in ("forget", "retain", "test")})
        checks = [check for check in evidence.inspect().checks if check["code"] == "W-SAME"]
        self.assertEqual([check["model"] for check in checks], ["unlearned/copy/0"])
        results = vestige.audit(evidence, "utility").results
        copy, other = results["verdicts"]
        self.assertEqual((copy["method"], copy["word"]), ("copy", "NO VERDICT"))
        self.assertEqual(copy["same_as"], "retrained/0")
        self.assertIn("holds the very values of retrained/0/forget", copy["sentence"])
        self.assertNotIn("same_as", other)

    def test_a_model_that_was_added_twice_counts_once(self):
        evidence = small_evidence(vestige)
        once = vestige.audit(evidence, "utility").results["verdicts"]
        evidence.add("retrained", 1, **{split: evidence[f"retrained/0/{split}"]
                                        for split in ("forget", "retain", "test")})
        self.assertEqual(vestige.audit(evidence, "utility").results["verdicts"], once)


class Files(Case):
    def test_folder_npz_and_safetensors_hold_the_same(self):
        evidence = small_evidence(vestige)
        for name in ("folder", "all.npz", "all.safetensors"):
            evidence.save(self.path(name))
            again = vestige.Evidence.open(self.path(name))
            self.assertEqual(again.keys(), evidence.keys(), name)
            for key in evidence:
                np.testing.assert_array_equal(again[key], evidence[key])
            self.refuses("is there already", evidence.save, self.path(name))
            evidence.save(self.path(name), force=True)
        self.assertEqual(sorted(os.listdir(self.folder)), ["all.npz", "all.safetensors", "folder"])

    def test_settings_travel(self):
        evidence = small_evidence(vestige)
        evidence.settings(notes='with "quotes"', seconds={"finetune": 12.5, "retrain": 300})
        evidence.save(self.path("all.npz"))
        results = vestige.audit(self.path("all.npz"), "utility").results
        self.assertEqual(results["evidence"]["notes"], 'with "quotes"')
        ratio = [row["value"] for row in results["results"]
                 if row["metric"] == "utility.relative_time"]
        self.assertAlmostEqual(ratio[0], 12.5 / 300)
        self.refuses("cannot be kept in a .safetensors", evidence.save, self.path("x.safetensors"))

    def test_half_written_evidence_never_stays(self):
        evidence = small_evidence(vestige)
        written = []

        def fails_later(array):
            written.append(array)
            if len(written) == 6:
                raise OSError(28, "No space left on device")
            return b"x"

        for name in ("folder", "all.npz"):
            written.clear()
            with mock.patch("vestige._files.npy_bytes", fails_later):
                with self.assertRaises(OSError):
                    evidence.save(self.path(name))
            self.assertEqual(os.listdir(self.folder), [])

    def test_a_failed_replacement_leaves_the_old_evidence(self):
        evidence = small_evidence(vestige)
        evidence.save(self.path("folder"))
        with mock.patch("vestige._files.npy_bytes", side_effect=OSError(28, "full")):
            with self.assertRaises(OSError):
                evidence.save(self.path("folder"), force=True)
        self.assertEqual(len(vestige.Evidence(self.path("folder"))), 12)

    def test_opened_evidence_can_be_added_to(self):
        evidence = vestige.Evidence(DEMO)
        before = len(evidence)
        forget = evidence["unlearned/finetune/0/forget"]
        evidence.add("unlearned/mine", 0, **{split: evidence[f"unlearned/finetune/0/{split}"]
                                             for split in ("forget", "retain", "test")})
        self.assertEqual(len(evidence), before + 3)
        np.testing.assert_array_equal(evidence["unlearned/mine/0/forget"], forget)
        methods = {verdict.method for verdict in vestige.audit(evidence, "utility").verdicts}
        self.assertIn("mine", methods)


if __name__ == "__main__":
    unittest.main()
