// An experiment: its variants, what methods cost, and what its audits say together.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vestige/result/study.h"

namespace vestige::result {

/// One variant of the recipe, of one split.
struct ExperimentVariant {
  std::string name{};
  std::uint64_t split_seed = 0;
  Json factors = Json::object();  ///< what sets it apart from the others
  Json recipe = Json::object();   ///< its recipe, as it was read
  std::string split{};            ///< SHA-256 of the split
  Json models{};                  ///< how many models: by role, or all together
  std::optional<std::size_t> methods{};
  std::optional<std::size_t> runs{};

  static constexpr std::string_view kType = "ExperimentVariant";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &ExperimentVariant::name, "name of the variant");
    visit("split_seed", &ExperimentVariant::split_seed, "seed of its split");
    visit("factors", &ExperimentVariant::factors, "what sets it apart from the others");
    visit("recipe", &ExperimentVariant::recipe, "its recipe");
    visit("split", &ExperimentVariant::split, "SHA-256 of its split");
    visit("models", &ExperimentVariant::models, "number of models: by role, or all together");
    visit("methods", &ExperimentVariant::methods, "number of methods; null where unknown");
    visit("runs", &ExperimentVariant::runs, "number of runs of methods; null where unknown");
  }
};

/// What one run of a method costs, on average, beside retraining.
struct MethodCost {
  std::string method{};
  double seconds = kUndefined;
  double retraining_seconds = kUndefined;
  double ratio = kUndefined;
  double steps = kUndefined;
  double samples = kUndefined;
  std::size_t n = 0;

  static constexpr std::string_view kType = "MethodCost";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("method", &MethodCost::method, "name of the method");
    visit("seconds", &MethodCost::seconds, "mean seconds of a run");
    visit("retraining_seconds", &MethodCost::retraining_seconds, "mean seconds of a retraining");
    visit("ratio", &MethodCost::ratio, "seconds over those of retraining");
    visit("steps", &MethodCost::steps, "mean number of optimiser steps");
    visit("samples", &MethodCost::samples, "mean number of examples seen");
    visit("n", &MethodCost::n, "runs");
  }
};

/// One value per epoch.
struct EpochCurve {
  std::vector<double> accuracy{};
  std::vector<double> loss{};  ///< empty for methods

  static constexpr std::string_view kType = "EpochCurve";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("accuracy", &EpochCurve::accuracy, "accuracy after each epoch");
    visit("loss", &EpochCurve::loss, "loss after each epoch; empty for methods");
  }
};

/// A model during its training or unlearning.
struct History {
  std::string variant{};
  std::string model{};                        ///< role, or label of the method
  std::map<std::string, EpochCurve> parts{};  ///< by the examples: "train", "forget", ...

  static constexpr std::string_view kType = "History";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("variant", &History::variant, "variant of the experiment");
    visit("model", &History::model, "role of the model, or name of the method");
    visit("parts", &History::parts, "curves by the examples: train, validation, retain, ...");
  }
};

struct Experiment {
  std::string recipe{};
  std::string size{};
  std::string notes{};
  std::string shown{};  ///< whose evidence, series and remembered examples stand for the others
  std::vector<ExperimentVariant> variants{};
  std::vector<MethodCost> costs{};
  std::vector<History> histories{};
  Study study{};

  static constexpr std::string_view kType = "Experiment";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("recipe", &Experiment::recipe, "name of the recipe");
    visit("size", &Experiment::size, "size that was asked for");
    visit("notes", &Experiment::notes, "notes of the recipe");
    visit("shown", &Experiment::shown, "variant and split whose evidence stands for the others");
    visit("variants", &Experiment::variants, "the variants");
    visit("costs", &Experiment::costs, "what methods cost");
    visit("histories", &Experiment::histories, "models during training; may be empty");
    visit(kInline, &Experiment::study, "what the audits say together");
  }
};

}  // namespace vestige::result
