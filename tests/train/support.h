// A tiny lab on synthetic data.
#pragma once

#include <memory>

#include "vestige/train/lab.h"
#include "vestige/train/workshop.h"

namespace vestige::testing {

/// 400 rows of 8 x 8 images in 4 classes, 40 forgotten; `changes` are "train.epochs=2" and the
/// like.
inline std::shared_ptr<const train::Lab> tiny_lab(const std::vector<std::string>& changes = {}) {
  Json table = parse_toml(
      "seed = 1\n"
      "data = {name = 'synthetic', rows = 1000, test_rows = 200, classes = 4, height = 8, width = "
      "8}\n"
      "split = {train = 400, validation = 100, shadow = 300}\n"
      "forget = {kind = 'random', count = 40}\n"
      "model = {name = 'small_cnn', width = 4}\n"
      "train = {epochs = 3, batch = 32, rate = 0.05}\n",
      "tiny");
  for (const std::string& change : changes) set_option(table, change);
  return train::open_lab(train::make_recipe(table, "tiny.toml"), "cpu");
}

}  // namespace vestige::testing
