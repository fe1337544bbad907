"""Memory does not grow with calls, arrays are let go, and other threads run meanwhile."""

import gc
import threading
import unittest
import weakref

import numpy as np
from support import Case, small_evidence

import vestige
from vestige import metrics


def resident():
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


class Memory(Case):
    def grows(self, call, warm, times):
        for _ in range(warm):
            call()
        gc.collect()
        before = resident()
        for _ in range(times):
            call()
        gc.collect()
        return resident() - before

    def test_calls_with_large_arrays_leave_nothing(self):
        x = np.random.default_rng(0).normal(size=200_000)
        labels = np.arange(200_000) % 2
        # 200 calls that would leave 1.6 MB or more each.
        self.assertLess(self.grows(lambda: metrics.iam_responses(abs(x) % 1), 20, 200), 40e6)
        self.assertLess(self.grows(lambda: metrics.roc_curve(x, labels).fpr, 10, 50), 40e6)
        with self.assertRaises(ValueError):
            metrics.auc(x, labels[:3])

        def refused():
            try:
                metrics.auc(x.astype(np.float32), labels[:3])
            except ValueError:
                pass

        self.assertLess(self.grows(refused, 20, 100), 40e6)

    def test_audits_let_their_arrays_go(self):
        evidence = small_evidence(vestige)
        array = np.random.default_rng(1).normal(size=(60, 4))
        evidence.add("unlearned/more", 0, forget=array, retain=array.copy(), test=array.copy())
        followed = weakref.ref(array)
        audit = vestige.audit(evidence, "utility")
        del array, evidence
        gc.collect()
        self.assertIsNotNone(followed())  # the audit's evidence is a view of it
        del audit
        gc.collect()
        self.assertIsNone(followed())

    def test_results_keep_what_they_show(self):
        fpr = metrics.roc_curve([0.1, 0.5, 0.9], [0, 1, 1]).fpr
        gc.collect()
        np.testing.assert_array_equal(fpr, [0, 0, 0, 1])

    def test_arguments_are_views(self):
        # 400 MB would be copied by a call that took a copy.
        x = np.full((50_000, 1000), 1e-3)
        before = resident()
        metrics.entropies(x)
        self.assertLess(resident() - before, 100e6)


class Lock(Case):
    def test_python_runs_while_a_metric_computes(self):
        x = np.random.default_rng(0).normal(size=(3000, 64))
        done = threading.Event()

        def work():
            metrics.median_distance(x)
            metrics.sliced_wasserstein(x, x + 1, 2000)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        ticks = 0
        while not done.wait(0.002):
            ticks += 1
        thread.join()
        # With the lock held there would be none or one; a busy machine still leaves some.
        self.assertGreater(ticks, 3)

    def test_audits_in_threads_give_the_same(self):
        evidence = small_evidence(vestige)
        want = vestige.audit(evidence, "utility").results["results"]
        found = []
        threads = [threading.Thread(target=lambda: found.append(
            vestige.audit(evidence, "utility").results["results"])) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [want] * 4)

    def test_audits_in_threads_have_their_own_settings(self):
        evidence = small_evidence(vestige)
        asked = [{"threads": 1, "memory": 2}, {"threads": 2, "memory": 4}, {"threads": 3, "memory": 0.5}]
        found = [[] for _ in asked]

        def work(settings, into):
            for _ in range(10):
                run = vestige.audit(evidence, "utility", **settings).results["run"]
                into.append({"threads": run["threads"], "memory": run["selection"]["memory"]})

        workers = [threading.Thread(target=work, args=pair) for pair in zip(asked, found)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(found, [[settings] * 10 for settings in asked])

    def test_a_memory_limit_holds_for_its_own_audit_only(self):
        evidence = small_evidence(vestige)
        rows, refused = [], []

        def generous():
            for _ in range(5):
                rows.append(len(vestige.audit(evidence, "miau").results["results"]))

        def sparing():
            for _ in range(5):
                try:
                    vestige.audit(evidence, "miau", memory=1e-6)
                except ValueError as error:
                    refused.append("1e-06 GB" in str(error))

        workers = [threading.Thread(target=one) for one in (generous, sparing)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(refused, [True] * 5)
        self.assertEqual(len(rows), 5)
        self.assertGreater(min(rows), 0)


if __name__ == "__main__":
    unittest.main()
