// What a metric family is to the audit: its ids, what evidence it needs, and how it measures one
// comparison. metrics/registry.cpp lists them all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/base/progress.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/result.h"

namespace vestige::metrics {

/// One id that a family can produce.
struct MetricInfo {
  std::string_view id;
  Direction direction;
  double ideal;           ///< NaN: no ideal but the retrained model's value
  std::string_view what;  ///< "share of forget rows ..."; one phrase, no full stop
  bool shows_forgetting;  ///< true: the audit asks whether it can tell original from retrained
};

using Models = std::vector<const evidence::Model*>;

/// Whose numbers are asked for, and what they are compared with.
struct Comparison {
  const evidence::Evidence* evidence = nullptr;
  std::string model;       ///< the label of the rows: "unlearned/finetune" or ".../0"
  std::string short_name;  ///< for column names: "finetune", "original", "collapsed"
  Models candidate;        ///< the models in question; one for families of single models
  Models retrained;        ///< what they are compared with; never holds a candidate
  Models original;         ///< the originals, paired with candidates where names pair
  Control control = Control::none;
  /// True when candidate and retrained are halves of their pools, so that controls with the same
  /// number of models exist ("floor at equal N").
  bool halves = false;
};

/// How to measure.
struct Request {
  std::uint64_t seed = 1;
  Json options = Json::object();  ///< command-line options by name, e.g. {"epsilon.mode": "exact"}
};

/// What the evidence supports, in a sentence for `vestige inspect`.
struct Support {
  bool supported = false;
  std::string sentence;  ///< what is missing and what to add; or a caution
};

/// What one comparison of a family is about.
enum class Unit {
  model,  ///< every model by itself
  group,  ///< all models of a method together; the retrained group is measured as it stands
  pool,   ///< as group, and again at half the models, where the retrained pool has two halves, so
          ///< that floor and ceiling stand at the same number of models as the methods
  whole,  ///< the evidence once: a comparison without candidates
};

struct Family {
  std::string_view name;
  std::string_view summary;
  std::span<const MetricInfo> ids;
  Unit unit;
  Support (*support)(const evidence::Evidence&);
  Measurements (*measure)(const Comparison&, const Request&, Progress&);
  bool checkpoints = false;  ///< also measured on the models at fractions of training
};

/// Every family, in the order in which they are reported.
std::span<const Family> families();

/// The id's description, nullptr if unknown.
const MetricInfo* find_metric(std::string_view id);

/// A row with direction and ideal filled in from the id's description.
Row make_row(std::string_view id, const Comparison& comparison, const Request& request);

}  // namespace vestige::metrics
