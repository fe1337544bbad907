"""Unlearning methods in Python for the lab.

Write a file with ``def unlearn(model, forget, retain)`` and run ``vestige unlearn RECIPE --external
file.py``: the lab starts this module for every model, which reads the job, calls the function with a
torch module and two data sets, and writes the weights and the seconds that it took.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import time

import numpy as np

from vestige import _safetensors

__all__ = ["Job", "read_job", "run"]


class Job:
    """One model to unlearn: what the lab laid into the folder (docs/methods/external.md)."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "options.json"), encoding="utf-8") as file:
            settings = json.load(file)
        with open(os.path.join(folder, "split.json"), encoding="utf-8") as file:
            self.split = json.load(file)
        self.options = settings["options"]
        self.seed = settings["seed"]
        self.classes = settings["classes"]
        self.shape = settings["shape"]
        self.model_options = settings.get("model", {})

    def model(self):
        """The original as a torch module in eval mode."""
        from vestige.architectures import make

        module = make(self.model_options, self.shape, self.classes)
        return load(module, os.path.join(self.folder, "original.safetensors")).eval()

    def data(self, part):
        """A data set of (input, label): "forget", "retain" or "validation"; needs data = true."""
        import torch
        from torch.utils.data import TensorDataset

        path = os.path.join(self.folder, "data.safetensors")
        if not os.path.exists(path):
            raise ValueError("the job has no data.safetensors: set data = true in its [[methods]] table")
        arrays = _safetensors.read(path)
        places = {row: place for place, row in enumerate(arrays["rows"].tolist())}
        chosen = np.array([places[row] for row in self.split[part]], dtype=np.int64)
        return TensorDataset(torch.from_numpy(arrays["inputs"][chosen]),
                             torch.from_numpy(arrays["labels"][chosen]))

    def write(self, module, seconds, *, steps=None, samples=None):
        """The unlearned weights and what they cost."""
        save(module, os.path.join(self.folder, "unlearned.safetensors"))
        cost = {"seconds": seconds, "steps": steps, "samples": samples}
        with open(os.path.join(self.folder, "cost.json"), "w", encoding="utf-8") as file:
            json.dump({key: value for key, value in cost.items() if value is not None}, file)


def read_job(folder=None):
    """The job in a folder, by default the one that the lab names."""
    folder = folder or os.environ.get("VESTIGE_FOLDER")
    if not folder:
        raise ValueError("there is no job: the lab starts this by vestige unlearn --external FILE")
    return Job(folder)


def load(module, path):
    """Weights of the lab's file into a module of ``vestige.architectures``; every name must fit."""
    import torch

    arrays = _safetensors.read(path)
    wanted = {name: tensor for name, tensor in module.state_dict().items()
              if not name.endswith("num_batches_tracked")}
    for name, tensor in wanted.items():
        if name not in arrays or tuple(arrays[name].shape) != tuple(tensor.shape):
            there = f"{list(arrays[name].shape)}" if name in arrays else "missing"
            raise ValueError(f"{path}: the tensor {name} is {there}, this architecture has "
                             f"{list(tensor.shape)}: the file belongs to another model")
    for name in arrays:
        if name not in wanted:
            raise ValueError(f"{path}: the tensor {name} is not part of this architecture")
    module.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in arrays.items()},
                           strict=False)
    return module


def save(module, path):
    """Weights and running statistics under the lab's names, float32."""
    _safetensors.write(path, {
        name: tensor.detach().float().cpu().contiguous().numpy()
        for name, tensor in module.state_dict().items() if not name.endswith("num_batches_tracked")})


def run(path, folder=None):
    """Calls ``unlearn`` of a Python file on a job; the time is that of the call alone."""
    job = read_job(folder)
    function = _function(path)
    import torch

    torch.manual_seed(job.seed % (1 << 63))
    module, forget, retain = job.model(), job.data("forget"), job.data("retain")
    given = {"job": job} if "job" in inspect.signature(function).parameters else {}
    start = time.perf_counter()
    result = function(module, forget, retain, **given)
    seconds = time.perf_counter() - start
    if result is None:
        result = module
    if not isinstance(result, torch.nn.Module):
        raise ValueError(f"unlearn gave {type(result).__name__}: give the module back, or nothing if it "
                         "was changed in place")
    job.write(result, seconds)


def _function(path):
    scope = {"__name__": "unlearning_method", "__file__": path}
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), scope)
    if not callable(scope.get("unlearn")):
        raise ValueError(f"{path} has no function unlearn(model, forget, retain): write one")
    return scope["unlearn"]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python3 -m vestige.external FILE.py [FOLDER]")
    try:
        run(*sys.argv[1:3])
    except ValueError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
