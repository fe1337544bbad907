"""Evidence in memory: building, refusing, saving, opening."""

import os
import unittest
from unittest import mock

import numpy as np
from support import DEMO, Case, small_arrays, small_evidence

import vestige
from vestige._collected import TokenOutputs
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
        self.refuses("did you mean 'original'", evidence.add, "orginal", 0, forget=array)
        self.refuses("did you mean 'forget'", evidence.add, "original", 0, froget=array)
        self.refuses("did you mean 'retain'", evidence.add, "original", 0, losses={"retian": array[:, 0]})
        self.refuses("did you mean 'test'", evidence.add_rows, "tests", labels=[1, 2, 3])
        self.refuses("'a-b'", evidence.add, "unlearned/a/b", 0, forget=array)
        self.refuses("without a slash", evidence.add, "unlearned", 0, method="a/b", forget=array)
        self.refuses("without a slash", evidence.add, "original", "run/3", forget=array)
        self.refuses("no treated model", evidence.add, "probed/int8/shadow", 0, forget=array)
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
        self.assertEqual(evidence.keys(), ["digests/forget", "ids/forget", "labels/forget",
                                           "original/0/forget"])
        saved = vestige.Evidence(evidence.save(self.path("digests")))
        self.refuses("row 8 of forget is another one than when another model", saved.add, "retrained",
                     0, forget=Collected(outputs["retrained", "forget"], labels["forget"], None, {},
                                         changed))

    def test_misspelt_names_are_refused_before_the_model_is_asked(self):
        def model(rows):
            raise AssertionError("the model was asked")

        data = (np.zeros((3, 2)), np.zeros(3, np.int64))
        for role, splits, why in (("unlearned/a/b", {"forget": data}, "without a slash"),
                                  ("original", {"forgett": data}, "did you mean 'forget'"),
                                  ("orignal", {"forget": data}, "did you mean 'original'")):
            self.refuses(why, vestige.Evidence().collect, role, 0, model, splits)

    def test_one_example_in_two_splits_is_found(self):
        labels, outputs = small_arrays()
        evidence = small_evidence(vestige)
        evidence["digests/forget"] = np.arange(60)
        evidence["digests/test"] = np.arange(30, 90)
        codes = [finding["code"] for finding in evidence.inspect().checks]
        self.assertIn("W-SHARED", codes)

    def test_shadow_training_rows_are_the_shadows_own(self):
        labels, outputs = small_arrays()
        evidence = vestige.Evidence()
        for name in (0, 1):
            evidence.add("shadow", name, shadow_train=Collected(
                outputs["original", "forget"], (labels["forget"] + name) % 4, None, {},
                np.arange(60, dtype=np.uint64) + name))
        self.assertEqual([key for key in evidence.keys() if key.startswith("labels/")],
                         ["labels/shadow_train.0", "labels/shadow_train.1"])

    def test_ids_may_be_texts(self):
        evidence = small_evidence(vestige)
        evidence.add_rows("forget", ids=[f"patient-{row}" for row in range(60)])
        self.assertTrue(evidence.inspect())
        audit = vestige.audit(evidence, "holdout_gap,utility")
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
        self.assertEqual((copy["method"], copy["word"]), ("copy", "not_tested"))
        self.assertEqual(copy["same_as"], "retrained/0")
        self.assertIn("has exactly the values of retrained/0/forget", copy["sentence"])
        self.assertEqual(other["same_as"], "")

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


class Adding(Case):
    """Evidence that is on disk grows without being read."""

    def asked(self):
        """A model that counts how often it is asked."""
        def model(inputs):
            model.calls += 1
            return inputs

        model.calls = 0
        return model

    def splits(self, seed=3):
        labels, outputs = small_arrays(seed)
        return {split: (outputs["original", split], labels[split]) for split in labels}

    def test_a_method_is_added_to_a_folder_and_the_rest_is_not_read(self):
        folder = small_evidence(vestige).save(self.path("evidence"))
        before = {name: os.stat(name).st_mtime_ns for name in self.files(folder)}
        evidence = vestige.Evidence(folder)
        with mock.patch.object(np, "load", wraps=np.load) as loads:
            evidence.collect("unlearned/scrub", 0, self.asked(), self.splits(), digests=False, progress=False)
            self.assertIn("3 not saved", repr(evidence))
            self.assertEqual(vestige.audit(evidence, ["utility"]).verdict("scrub").method, "scrub")
            evidence.save()
        self.assertEqual(loads.call_count, 3)  # labels of the three splits, to compare them
        after = {name: os.stat(name).st_mtime_ns for name in self.files(folder)}
        self.assertEqual({name: after[name] for name in before}, before)
        self.assertEqual(sorted(os.path.relpath(name, folder) for name in set(after) - set(before)),
                         [f"unlearned/scrub/0/{split}.npy" for split in ("forget", "retain", "test")])
        self.assertEqual(len(vestige.Evidence(folder)), 15)
        self.assertEqual({verdict.method for verdict in vestige.audit(folder, ["utility"]).verdicts},
                         {"finetune", "scrub"})

    def files(self, folder):
        return [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]

    def test_archives_are_written_again(self):
        path = small_evidence(vestige).save(self.path("evidence.npz"))
        evidence = vestige.Evidence(path)
        evidence.add("unlearned/scrub", 0, forget=evidence["original/0/forget"])
        self.assertEqual(evidence.save(), path)
        self.assertIn("unlearned/scrub/0/forget", vestige.Evidence(path))
        self.assertEqual(len(vestige.Evidence(path)), 13)

    def test_collecting_again_is_refused_skipped_or_replaced(self):
        evidence, splits = vestige.Evidence(), self.splits()
        quiet = {"digests": False, "progress": False, "check": False}
        evidence.collect("original", 0, self.asked(), {"forget": splits["forget"]}, **quiet)
        model = self.asked()
        self.refuses("original/0/forget is there already", evidence.collect, "original", 0, model, splits, **quiet)
        self.assertEqual(model.calls, 0)
        evidence.collect("original", 0, model, splits, skip_existing=True, **quiet)
        self.assertEqual(model.calls, 2)  # retain and test
        evidence.collect("original", 0, model, splits, skip_existing=True, **quiet)
        self.assertEqual(model.calls, 2)
        doubled = lambda inputs: 2 * inputs  # noqa: E731
        evidence.collect("original", 0, doubled, splits, replace=True, **quiet)
        np.testing.assert_array_equal(evidence["original/0/test"], 2 * splits["test"][0])

    def test_names_are_checked_before_the_model_is_asked(self):
        evidence, model, data = vestige.Evidence(), self.asked(), self.splits()["forget"]
        for arguments, words in ((("orignal", 0), "did you mean 'original'"), (("unlearned", 0), "needs a method"),
                                 (("original", "a/b"), "without a slash")):
            self.refuses(words, evidence.collect, *arguments, model, {"forget": data})
        self.refuses("did you mean 'forget'", evidence.collect, "original", 0, model, {"forgot": data})
        self.refuses("give a dictionary", evidence.collect, "original", 0, model, [data])
        self.assertEqual(model.calls, 0)

    def test_samples_of_language_models_are_saved_and_leak(self):
        """continuations.leak by hand: of two prompts the first leaks in one of two samples."""
        evidence = vestige.Evidence()
        for role, first in (("original", "one two"), ("retrained", "three")):
            said = TokenOutputs(np.log(np.array([0.5, 0.25])), np.array([0, 1, 2]), texts=["a", "b"],
                                generations=["x", "y"], continuations=["one two", "four"],
                                samples=[[first, "five"], ["six", "line\nbreak"]])
            evidence.add(role, 0, forget=said)
        evidence.save(self.path("e"))
        with open(self.path("e/original/0/generated/forget.samples.jsonl"), encoding="utf-8") as file:
            self.assertEqual(file.read(), '["one two", "five"]\n["six", "line\\nbreak"]\n')
        found = vestige.audit(evidence, ["continuations"]).rows("continuations.leak.forget")
        values = dict(zip(zip(found["model"], found["settings"]), found["value"]))
        at = "split=forget, k={}, threshold=0.9"
        self.assertEqual([values["original/0", at.format(k)] for k in (1, 2)], [0.25, 0.5])
        self.assertEqual([values["retrained/0", at.format(k)] for k in (1, 2)], [0, 0])

    def test_losses_are_one_number_per_example(self):
        self.refuses("losses of forget have shape (4, 3): give one number per example", vestige.Evidence().add,
                     "original", 0, losses={"forget": np.zeros((4, 3))})
        self.refuses("no finite numbers", vestige.Evidence().add, "original", 0, losses={"forget": [1.0, np.nan]})


if __name__ == "__main__":
    unittest.main()
