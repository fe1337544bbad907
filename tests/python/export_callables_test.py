"""Collecting from scikit-learn estimators and plain functions."""

import unittest

import numpy as np
from support import Case

from vestige.export import collect

try:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC
except ImportError:
    raise SystemExit(77)


def rows(seed=0, count=90):
    random = np.random.default_rng(seed)
    labels = random.integers(0, 3, count)
    return random.normal(size=(count, 4)) + labels[:, None], labels


class Estimators(Case):
    def test_probabilities_and_columns_of_named_classes(self):
        x, y = rows()
        names = np.array(["cat", "dog", "eel"])[y]
        model = LogisticRegression().fit(x, names)
        got = collect(model, (x, names), dtype="float64")
        np.testing.assert_array_equal(got.outputs, model.predict_proba(x))
        np.testing.assert_array_equal(got.labels, y)

    def test_an_estimator_that_never_saw_a_class(self):
        x, y = rows()
        model = LogisticRegression().fit(x[y != 1], y[y != 1])
        self.refuses("label 1 of row", collect, model, (x, y))
        got = collect(model, (x, y), classes=[0, 1, 2], dtype="float64")
        np.testing.assert_array_equal(got.outputs[:, [0, 2]], model.predict_proba(x))
        self.assertTrue((got.outputs[:, 1] == 0).all())
        np.testing.assert_array_equal(got.labels, y)
        self.refuses("classes lack 2", collect, model, (x, y), classes=[0, 1])

    def test_tables_of_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        x, y = rows()
        table = pandas.DataFrame(x, columns=list("abcd"))
        model = LogisticRegression().fit(table, y)
        got = collect(model, (table, y), batch_size=11, dtype="float64")
        np.testing.assert_allclose(got.outputs, model.predict_proba(table), rtol=1e-12)
        self.assertIsNotNone(got.digests)

    def test_without_probabilities(self):
        x, y = rows()
        self.refuses("has no predict_proba: fit it with probability=True", collect, SVC().fit(x, y),
                     (x, y))


class Functions(Case):
    def test_a_function_from_rows_to_logits(self):
        x, y = rows()
        weights = np.random.default_rng(1).normal(size=(4, 3))
        got = collect(lambda z: z @ weights, (x, y), batch_size=20, ids=np.arange(90) + 7)
        np.testing.assert_allclose(got.outputs, x @ weights, rtol=1e-6)
        self.assertEqual(got.ids[0], 7)

    def test_refusals(self):
        x, y = rows()
        random = np.random.default_rng(2)
        self.refuses("answers differently", collect, lambda z: random.normal(size=(len(z), 3)), (x, y))
        self.refuses("(inputs, labels)", collect, lambda z: z, x)
        self.refuses("cannot be called", collect, 3, (x, y))
        self.refuses("outputs of row 4 are NaN", collect,
                     lambda z: np.where(np.arange(len(z))[:, None] == 4, np.nan, z), (x, y))
        self.refuses("no rows", collect, lambda z: z, (x[:0], y[:0]))
        self.refuses("gave 1 rows of outputs", collect, lambda z: z[:1], (x, y))
        self.refuses("89 rows and outputs 90", collect, lambda z: z, (x, y[:89]))
        self.refuses("stands twice", collect, lambda z: z, (x, y), ids=y)


if __name__ == "__main__":
    unittest.main()
