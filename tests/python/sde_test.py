"""SDE with kernels, divergences and sets of the caller, against audits and plain numpy."""

import unittest

import numpy as np
from support import Case

import vestige


def activations(spreads, rows=200, columns=6):
    """Rows of three splits; a larger spread makes sets more dependent on how far apart rows lie."""
    random = np.random.default_rng(11)
    return {name: spread * random.normal(size=(rows, columns))
            for name, spread in zip(("forget", "retain", "test"), spreads)}


def rbf(x, y):
    """exp(-d^2 / 2 sigma^2), sigma the root of the columns: the paper's kernel."""
    squares = ((x[:, None] - y) ** 2).sum(axis=-1)
    return np.exp(-squares / (2 * x.shape[1]))


def laplace(x, y):
    return np.exp(-np.sqrt(((x[:, None] - y) ** 2).sum(axis=-1)) / np.sqrt(x.shape[1]))


class Sde(Case):
    small = {"sets": 12, "pairs": 6, "shuffles": 40}

    def test_without_functions_of_one_s_own_it_is_the_audit_s_rate(self):
        random = np.random.default_rng(2)
        evidence = vestige.Evidence()
        splits = activations((1.15, 1.3, 1.0))
        for split, rows in splits.items():
            evidence.add_rows(split, labels=np.arange(len(rows)) % 3)
        for role in ("original", "retrained", "unlearned/half"):
            layer = {split: rows + 0.1 * random.normal(size=rows.shape) for split, rows in splits.items()}
            outputs = {split: random.normal(size=(len(rows), 3)) for split, rows in splits.items()}
            evidence.add(role, 0, **outputs, activations={"penultimate": layer})
            if role == "unlearned/half":
                given = layer
        options = {"sde.subsets": 12, "sde.reference_draws": 6, "sde.shuffles": 40}
        row = next(row for row in vestige.audit(evidence, ["sde"], options=options).results["results"]
                   if row["metric"] == "sde.otr" and row["subject"]["method"] == "half")
        found = vestige.sde_framework(**given, **self.small)
        self.assertEqual(found.otr, row["value"])
        self.assertEqual(found.interval, (row["lower"], row["upper"]))
        self.assertEqual(found.passed, row["facts"]["passed"])

    def test_a_kernel_of_one_s_own_gives_what_the_named_one_gives(self):
        given = activations((1.1, 1.3, 1.0))
        for name, function in (("rbf", rbf), ("laplace", laplace), ("linear", lambda x, y: x @ y.T)):
            named = vestige.sde_framework(**given, **self.small, kernel=name)
            own = vestige.sde_framework(**given, **self.small, kernel=function)
            for split in named.h:
                np.testing.assert_allclose(own.h[split], named.h[split], rtol=1e-9, err_msg=name)
            np.testing.assert_array_equal(own.per_pair, named.per_pair)
            self.assertEqual(named.h["forget"].shape, (12, 40))

    def test_h_is_hsic_of_shuffled_halves(self):
        """Its mean over all shuffles is tr(HKH) tr(HLH) / (n - 1)^3, over 20,000 of them within four standard errors."""
        x = activations((1, 1, 1))["forget"][:24]
        k, l = rbf(x[:12], x[:12]), rbf(x[12:], x[12:])
        from vestige import metrics
        found = metrics.kernel_dependence(k, l, shuffles=20000)
        centre = np.eye(12) - 1 / 12
        wanted = np.trace(centre @ k @ centre) * np.trace(centre @ l @ centre) / 11 ** 3
        self.assertAlmostEqual(found.moments.mean, wanted, places=12)
        self.assertLess(abs(found.values.mean() - wanted), 4 * found.values.std() / np.sqrt(20000))

    def test_a_divergence_of_one_s_own(self):
        given = activations((1.15, 1.3, 1.0))
        # Of samples of equal size the 1-Wasserstein distance is the mean distance of sorted values.
        own = vestige.sde_framework(**given, **self.small, divergence=lambda x, y: abs(np.sort(x) - np.sort(y)).mean())
        named = vestige.sde_framework(**given, **self.small, divergence="wasserstein")
        np.testing.assert_array_equal(own.per_pair, named.per_pair)
        # Nothing tells the references apart: ties, which say nothing.
        self.assertTrue(np.isnan(vestige.sde_framework(**given, **self.small, divergence=lambda x, y: 0).otr))

    def test_sets_of_one_s_own_and_known_answers(self):
        """Forget sets that are the retain sets are in training, those that are the test sets are not."""
        given = activations((1.5, 1.5, 1.0))
        sets = [np.random.default_rng(i).permutation(200)[:80] for i in range(5)]
        for source, wanted in (("retain", 0), ("test", 1)):
            found = vestige.sde_framework(forget=given[source], retain=given["retain"], test=given["test"], shuffles=100,
                                          forget_sets=sets, retain_sets=sets, test_sets=sets)
            self.assertEqual(found.passed, 5)
            self.assertEqual(found.otr, wanted, source)
        # References the wrong way round pass nowhere: no answer.
        turned = vestige.sde_framework(forget=given["forget"], retain=given["test"], test=given["retain"], **self.small)
        self.assertEqual(turned.passed, 0)
        self.assertTrue(np.isnan(turned.otr))

    def test_bad_input_is_one_sentence(self):
        given = activations((1, 1.2, 1), rows=60)

        def refused(words, **changed):
            self.refuses(words, vestige.sde_framework, **{**given, **self.small, **changed})

        def writes(x, y):
            x[0] = 0
            return rbf(x, y)

        refused("forget has shape (3, 2): give finite activations", forget=np.ones((3, 2)))
        refused("give finite activations", test=np.full((60, 6), np.nan))
        refused("test has 5 columns and forget 6", test=given["test"][:, :5])
        refused("kernel is 'rfb'", kernel="rfb")
        refused("leave it out", kernel=rbf, sigma=2.0)
        refused("sigma is -1", sigma=-1)
        refused("none for the linear kernel", kernel="linear", sigma=2.0)
        refused("size is 61", size=61)
        refused("divergence 'js' is unknown", divergence="js")
        refused("divergence is 3", divergence=3)
        refused("divergence returned nan", divergence=lambda x, y: np.nan)
        refused("divergence returned -1", divergence=lambda x, y: -1)
        refused("return one number", divergence=lambda x, y: "far")
        refused("return [15, 15] for 15 rows", kernel=lambda x, y: np.ones(len(x)))
        refused("kernel returned NaN or infinite values on set 0 of forget", kernel=lambda x, y: rbf(x, y) * np.nan)
        refused("kernel is not symmetric on set 0 of forget", kernel=lambda x, y: np.arange(15.0) * np.ones((15, 1)))
        refused("kernel failed on set 0 of forget: ValueError: assignment destination is read-only", kernel=writes)
        refused("kernel failed on set 0 of forget: ZeroDivisionError: division by zero", kernel=lambda x, y: 1 / 0)
        refused("kernel returned a value of type str on set 0 of forget", kernel=lambda x, y: "near")
        refused("divergence failed: KeyError: 'forget'", divergence=lambda x, y: {}["forget"])
        refused("come in pairs", retain_sets=[[0, 1, 2, 3]])
        refused("forget_sets[0] names row 60: forget has the rows 0 to 59", forget_sets=[[0, 1, 2, 60]])
        refused("names a row twice", forget_sets=[[0, 1, 1, 2]])
        refused("forget_sets[0] has shape (2,)", forget_sets=[[0, 1]])
        refused("forget_sets is empty", forget_sets=[])


if __name__ == "__main__":
    unittest.main()
