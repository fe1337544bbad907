"""Writes frechet.json: two samples whose covariances do not commute, and their Frechet distance by the
eigenvalues of the product of covariances, which is not symmetric. Run: python3 frechet.py > frechet.json"""
import json

import numpy as np

draw = np.random.default_rng(20)
mix = np.array([[2.0, 0.3, 0.0], [0.0, 1.0, 0.7], [0.5, 0.0, 0.4]])
first = draw.normal(size=(12, 3)).round(3)
second = (draw.normal(size=(15, 3)) @ mix + [1, -1, 0.5]).round(3)
means = first.mean(0) - second.mean(0)
left, right = np.cov(first.T), np.cov(second.T)
root = np.sqrt(np.linalg.eigvals(left @ right).real).sum()
distance = means @ means + np.trace(left) + np.trace(right) - 2 * root
print(json.dumps({"first": first.tolist(), "second": second.tolist(), "distance": distance}))
