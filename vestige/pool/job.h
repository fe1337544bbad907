// A job: one piece of work that puts one or more models into the pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "vestige/base/json.h"

namespace vestige::pool {

/// What a model is before it exists. `what` holds everything that shapes its bytes (data, split,
/// architecture, recipe, seed, threads, copies per graph, recipe code version); its hash is the
/// model's name.
struct Identity {
  std::string label;  ///< for people: "original/3", "unlearned/finetune/3"
  Json what;

  /// The first 20 hexadecimal digits of SHA-256 of `what` with sorted keys.
  std::string name() const;
};

/// A finished model: its files by name ("model.safetensors", ...) and facts that do not shape it
/// (accuracy, seconds), which `vestige models` lists.
struct Product {
  std::map<std::string, std::string> files;
  Json facts;
};

/// How far the work is; the worker shows it and writes it into the heartbeat.
struct Report {
  double images = 0;        ///< done so far
  double total_images = 0;  ///< of this job
  double loss = 0;
  double accuracy = 0;  ///< of the training batches so far in this epoch
};

struct Job {
  std::vector<Identity> models;    ///< usually one; k where k models are trained in one graph
  double images = 0;               ///< size of the work, for the time left
  std::vector<std::string> needs;  ///< names of models that must be in the pool first
  /// Does the work and returns one product per model. Calls `report` every now and then; that call
  /// throws Interrupted after Ctrl-C.
  std::function<std::vector<Product>(const std::function<void(const Report&)>& report)> make;
  /// The same with at most `graph` models in one graph, for a job at which a process has died;
  /// empty where there is nothing to make smaller.
  std::function<std::vector<Product>(const std::function<void(const Report&)>& report,
                                     std::size_t graph)>
      make_smaller = {};
};

}  // namespace vestige::pool
