"""Collecting from PyTorch in one pass, and every way in which rows and labels could part."""

import unittest

import numpy as np
from support import Case

try:
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset
except ImportError:
    raise SystemExit(77)

import vestige
from vestige.export import collect

ROWS, FEATURES, CLASSES = 50, 6, 3


def rows(seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(ROWS, FEATURES, generator=generator),
            torch.randint(0, CLASSES, (ROWS,), generator=generator))


def network(*more):
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(FEATURES, 8), nn.ReLU(), *more, nn.Linear(8, CLASSES))


class WithIds(Dataset):
    def __init__(self):
        self.x, self.y = rows()

    def __len__(self):
        return ROWS

    def __getitem__(self, row):
        return self.x[row], self.y[row], 1000 + row


class Augmented(WithIds):
    """Rows that change with every reading."""

    def __getitem__(self, row):
        return self.x[row] + 0.1 * torch.randn(FEATURES), self.y[row]


class OnePass(Case):
    def expected(self, model):
        with torch.no_grad():
            return model.eval()(rows()[0]).numpy()

    def test_outputs_labels_and_activations_are_those_of_the_rows(self):
        model, (x, y) = network(), rows()
        got = collect(model, TensorDataset(x, y), layer="1", batch_size=7)
        np.testing.assert_allclose(got.outputs, self.expected(model), rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(got.labels, y.numpy())
        with torch.no_grad():
            np.testing.assert_allclose(got.activations["1"], model[:2](x).numpy(), rtol=1e-5,
                                       atol=1e-6)
        self.assertEqual((got.outputs.dtype, got.labels.dtype), (np.float32, np.int64))
        self.assertEqual(collect(model, TensorDataset(x, y), dtype="float16").outputs.dtype,
                         np.float16)

    def test_loaders_lists_and_dictionaries_of_batches(self):
        model, (x, y) = network(), rows()
        want = self.expected(model)
        loader = DataLoader(TensorDataset(x, y), batch_size=16)
        batches = [{"pixels": a, "target": b} for a, b in loader]
        for got in (collect(model, loader), collect(model, list(loader)),
                    collect(model, iter(loader)),
                    collect(model, batches, inputs="pixels", labels="target"),
                    collect(model, DataLoader(x, batch_size=8), labels=y)):
            np.testing.assert_allclose(got.outputs, want, rtol=1e-5, atol=1e-6)
            np.testing.assert_array_equal(got.labels, y.numpy())

    def test_modes_of_all_modules_come_back(self):
        model = network(nn.Dropout(0.5), nn.BatchNorm1d(8))
        model.train()
        model[2].eval()
        before = [module.training for module in model.modules()]
        want = self.expected(network(nn.Dropout(0.5), nn.BatchNorm1d(8)))
        got = collect(model, TensorDataset(*rows()))
        np.testing.assert_allclose(got.outputs, want, rtol=1e-5, atol=1e-6)
        self.assertEqual([module.training for module in model.modules()], before)
        self.assertIsNone(model[0].weight.grad)
        model.register_forward_hook(lambda *_: (_ for _ in ()).throw(RuntimeError("stop")))
        with self.assertRaises(RuntimeError):
            collect(model, TensorDataset(*rows()))
        self.assertEqual([module.training for module in model.modules()], before)

    def test_shuffled_rows_with_ids_come_in_the_order_of_ids(self):
        model = network()
        loader = DataLoader(WithIds(), batch_size=8, shuffle=True)
        got = collect(model, loader, ids=2)
        np.testing.assert_array_equal(got.ids, 1000 + np.arange(ROWS))
        np.testing.assert_array_equal(got.labels, rows()[1].numpy())
        np.testing.assert_allclose(got.outputs, self.expected(model), rtol=1e-5, atol=1e-6)

    def test_models_that_answer_with_objects_and_tuples(self):
        class Wrapped(nn.Module):
            def __init__(self, form):
                super().__init__()
                self.inner, self.form = network(), form

            def forward(self, x):
                answer = self.inner(x)
                return (answer, None) if self.form == "tuple" else type(
                    "Output", (), {"logits": answer})()

        want = self.expected(network())
        for form in ("tuple", "object"):
            got = collect(Wrapped(form), TensorDataset(*rows()))
            np.testing.assert_allclose(got.outputs, want, rtol=1e-5, atol=1e-6)


class Refusals(Case):
    def test_a_loader_that_shuffles(self):
        loader = DataLoader(TensorDataset(*rows()), shuffle=True)
        self.refuses("this loader shuffles", collect, network(), loader)
        self.refuses("loader shuffles", collect, network(), loader, labels=rows()[1], ids=0)
        weighted = DataLoader(TensorDataset(*rows()),
                              sampler=torch.utils.data.SubsetRandomSampler(range(10)))
        self.refuses("this loader shuffles", collect, network(), weighted)

    def test_rows_that_would_be_lost(self):
        self.refuses("drops its last batch, 2 rows", collect, network(),
                     DataLoader(TensorDataset(*rows()), batch_size=8, drop_last=True))

    def test_dropout_that_stays_on(self):
        class Always(nn.Module):
            def forward(self, x):
                return nn.functional.dropout(x, 0.5, training=True)

        self.refuses("answers differently when it is asked again", collect, network(Always()),
                     TensorDataset(*rows()))

    def test_rows_that_change_between_passes(self):
        self.refuses("random augmentation is on", collect, network(), Augmented())
        # Even unchecked, the next model's rows are compared with the first one's.
        evidence, original, retrained = vestige.Evidence(), network(), network()
        evidence.collect("original", 0, original, {"forget": Augmented()}, check=False)
        self.refuses("rows changed", evidence.collect, "retrained", 0, retrained,
                     {"forget": Augmented()}, check=False)
        self.assertEqual(evidence.keys(), ["digests/forget", "labels/forget", "original/0/forget"])

    def test_a_data_set_without_labels(self):
        x, _ = rows()
        self.refuses("without labels", collect, network(), DataLoader(x, batch_size=8))
        self.refuses("no labels at 1", collect, network(), TensorDataset(x))
        self.refuses("no labels at 'y'", collect, network(), [{"x": x}], inputs="x", labels="y")

    def test_outputs_that_are_nan_or_too_large(self):
        x, y = rows()
        x[17, 0] = float("nan")
        self.refuses("outputs of row 17 are NaN or infinite (1 of 50 rows)", collect, network(),
                     TensorDataset(x, y))
        self.refuses("do not fit into float16", collect, lambda_module(lambda z: z[:, :3] * 1e6 + 1e6),
                     TensorDataset(*rows()), dtype="float16")

    def test_labels_that_are_no_class_numbers(self):
        x, y = rows()
        self.refuses("argmax", collect, network(), TensorDataset(x, nn.functional.one_hot(y)))
        self.refuses("label 3 of row", collect, network(), TensorDataset(x, y + 1))
        self.refuses("no class numbers", collect, network(), TensorDataset(x, y + 0.5))
        self.assertEqual(collect(network(), TensorDataset(x, y.float())).labels.dtype, np.int64)
        self.refuses("49 rows and outputs 50", collect, network(), DataLoader(x, batch_size=8),
                     labels=y[:49])

    def test_messages_name_what_the_user_has(self):
        x, y = rows()
        several = (torch.arange(3) <= y[:, None]).long()
        self.refuses("rows with several labels or none: multi-label", collect, network(), TensorDataset(x, several))
        one = nn.Linear(FEATURES, 1)
        self.refuses("labels are -1 and 1, and the model gives one logit", collect, one,
                     TensorDataset(x, 2 * (y > 0).long() - 1))
        self.refuses("labels are None", collect, network(), DataLoader(x, batch_size=8), labels=None)
        self.refuses("the model is the path 'model.pt'", collect, "model.pt", TensorDataset(x, y))
        self.refuses("as a state_dict is", collect, network().state_dict(), TensorDataset(x, y))
        bytes_of = TensorDataset((x * 10).to(torch.uint8), y)
        self.refuses("inputs are uint8 and the model wants floating numbers", collect, network(), bytes_of)
        self.refuses("as (loss, logits) is", collect, lambda_module(lambda z: (z.sum(), z[:, :3])), TensorDataset(x, y))
        self.refuses("losses={split: losses}", collect, network(), TensorDataset(x, torch.rand(len(y))))
        self.refuses("losses={split: losses}", collect, lambda_module(lambda z: z[:, :, None, None].expand(-1, -1, 4, 4)),
                     TensorDataset(x, y))
        self.refuses("losses={split: losses}", collect, network(), TensorDataset(x, torch.rand(len(y), 4)))
        for dtype in (torch.float16, np.float16, "float16", np.dtype("float16")):
            self.assertEqual(collect(network(), TensorDataset(x, y), dtype=dtype).outputs.dtype, np.float16)

    def test_layers_that_are_not_there_or_used_twice(self):
        self.refuses("no layer 'head'", collect, network(),
                     TensorDataset(*rows()), layer="head")
        shared = nn.ReLU()
        model = nn.Sequential(shared, nn.Linear(FEATURES, CLASSES), shared)
        self.refuses("used twice", collect, model, TensorDataset(*rows()), layer="0")

    def test_ids_twice_empty_data_and_images_out(self):
        self.refuses("stands twice", collect, network(), TensorDataset(*rows()), ids=1)
        self.refuses("no rows", collect, network(), [])
        self.refuses("collect_causal", collect, lambda_module(lambda z: z[:, :, None]),
                     TensorDataset(*rows()))
        self.refuses("dtype 'float8'", collect, network(), TensorDataset(*rows()), dtype="float8")

    def test_another_device(self):
        """Inputs follow the model; the meta device stands for one that is not the CPU."""
        model = network().to("meta")
        asked = []
        model.register_forward_pre_hook(lambda _module, inputs: asked.append(inputs[0].device.type))
        with self.assertRaises(Exception):
            collect(model, TensorDataset(*rows()))  # meta tensors hold no numbers
        self.assertEqual(asked, ["meta"])


def lambda_module(function):
    class Module(nn.Module):
        def forward(self, x):
            return function(x)

    return Module()


class Stream(IterableDataset):
    def __iter__(self):
        return zip(*rows())


class ToVerdict(Case):
    def test_from_models_to_an_audit(self):
        x, y = rows()
        random = np.random.default_rng(0)
        splits = {}
        for split in ("forget", "retain", "test"):
            labels = torch.tensor(random.integers(0, CLASSES, 80))
            splits[split] = TensorDataset(torch.tensor(random.normal(size=(80, FEATURES)),
                                                       dtype=torch.float32), labels)
        evidence = vestige.Evidence()
        for role in ("original", "retrained", "unlearned/finetune"):
            evidence.collect(role, 0, network(), splits, layer="1")
        self.assertTrue(evidence.inspect())
        audit = vestige.audit(evidence, "utility,holdout_gap")
        accuracy = {row["subject"]["role"]: row["value"] for row in audit.results["results"]
                    if row["metric"] == "utility.accuracy.test"}
        with torch.no_grad():
            answers = network().eval()(splits["test"].tensors[0]).argmax(1)
        right = (answers == splits["test"].tensors[1]).double().mean().item()
        self.assertAlmostEqual(accuracy["original"], right)
        self.assertEqual(len(collect(network(), DataLoader(Stream(), batch_size=9))), ROWS)


if __name__ == "__main__":
    unittest.main()
