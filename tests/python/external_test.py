"""Methods in Python for the lab: jobs, weights, and the eleven architectures against the lab's logits."""

import json
import os
import subprocess
import sys
import unittest

import numpy as np
from support import Case

try:
    import torch
except ImportError:
    raise SystemExit(77)

from vestige import _safetensors, architectures, external, lab

LAB = os.environ.get("VESTIGE_LAB")

# Parameters for 3 x 32 x 32 pixels and 10 classes: docs/lab/models.md, whose tests compare them with
# published counts. small_cnn by hand: (27 + 1) 16 + (144 + 1) 32 + (2048 + 1) 128 + 129 10.
COUNTS = {"allcnn": 1620010, "resnet18": 11173962, "resnet34": 21282122, "resnet50": 23520842,
          "vit": 2693578, "vgg11": 9231114,
          "vgg16": 14728266, "densenet": 769162, "mobilenet_v2": 2236682,
          "small_cnn": 448 + 4640 + 262272 + 1290}

RECIPE = """
seed = 3
data = { name = "synthetic", rows = 40, test_rows = 10, classes = 4, channels = 3, height = 32, width = 32 }
split = { train = 30, test = 10 }
forget = { kind = "random", count = 10 }
model = { name = "small_cnn" }
train = { epochs = 1, batch = 10, rate = 0.02 }
pool = { original = 1, retrained = 0 }
"""

# Leaves the weights alone and keeps what the torch module says about the forget rows.
SAYS = """
import os
import numpy as np
import torch


def unlearn(model, forget, retain):
    assert not model.training and len(forget) == 10 and len(retain) == 20
    with torch.no_grad():
        inputs = torch.stack([row for row, _ in forget])
        logits = model(inputs).numpy()
    np.savez(os.environ["VESTIGE_TEST_SAYS"], inputs=inputs.numpy(), logits=logits,
             labels=[int(y) for _, y in forget])
"""

# Changes the weights: one step up the loss of the forget rows.
ASCENT = """
import torch


def unlearn(model, forget, retain, job):
    x, y = (torch.stack(list(column)) for column in zip(*forget))
    loss = torch.nn.functional.cross_entropy(model(x), y)
    for parameter, slope in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()))):
        parameter.data += 0.5 * slope
    return model
"""


class Architectures(Case):
    def test_parameters_are_as_many_as_the_lab_documents(self):
        for name, count in COUNTS.items():
            module = architectures.make(name, (3, 32, 32), 10)
            self.assertEqual(sum(p.numel() for p in module.parameters()), count, name)
        table = architectures.make("mlp", (600,), 100)
        self.assertEqual(sum(p.numel() for p in table.parameters()), 1317348)
        self.assertEqual(set(COUNTS) | {"mlp"}, set(architectures.NAMES))
        self.refuses("other options than widht", architectures.make,
                     {"name": "small_cnn", "widht": 8}, (1, 8, 8), 2)
        self.refuses("'resnet' is unknown", architectures.make, "resnet", (3, 32, 32), 10)

    def test_weights_survive_a_file(self):
        torch.manual_seed(0)
        one, other = (architectures.make({"name": "mobilenet_v2"}, (3, 32, 32), 10).eval()
                      for _ in range(2))
        external.save(one, self.path("w.safetensors"))
        external.load(other, self.path("w.safetensors"))
        x = torch.randn(2, 3, 32, 32)
        self.assertTrue(torch.equal(one(x), other(x)))
        self.refuses("belongs to another model", external.load,
                     architectures.make("vit", (3, 32, 32), 10), self.path("w.safetensors"))


class Jobs(Case):
    def folder_of_a_job(self):
        module = architectures.make({"name": "mlp", "widths": [5]}, (4,), 3)
        os.mkdir(self.path("job"))
        external.save(module, self.path("job", "original.safetensors"))
        x = np.arange(24, dtype=np.float32).reshape(6, 4)
        _safetensors.write(self.path("job", "data.safetensors"), {
            "inputs": x, "labels": np.array([0, 1, 2, 0, 1, 2]), "rows": np.array([7, 3, 9, 1, 4, 5])})
        for name, content in (("split", {"retain": [7, 3, 9], "forget": [4, 1], "validation": [5]}),
                              ("options", {"options": {"rate": 2}, "seed": 5, "classes": 3,
                                           "shape": [4], "model": {"name": "mlp", "widths": [5]}})):
            with open(self.path("job", name + ".json"), "w", encoding="utf-8") as file:
                json.dump(content, file)
        return module, x

    def test_a_job_is_read_and_answered(self):
        module, x = self.folder_of_a_job()
        job = external.read_job(self.path("job"))
        self.assertEqual((job.options, job.seed), ({"rate": 2}, 5))
        forget = job.data("forget")
        np.testing.assert_array_equal(forget.tensors[0].numpy(), x[[4, 3]])
        self.assertEqual(forget.tensors[1].tolist(), [1, 0])
        self.assertTrue(torch.equal(job.model().output.weight, module.output.weight))
        with open(self.path("method.py"), "w", encoding="utf-8") as file:
            file.write(ASCENT)
        external.run(self.path("method.py"), self.path("job"))
        after = _safetensors.read(self.path("job", "unlearned.safetensors"))
        self.assertFalse(np.array_equal(after["output.bias"], module.output.bias.detach().numpy()))
        with open(self.path("job", "cost.json"), encoding="utf-8") as file:
            self.assertGreater(json.load(file)["seconds"], 0)

    def test_files_without_the_function(self):
        self.folder_of_a_job()
        with open(self.path("method.py"), "w", encoding="utf-8") as file:
            file.write("def forget(model): pass\n")
        ran = subprocess.run([sys.executable, "-m", "vestige.external", self.path("method.py"),
                              self.path("job")], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("has no function unlearn(model, forget, retain): write one", ran.stderr)
        self.refuses("there is no job", external.read_job)


@unittest.skipUnless(LAB, "needs the lab")
class WithTheLab(Case):
    def setUp(self):
        super().setUp()
        with open(self.path("recipe.toml"), "w", encoding="utf-8") as file:
            file.write(RECIPE)

    def verb(self, verb, method, **options):
        return lab.run(verb, self.path("recipe.toml"), progress=False, quiet=verb != "collect" or None,
                       external=self.path(method), pool=self.path("pool"), threads=1, **options)

    def test_a_method_sees_what_the_lab_sees(self):
        said = self.said("small_cnn")
        np.testing.assert_array_equal(said["labels"], np.load(self.path("seen", "labels", "forget.npy")))
        for role in ("original/0", "unlearned/says/0"):
            want = np.load(self.path("seen", *role.split("/"), "forget.npy"))
            self.assertLess(np.abs(said["logits"] - want).max(), 1e-5, role)
            self.assertGreater(want.std(), 1e-3)

    def said(self, name):
        """What a torch module says in a job of the lab; the lab's own answers are in seen/."""
        with open(self.path("says.py"), "w", encoding="utf-8") as file:
            file.write(SAYS)
        os.environ["VESTIGE_TEST_SAYS"] = self.path("says.npz")
        model = {"model.name": name}
        self.verb("unlearn", "says.py", set=model)
        self.verb("collect", "says.py", set=model, out=self.path("seen"))
        return np.load(self.path("says.npz"))

    def test_logits_of_all_eleven_architectures_agree(self):
        # Rows of one job; the weights of the others are read here, because Python with torch takes
        # seconds to start.
        rows = torch.from_numpy(self.said("small_cnn")["inputs"])
        for name in architectures.NAMES:
            pool = self.path("pool-" + name)
            options = {"set": {"model.name": name}, "pool": pool, "threads": 1, "progress": False}
            lab.run("train", self.path("recipe.toml"), quiet=True, **options)
            lab.run("collect", self.path("recipe.toml"), out=self.path(name), **options)
            (trained,) = os.listdir(pool)
            module = architectures.make(name, (3, 32, 32), 4).eval()
            external.load(module, os.path.join(pool, trained, "model.safetensors"))
            want = np.load(self.path(name, "original", "0", "forget.npy"))
            with torch.no_grad():
                self.assertLess(np.abs(module(rows).numpy() - want).max(), 1e-5, name)
            self.assertGreater(want.std(), 1e-3)

    def test_a_method_changes_the_model_and_its_text_names_it(self):
        with open(self.path("ascent.py"), "w", encoding="utf-8") as file:
            file.write(ASCENT)
        first = self.verb("unlearn", "ascent.py")
        self.assertIn("ascent", first)
        self.verb("collect", "ascent.py", out=self.path("evidence"))
        before, after = (np.load(self.path("evidence", role, "0", "forget.npy"))
                         for role in ("original", "unlearned/ascent"))
        self.assertGreater(np.abs(before - after).max(), 1e-4)
        models = set(os.listdir(self.path("pool")))
        with open(self.path("ascent.py"), "a", encoding="utf-8") as file:
            file.write("# edited\n")
        self.verb("unlearn", "ascent.py")
        self.assertGreater(len(set(os.listdir(self.path("pool"))) - models), 0)
        self.refuses("there is no such file", self.verb, "unlearn", "other.py")


if __name__ == "__main__":
    unittest.main()
