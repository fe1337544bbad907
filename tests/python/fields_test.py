"""The types of results.json are those of a real audit, and of the page that they are made from."""

import typing
import unittest

import result_fields
from support import DEMO, Case

import vestige
from vestige import _fields


class Fields(Case):
    @classmethod
    def setUpClass(cls):
        cls.results = vestige.audit(DEMO, metrics=["utility", "holdout_gap"]).results

    def keys(self, name):
        return set(getattr(_fields, name).__annotations__)

    def test_every_struct_of_the_page_is_a_type(self):
        names = [name for name, _ in result_fields.structs()]
        self.assertGreater(len(names), 35)
        for name in names:
            self.assertTrue(self.keys(name), name)
        self.assertIn("from", self.keys("GradeStep"))

    def test_a_real_audit_has_these_fields(self):
        results = self.results
        self.assertLessEqual(set(results), self.keys("Results"))
        for row in results["results"]:
            self.assertEqual(set(row), self.keys("Row"))
            self.assertEqual(set(row["subject"]), self.keys("Subject"))
        for verdict in results["verdicts"]:
            self.assertEqual(set(verdict), self.keys("Verdict") | {"reason", "sentence", "cannot"})
            for test in verdict["tests"]:
                self.assertEqual(set(test), self.keys("VerdictTest"))
        self.assertEqual(set(results["run"]) | {"title"}, self.keys("Run"))
        self.assertEqual(set(results["run"]["selection"]), self.keys("RunSelection"))
        self.assertEqual(set(results["samples"]), self.keys("SampleFile"))
        self.assertLessEqual(self.keys("RememberedRows"), set(results["remembered"]))

    def test_words_are_those_of_the_types(self):
        kinds = typing.get_type_hints(_fields.Verdict)["word"]
        for verdict in self.results["verdicts"]:
            self.assertIn(verdict["word"], typing.get_args(kinds))

    def test_an_unknown_type_of_the_page_is_refused(self):
        with self.assertRaisesRegex(ValueError, "has the type 'complex'"):
            result_fields.python_type("list of complex", set())
        self.assertEqual(result_fields.python_type("list of number or null", set()), "list[float | None]")
        self.assertEqual(result_fields.python_type("list of Row or null", {"Row"}), "list[Row] | None")


if __name__ == "__main__":
    unittest.main()
