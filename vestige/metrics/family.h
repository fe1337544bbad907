// A metric family as everybody else knows it: one declaration with its ids, options, needs, words
// and plots, and how it measures. metrics/registry.cpp lists the families; audit, report, study,
// experiment and the command line loop over that list and know no metric by name.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/json.h"
#include "vestige/base/progress.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/options.h"
#include "vestige/metrics/result.h"

namespace vestige::metrics {

/// How a metric speaks in a verdict.
struct Speech {
  int place = 0;           ///< metrics with smaller numbers speak first
  std::string_view under;  ///< what it says when the method lies on the original's side
  std::string_view over;   ///< ... and on the far side
  bool core = false;       ///< equivalence must hold on it
  /// Whether equivalence may rest on it where it is the only core metric.
  bool enough = true;
  /// Separates forget from retain rows, so that a model that lost its retain rows looks like one
  /// that remembers: not read as under-forgetting where utility on retain is lost.
  bool against_retain = false;
  /// Counts distance in either direction; the side comes from facts.above.
  bool distance = false;
  /// The id of the same number on rows that nobody saw. Where it was measured and rows were
  /// forgotten at random, the verdict takes the difference of the two: a model that is less sure of
  /// everything is so on forget rows too.
  std::string_view unseen = {};
};

/// One id that a family can produce.
struct MetricInfo {
  std::string_view id;  ///< begins with the family's name and a point
  Direction direction;
  double ideal;                      ///< NaN: no ideal but the retrained model's value
  std::string_view name;             ///< plain words for a column or a sentence: "IAM AUC"
  std::string_view what;             ///< "share of forget rows ..."; one phrase, no full stop
  bool shows_forgetting = false;     ///< the audit asks whether it tells original from retrained
  std::string_view utility_of = {};  ///< it is the accuracy kept on this split: "retain", "test"
  /// The id whose place it takes as utility wherever both were measured.
  std::string_view replaces = {};
  bool likelihood = false;      ///< ... or the likelihood of language models, in nats
  bool moved = false;           ///< how far the original's answers on forget rows were moved
  std::string_view brief = {};  ///< heading in an experiment's brief table; empty: not in it
  bool tunes = false;           ///< what tuning goes for unless a recipe says otherwise
  std::string_view over = {};   ///< the setting over which its values make a curve: "alpha"
  std::optional<Speech> speech = {};
  /// Ids that it is worked out from: where the controls of one of them fail, it has failed too.
  std::vector<std::string_view> parts = {};
};

/// What values of a metric can be.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};
inline constexpr Range kShare = {0, 1};
inline constexpr Range kPercent = {0, 100};
inline constexpr Range kCorrelation = {-1, 1};
inline constexpr Range kFromZero = {.least = 0};

/// How the points that a family gives are shown.
struct SeriesInfo {
  std::string_view kind;     ///< "histogram", "sorted", "curve", "roc", "examples"
  std::string_view metric;   ///< Series::metric, or its beginning
  std::string_view section;  ///< heading below which the plot stands
  std::string_view title;    ///< {} stands for metric and setting
  std::string_view how;      ///< how to read it, one or two sentences
  std::string_view axis;     ///< what the points are: "Membership score"
};

using Models = std::vector<const evidence::Model*>;

/// Whose numbers are asked for, and what they are compared with.
struct Comparison {
  const evidence::Evidence* evidence = nullptr;
  Subject subject;         ///< of the rows
  std::string short_name;  ///< for column names: "finetune", "original", "constant_predictor"
  Models candidate;        ///< the models in question; one for families of single models
  Models retrained;        ///< what they are compared with; never holds a candidate
  Models original;         ///< the originals, paired with candidates where names pair
  Control control = Control::none;
  /// True when candidate and retrained are halves of their pools, so that controls with the same
  /// number of models exist ("retrained models at equal N").
  bool halves = false;
};

/// How to measure.
struct Request {
  std::uint64_t seed = 1;
  Json options = Json::object();  ///< options in force by key, e.g. {"epsilon.mode": "exact"}
  Context context = {};           ///< memory and cache; loops already run on its threads
};

/// What the evidence supports, for `vestige inspect`.
struct Support {
  bool supported = false;
  Reason reason{};  ///< what is missing and what to add; or a caution
};

/// What one comparison of a family is about.
enum class Unit {
  model,  ///< every model by itself
  group,  ///< all models of a method together; the retrained group is measured as it stands
  pool,   ///< as group, and again at half the models, where the retrained pool has two halves, so
          ///< that retrained and original stand at the same number of models as the methods
  whole,  ///< the evidence once: a comparison without candidates
};

/// All that is known before the first comparison is measured. It outlives what `prepare` returns.
struct Preparation {
  const evidence::Evidence& evidence;
  const Request& request;
  std::span<const Comparison> comparisons;
  Progress* progress = nullptr;  ///< a step per comparison; `expect` says what else is counted
};

/// What measuring a family on some evidence takes, known before it begins.
struct Cost {
  double seconds = 0;      ///< of one core, by the rates in docs/performance.md
  Reason work{};           ///< how many models and examples
  std::size_t rows = 0;    ///< examples before the option `rows` limits them
  std::size_t fewest = 0;  ///< with fewer examples it has no answer
};

/// Measures one comparison; called from several threads at once.
using Measure = std::function<Measurements(const Comparison&, Progress&)>;

/// What an experiment will have, before any of its models is trained.
struct Planned {
  std::map<std::string, std::int64_t> models;  ///< role -> how many; unlearned: per method
  std::string forget;                          ///< how forget rows are drawn: "random", "class"
  Json options = Json::object();               ///< options in force
  std::function<bool(std::string_view)> asks;  ///< whether an id, or the beginning of ids, is asked
};

struct Family {
  std::string_view name;
  std::string_view summary;
  std::vector<MetricInfo> metrics;
  /// Beginnings of ids and what their values can be; the longest that fits counts.
  std::vector<std::pair<std::string_view, Range>> ranges = {};
  std::function<Support(const evidence::Evidence&)> support = {};
  /// Does once per evidence what all comparisons share, and returns how one is measured.
  std::function<Measure(const Preparation&)> prepare;
  Unit unit = Unit::model;
  std::vector<Option> options = {};
  /// Verdicts rest on its rows, whatever was asked for: it is always measured, and must be cheap.
  bool guards = false;
  /// Too slow for what it says to be measured by everybody: only where --metrics names it.
  bool on_request = false;
  bool checkpoints = false;  ///< also measured on the models at fractions of training
  /// samples.csv also gets the sum of its columns over methods: rows that are hard for all.
  bool sums_columns = false;
  std::vector<std::string_view> companions = {};  ///< families that come along when it is named
  std::vector<SeriesInfo> series = {};
  /// Beginnings of ids in earlier versions, and what they are now.
  std::vector<std::pair<std::string_view, std::string_view>> formerly = {};
  /// Why a planned experiment cannot give what it asks for, with the remedy; empty if it can.
  Reason (*impossible)(const Planned&) = nullptr;
  /// Why what it would hold does not fit the context's memory under these options, with the remedy;
  /// empty if it does.
  Reason (*too_large)(const evidence::Evidence&, const Json& options, const Context&) = nullptr;
  /// What it takes under these options (in force, by key), for families whose time can explode;
  /// cheap to ask. Only where `support` says yes.
  std::optional<Cost> (*cost)(const evidence::Evidence&, const Json& options) = nullptr;
  /// Seconds for one model by a shorter trial, where trying the whole family would take too long;
  /// nothing where it would not. For estimates of time.
  std::optional<double> (*seconds_per_model)(const evidence::Evidence&, const Json& options,
                                             const Context&) = nullptr;
};

/// `prepare` of a family that shares nothing between comparisons.
std::function<Measure(const Preparation&)> each(Measurements (*measure)(const Comparison&,
                                                                        const Request&, Progress&));

/// Whether the evidence supports the family under these options (in force, by key) and within the
/// context's memory.
Support support_of(const Family& family, const evidence::Evidence& evidence, const Json& options,
                   const Context& context);

/// Whether it has options setup, models and experiments, for the competition's ways to use a pool.
bool takes_setups(const Family& family);

/// Every family, in the order in which they are reported.
std::span<const Family> families();

/// Adds a family to those of the registry until it is destroyed: for programs with metrics of their
/// own (Python's vestige.metric), and for tests. No audit may run meanwhile. Texts that the family
/// views must outlive it; its name is in no other family.
class AddedFamily {
 public:
  explicit AddedFamily(Family family);
  ~AddedFamily();
  AddedFamily(const AddedFamily&) = delete;
  AddedFamily& operator=(const AddedFamily&) = delete;

 private:
  std::string name_;
};

/// The id's description, nullptr if unknown.
const MetricInfo* find_metric(std::string_view id);
/// Whether another metric takes the id's place; `measured` says which ids there are.
bool is_replaced(std::string_view id, const std::function<bool(std::string_view)>& measured);
/// The family that has the id, nullptr if unknown.
const Family* family_of(std::string_view id);
/// What values of the id can be; without limits if its family does not say.
Range range_of(std::string_view id);
/// The interval as far as it lies within what the id's values can be.
Estimate within(std::string_view id, Estimate estimate);
/// The family's words for a series, nullptr if it says nothing about it.
const SeriesInfo* find_series(std::string_view kind, std::string_view metric);

/// What an id or a beginning of ids was renamed to; empty if it was not.
std::string renamed(std::string_view id);

/// A row with direction and ideal filled in from the id's description.
Row make_row(std::string_view id, const Comparison& comparison, const Request& request);

Subject subject_of(const evidence::Model& model);
Subject subject_of(const evidence::Group& group);

}  // namespace vestige::metrics
