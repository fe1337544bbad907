"""Metric functions on arrays: values by hand, by numpy and by the public libraries."""

import copy
import json
import math
import os
import pickle
import subprocess
import sys
import unittest

import numpy as np
from support import SOURCE, Case

from vestige import metrics


class Values(Case):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(5)

    def test_epsilon_by_hand(self):
        # Cut between 2 and 3: FPR = FNR = 1/3, so ln((1 - delta - 1/3) / (1/3)) with delta = 1e-5.
        got = metrics.epsilon([1, 2, 3], [2, 3, 4.5])
        self.assertAlmostEqual(got.epsilon, math.log((1 - 1e-5 - 1 / 3) / (1 / 3)))
        self.assertEqual(metrics.epsilon([1, 2], [3, 4]).epsilon, 50)
        self.assertTrue(metrics.epsilon([1, 2], [3, 4], cap=9).separated)
        many = metrics.epsilons([[1, 5], [2, 5], [3, 6]], [[2, 7], [3, 7], [4.5, 8]])
        self.assertEqual([row.epsilon for row in many], [got.epsilon, 50])
        # N = 3 fills ceil(ln 2) / 0.5 = 2 bins; eps 0.693 is in the second: half a point.
        self.assertEqual(metrics.forget_points(got.epsilon, 3), 0.5)
        quality = metrics.forget_quality([[1, 5], [2, 5], [3, 6]], [[2, 7], [3, 7], [4.5, 8]])
        self.assertEqual(quality.score.value, 0.25)
        self.assertAlmostEqual(metrics.final_score(
            0.5, unlearned_retain=0.8, retrained_retain=1, unlearned_test=0.6, retrained_test=0.8), 0.3)

    def test_roc_by_all_pairs(self):
        a, b = self.random.integers(0, 9, 40) / 8, self.random.integers(0, 7, 50) / 8
        pairs = (a[:, None] > b).mean() + (a[:, None] == b).mean() / 2
        self.assertAlmostEqual(metrics.auc_of_samples(a, b), pairs)
        scores, labels = np.concatenate([a, b]), np.repeat([1, 0], [40, 50])
        self.assertAlmostEqual(metrics.auc(scores, labels), pairs)
        curve = metrics.roc_curve(scores, labels)
        self.assertAlmostEqual(np.trapz(curve.tpr, curve.fpr), pairs)
        interval = metrics.auc_interval(a, b)
        self.assertTrue(interval.lower < interval.value < interval.upper)
        self.assertAlmostEqual(metrics.mann_whitney(a, b).u, pairs * 40 * 50)

    def test_against_scipy(self):
        try:
            from scipy import stats
        except ImportError:
            self.skipTest("no scipy")
        a, b = self.random.normal(size=30), self.random.normal(0.4, 2, size=30)
        self.assertAlmostEqual(metrics.welch_t(a, b).p, stats.ttest_ind(a, b, equal_var=False).pvalue)
        self.assertAlmostEqual(metrics.paired_t(a, b, "two_sided").p, stats.ttest_rel(a, b).pvalue)
        self.assertAlmostEqual(metrics.spearman(a, b).rho, stats.spearmanr(a, b).correlation)
        wanted, got = stats.ks_2samp(a, b), metrics.kolmogorov_smirnov(a, b)
        self.assertAlmostEqual(got.statistic, wanted.statistic)
        self.assertAlmostEqual(got.p, wanted.pvalue)
        self.assertAlmostEqual(metrics.kendall_tau(a, b).tau, stats.kendalltau(a, b).correlation)
        wanted = stats.binomtest(7, 20).proportion_ci(method="exact")
        got = metrics.clopper_pearson(7, 20)
        self.assertAlmostEqual(got.lower, wanted.low)
        self.assertAlmostEqual(got.upper, wanted.high)

    def test_kernels_by_numpy(self):
        x, y = self.random.normal(size=(12, 3)), self.random.normal(size=(12, 3))
        distance = ((x[:, None] - x) ** 2).sum(-1)
        k = metrics.rbf_kernel(x, 1.5)
        np.testing.assert_allclose(k, np.exp(-distance / (2 * 1.5 ** 2)), rtol=1e-12)
        centre = np.eye(12) - 1 / 12
        l = metrics.rbf_kernel(y, 0.7)
        self.assertAlmostEqual(metrics.hsic(k, l), np.trace(k @ centre @ l @ centre) / 11 ** 2)
        upper = np.sqrt(distance[np.triu_indices(12, 1)])
        self.assertAlmostEqual(metrics.median_distance(x), np.median(upper))
        dependence = metrics.split_half_dependence(x, [np.arange(12)], sigma=1.5, shuffles=5)
        self.assertEqual(len(dependence[0].values), 5)

    def test_distances_of_samples_by_numpy(self):
        """The plain formulas, of which the functions are the fast form."""
        x, y = self.random.normal(size=(70, 5)), self.random.normal(0.3, 1.2, size=(45, 5))

        def mean_kernel(a, b, same):
            k = np.exp(-((a[:, None] - b) ** 2).sum(-1) / (2 * 1.7 ** 2))
            return (k.sum() - len(a)) / (len(a) * (len(a) - 1)) if same else k.mean()

        wanted = mean_kernel(x, x, True) + mean_kernel(y, y, True) - 2 * mean_kernel(x, y, False)
        self.assertAlmostEqual(metrics.mmd_squared(x, y, 1.7), wanted, places=12)
        # On a line every direction is 1 or -1: the mean distance of sorted values.
        first, second = x[:, :1], self.random.normal(size=(70, 1))
        wanted = abs(np.sort(first, axis=0) - np.sort(second, axis=0)).mean()
        self.assertAlmostEqual(metrics.sliced_wasserstein(first, second, 7), wanted, places=12)
        # In more columns projections of a shifted sample are shifted by direction times shift, at most its length.
        moved = metrics.sliced_wasserstein(x, x + [3, 0, 0, 0, 0], 400)
        self.assertTrue(0.8 < moved / (3 * math.gamma(2.5) / (math.gamma(3) * math.sqrt(math.pi))) < 1.2)
        self.assertTrue(math.isnan(metrics.mmd_squared(x[:1], y, 1.7)))
        self.assertTrue(math.isnan(metrics.sliced_wasserstein(x[:0], y)))
        self.refuses("x[3] holds nan: give finite numbers", metrics.mmd_squared,
                     np.where(np.arange(70)[:, None] == 3, np.nan, x), y, 1.7)
        self.refuses("y[0] holds inf", metrics.sliced_wasserstein, x, np.full((2, 5), np.inf))

    def test_kendall_of_many_values_is_that_of_all_pairs(self):
        for values in (2, 6, 10**6):
            a = self.random.integers(0, values, 150).astype(float)
            b = np.where(self.random.integers(0, 2, 150) == 0, a, self.random.integers(0, values, 150))
            upper = np.triu_indices(150, 1)
            s, t = (np.sign(one[:, None] - one)[upper] for one in (a, b))
            self.assertAlmostEqual(metrics.kendall_tau(a, b).tau, (s * t).sum() / math.sqrt((s * s).sum() * (t * t).sum()),
                                   places=12)

    def test_lac_scores_and_sets_are_one_minus_p(self):
        p = self.random.dirichlet(np.ones(7), 200)
        p[:50] = self.random.multinomial(100, np.full(7, 1 / 7), 50) / 100  # many ties
        np.testing.assert_array_equal(metrics.class_scores(p), 1 - p)
        for q in (0.0, 0.4, float(1 - p[3, 2]), 1.0):  # one of them a score itself
            np.testing.assert_array_equal(metrics.prediction_sets(p, q).to_array(), 1 - p <= q)
            np.testing.assert_array_equal(metrics.prediction_sets(p, q, "paper").to_array(), 1 - p < q)

    def test_scores_of_shadow_models(self):
        shadows = self.random.normal(size=(9, 20))
        target = self.random.normal(size=20)
        moments = metrics.shadow_moments(shadows)
        np.testing.assert_allclose(moments.mean, shadows.mean(0), rtol=1e-12)
        np.testing.assert_allclose(moments.deviation, shadows.std(0), rtol=1e-12)
        normal = [0.5 * (1 + math.erf((t - m) / s / math.sqrt(2)))
                  for t, m, s in zip(target, shadows.mean(0), shadows.std(0))]
        np.testing.assert_allclose(metrics.lira_offline(target, moments), normal, atol=1e-12)
        ratios, population = self.random.uniform(size=20), self.random.uniform(size=33)
        np.testing.assert_array_equal(metrics.rmia_scores(ratios, population, 1.3),
                                      (ratios[:, None] / population > 1.3).mean(1))
        p = self.random.uniform(size=20)
        np.testing.assert_allclose(metrics.iam_responses(p), -np.log(0.01 - np.log(p + 1e-5)))
        high = metrics.iam_scores(shadows.max(0) + 9, moments, shadows.max(0) + 1)
        self.assertTrue((high > 0.99).all())
        losses = np.log1p(np.exp(-target))
        np.testing.assert_allclose(metrics.logistic_losses(target), losses)
        np.testing.assert_allclose(metrics.emia_p(losses, losses[:7]),
                                   1 - (losses[:7] < losses[:, None]).mean(1))

    def test_conformal_sets_by_hand(self):
        outputs = np.array([[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.1, 0.3, 0.6]])
        np.testing.assert_allclose(metrics.calibration_scores(outputs, [0, 0, 1]), [0.3, 0.6, 0.7])
        # ceil(4 * 0.6) = 3rd smallest of three.
        self.assertAlmostEqual(metrics.conformal_quantile([0.3, 0.6, 0.7], 0.4), 0.7)
        sets = metrics.prediction_sets(outputs, 0.6)
        np.testing.assert_array_equal(sets.to_array(), outputs >= 0.4)
        summary = metrics.summarise_sets(sets, [0, 0, 1])
        self.assertAlmostEqual(summary.coverage, 2 / 3)
        self.assertAlmostEqual(summary.set_size, 4 / 3)
        self.assertAlmostEqual(summary.cr, 0.5)
        fake = metrics.fake_forgetting(outputs, sets, [0, 0, 1])
        self.assertEqual((fake.mislabel, fake.in_set, fake.ratio), (2, 1, 0.5))

    def test_miau_zrf_and_language_by_hand(self):
        self.assertAlmostEqual(metrics.gap_closure(80, 50, 59), 0.7)
        self.assertAlmostEqual(metrics.matching_score(0.7), 100 / (1 + math.exp(-13.8 * 0.2)))
        score = metrics.miau_score([80, 80, 80], [50, 50, 50], [50, 80, 65])
        np.testing.assert_allclose(score.closure, [1, 0, 0.5])
        p, q = np.array([[0.9, 0.1]]), np.array([[0.5, 0.5]])
        m = (p + q) / 2
        divergence = ((p * np.log(p / m)).sum() + (q * np.log(q / m)).sum()) / 2
        self.assertAlmostEqual(metrics.zrf(p, q).score, 1 - divergence)
        tokens, offsets = [-0.1, -0.3, -4.0, -0.2, -2.0, -1.0, -3.0], [0, 4, 7]
        np.testing.assert_allclose(metrics.lm_losses(tokens, offsets), [1.15, 2])
        np.testing.assert_allclose(metrics.min_k_scores(tokens, offsets, 50), [-2.15, -3])
        self.assertAlmostEqual(metrics.tug_of_war([0.1, 0.2]), 0.72)


class Calls(Case):
    def test_results_show_their_fields(self):
        got = metrics.epsilon([1, 2, 3], [2, 3, 4.5])
        self.assertTrue(repr(got).startswith("Epsilon(epsilon=0.69"))
        self.assertEqual(list(got._asdict()), list(got._fields))
        with self.assertRaises(AttributeError):
            got.epsilon = 3

    def test_errors_of_the_caller_are_value_errors_with_a_sentence(self):
        for words, call, arguments in (
                ("unlearned has 2 dimensions", metrics.epsilon, ([[1.0]], [1.0])),
                ("no unlearned models", metrics.epsilon, ([], [1.0])),
                ("scores has 2 rows and labels has 1", metrics.auc, ([1.0, 2.0], [1])),
                ("labels has type float64", metrics.auc, ([1.0, 2.0], [0.5, 1.0])),
                ("alternative 'up'", metrics.mann_whitney, ([1.0], [2.0], "up")),
                ("labels[1] is 3", metrics.calibration_scores, ([[0.5, 0.5]] * 2, [0, 3])),
                ("both must be n x n", metrics.hsic, (np.ones((3, 2)), np.ones((3, 3)))),
                ("sigma is 0", metrics.rbf_kernel, (np.ones((3, 2)), 0)),
                ("sets name row 9", metrics.split_half_dependence, (np.ones((4, 2)), [[0, 1, 2, 9]])),
                ("offsets must", metrics.lm_losses, ([-1.0], [0, 2])),
                ("columns", metrics.epsilons, (np.ones((2, 3)), np.ones((2, 4)))),
                ("target has 2 rows", metrics.lira_offline,
                 ([1.0, 2.0], metrics.shadow_moments(np.ones((2, 3)))))):
            self.refuses(words, call, *arguments)

    def test_results_are_copied_and_pickled(self):
        """Worker processes return them: numbers, arrays and results in results."""
        random = np.random.default_rng(1)
        x = random.normal(size=(40, 3))
        dependence = metrics.split_half_dependence(x, [np.arange(40), np.arange(20)], shuffles=30)
        pairs = metrics.judge_by_jsd(dependence, dependence, dependence)
        for found in (metrics.epsilon([1, 2, 3], [2, 3, 4.5]), metrics.t_interval([1.0]), metrics.kendall_tau([1, 2, 3], [1, 3, 2]),
                      metrics.forget_quality([[1, 5], [2, 5]], [[2, 7], [3, 7]]), metrics.roc_curve([0.1, 0.2, 0.3], [0, 1, 1]),
                      metrics.shadow_moments(x), dependence[0], pairs[0], metrics.out_of_training_rate(pairs),
                      metrics.fake_forgetting(*self.sets(random)), metrics.miau_score([80] * 3, [50] * 3, [50, 80, 65])):
            for copied in (copy.deepcopy(found), copy.copy(found), pickle.loads(pickle.dumps(found))):
                self.assertEqual(type(copied), type(found))
                self.assertEqual(repr(copied), repr(found))
        again = subprocess.run([sys.executable, "-c", "import pickle, sys; print(pickle.load(sys.stdin.buffer))"], check=True,
                               input=pickle.dumps(metrics.epsilon([1, 2, 3], [2, 3, 4.5])), capture_output=True)
        self.assertEqual(again.stdout.decode().strip(), repr(metrics.epsilon([1, 2, 3], [2, 3, 4.5])))

    @staticmethod
    def sets(random):
        p = random.dirichlet(np.ones(3), 10)
        return p, metrics.prediction_sets(p, 0.6), random.integers(0, 3, 10)

    def test_wrong_types_are_one_sentence(self):
        for call in (lambda: metrics.entropies("probabilities"), lambda: metrics.auc([1.0, 2.0]),
                     lambda: metrics.epsilon([1.0], [2.0], delta="small"), lambda: metrics.epsilon([1.0], [2.0], level=3)):
            with self.assertRaises(TypeError) as caught:
                call()
            self.assertRegex(str(caught.exception), r"^[a-z_]+ does not take \([^\n]*\): it is [a-z_]+\([^\n]*$")

    def test_tensors_with_gradients_are_read(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        logits = torch.tensor([[0.0, 0.0], [2.0, 0.0]], requires_grad=True)
        p = 1 / (1 + math.exp(-2))
        np.testing.assert_allclose(metrics.entropies(torch.softmax(logits, 1)),
                                   [math.log(2), -p * math.log(p) - (1 - p) * math.log(1 - p)], rtol=1e-6)

    def test_undefined_is_nan(self):
        self.assertTrue(math.isnan(metrics.auc([1.0, 2.0], [1, 1])))
        self.assertTrue(math.isnan(metrics.t_interval([1.0]).lower))

    def test_other_types_and_orders_are_read_as_what_they_are(self):
        a = np.arange(24, dtype=np.float32).reshape(4, 6)
        want = metrics.median_distance(a.astype(np.float64))
        self.assertEqual(metrics.median_distance(np.asfortranarray(a)), want)
        self.assertEqual(metrics.median_distance(a.tolist()), want)
        self.assertEqual(metrics.median_distance(a[:, ::-1]), want)


class Peers(Case):
    """Values of tests/reference/peers/make.py, which is plain numpy."""

    @classmethod
    def setUpClass(cls):
        with open(os.path.join(SOURCE, "tests", "reference", "peers", "values.json"), encoding="utf-8") as file:
            cls.cases = json.load(file)

    def test_rows_of_models_have_the_reference_values(self):
        case = self.cases["closeness"]
        found = metrics.closeness(case["p"], case["q"])
        for field in ("agreement", "distance", "divergence"):
            np.testing.assert_allclose(getattr(found, field), case[field], atol=1e-9)
        case = self.cases["klom"]
        for mode in ("exact", "reference"):
            np.testing.assert_allclose(metrics.klom(case["unlearned"], case["retrained"], mode=mode), case[mode],
                                       atol=1e-9)
        case = self.cases["ulira"]
        found = metrics.ulira(case["unlearned"], case["retrained"])
        np.testing.assert_allclose(found.accuracy, case["accuracy"], atol=1e-9)
        np.testing.assert_allclose(found.auc, case["auc"], atol=1e-9)

    def test_shares_and_bounds_have_the_reference_values(self):
        case = self.cases["smi"]
        found = metrics.smi(case["forget"], case["members"], case["others"], case["sigma"])
        self.assertAlmostEqual(found.share.value, case["share"], 9)
        self.assertAlmostEqual(found.distance, case["distance"], 9)
        for (canaries, guesses, right, delta), epsilon in zip(self.cases["one_run"]["settings"],
                                                              self.cases["one_run"]["epsilon"]):
            found = metrics.canary_epsilon(int(canaries), int(guesses), int(right), delta=delta)
            self.assertAlmostEqual(found, epsilon, 6)

    def test_activations_have_the_reference_values(self):
        case = self.cases["cka"]
        self.assertAlmostEqual(metrics.linear_cka(case["x"], case["y"]), case["xy"], 9)
        self.assertAlmostEqual(metrics.linear_cka(case["x"], case["wide"]), case["x_wide"], 9)
        case = self.cases["probes"]
        rows = (case["rows"], np.array(case["labels"], int), case["asked"], np.array(case["asked_labels"], int))
        np.testing.assert_array_equal(metrics.nearest_neighbours(*rows, neighbours=7), case["neighbours"])
        np.testing.assert_array_equal(metrics.linear_probe(*rows), case["linear"])

    def test_a_sample_is_nearer_to_the_one_it_was_drawn_with(self):
        """Model and second share their mean, first lies three deviations off: the least p that 199 draws give."""
        draw = np.random.default_rng(7)
        model, second = draw.normal(size=(2, 60, 2))
        first = draw.normal(3, 1, size=(60, 2))
        found = metrics.relative_test(model, first, second)
        self.assertEqual(sorted(found.nearer_second), sorted(found.nearer_first))
        self.assertEqual(len(found.nearer_second), 3)
        for divergence, p in found.nearer_second.items():
            self.assertAlmostEqual(p, 1 / 200, msg=divergence)
            self.assertGreater(found.nearer_first[divergence], 0.5)
        turned = metrics.relative_test(model, second, first)
        self.assertGreater(min(turned.nearer_second.values()), 0.5)
        self.assertIn("nearer_second", repr(found))

    def test_one_run_counts_guesses(self):
        """All 200 canaries are told right: the best share guesses every one of them."""
        members = np.repeat([1, 0], 100)
        found = metrics.one_run(members * 2.0, members)
        self.assertEqual((found.guesses.canaries, found.guesses.guesses, found.guesses.right), (200, 200, 200))
        self.assertAlmostEqual(found.epsilon, metrics.canary_epsilon(200, 200, 200, confidence=0.99), 9)

    def test_anamnesis_by_hand(self):
        """Within 10 % of 1: the method at 0.7 / 0.8 of 4 steps, retrained 3/4 of the way from 4 to 8."""
        method = np.repeat([[0.2], [1.0], [1.0]], 3, axis=1)
        retrained = np.repeat([[0.2], [0.6], [1.0]], 3, axis=1)
        found = metrics.anamnesis([0, 4, 8], method, retrained, np.ones(3), range=0.1)
        self.assertAlmostEqual(found.method, 3.5)
        self.assertAlmostEqual(found.retrained, 7)
        self.assertAlmostEqual(found.index.value, 0.5)

    def test_refusals(self):
        for words, call, arguments in (
                ("members holds 2", metrics.one_run, ([1.0, 2.0], [0, 2])),
                ("scores has 2 rows and members has 1", metrics.one_run, ([1.0, 2.0], [0])),
                ("steps must ascend from 0", metrics.anamnesis, ([1, 2], np.ones((2, 1)), np.ones((2, 1)), [1.0])),
                ("a fitted example has the label -1", metrics.linear_probe, (np.ones((1, 1)), [-1], np.ones((1, 1)), [0])),
                ("CKA: activations have 2 and 3 rows", metrics.linear_cka, (np.ones((2, 1)), np.ones((3, 1)))),
                ("method is 3 x 1", metrics.anamnesis, ([0, 2], np.ones((3, 1)), np.ones((2, 1)), [1.0]))):
            self.refuses(words, call, *arguments)
        self.refuses("are no probabilities: row 0 sums to 3", metrics.entropies, [[2.0, 1.0]])
        self.refuses("values outside 0 to 1", metrics.entropies, [[1.5, -0.5]])
        self.refuses("probabilities[0] is 1.5: give values from 0 to 1", metrics.iam_responses, [1.5, -2])
        self.refuses("give values from 0 to 1", metrics.iam_responses, [math.nan])
        self.refuses("teacher are no probabilities", metrics.zrf, [[0.5, 0.5]], [[3.0, 1.0]])
        self.refuses("p_values[1] is 2", metrics.holm, [0.1, 2.0])
        self.refuses("mode 'fast'", metrics.klom, np.ones((2, 2)), np.ones((2, 2)), mode="fast")


if __name__ == "__main__":
    unittest.main()
