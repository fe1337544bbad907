// Rows of the plain protocol.
#include "vestige/metrics/mia_protocol/mia_protocol_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/inputs/iam_evidence.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/mia_protocol/mia_protocol.h"
#include "vestige/metrics/scores/lira.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

std::vector<MetricInfo> mia_protocol_metrics() {
  const auto of = [](std::string_view id, std::string_view name, std::string_view what,
                     std::string_view brief = {}) {
    return MetricInfo{.id = id,
                      .direction = Direction::match,
                      .ideal = id.ends_with(".auc") ? 0.5 : kUndefined,
                      .name = name,
                      .what = what,
                      .brief = brief};
  };
  return {
      of("mia_protocol.iam.auc", "plain membership AUC of IAM",
         "AUC of IAM in telling training examples of a model from other examples", "D.4 IAM"),
      of("mia_protocol.iam.tpr", "plain membership TPR of IAM",
         "share of training examples that IAM finds at a low false positive rate"),
      of("mia_protocol.lira.auc", "plain membership AUC of LiRA",
         "the same by the likelihood-ratio attack", "D.4 LiRA"),
      of("mia_protocol.lira.tpr", "plain membership TPR of LiRA",
         "the same by the likelihood-ratio attack"),
      of("mia_protocol.rmia.auc", "plain membership AUC of RMIA",
         "the same by the pairwise likelihood ratio"),
      of("mia_protocol.rmia.tpr", "plain membership TPR of RMIA",
         "the same by the pairwise likelihood ratio"),
  };
}

struct ProtocolSettings {
  std::vector<double> shadows = {2};
  std::size_t targets = 0;
};

const OptionTable<ProtocolSettings>& protocol_options() {
  using Settings = ProtocolSettings;
  static const auto even = [](const Json& list) -> std::string {
    const bool fits = std::all_of(list.begin(), list.end(), [](const Json& value) {
      const auto number = value.get<double>();
      return number >= 2 && std::fmod(number, 2) == 0;
    });
    return fits ? "" : "half are IN and half OUT: give even numbers, 2 or more";
  };
  static const OptionTable<Settings> table =
      OptionTable<Settings>("mia_protocol")
          .numbers(
              "shadows",
              "Numbers of shadow models of the plain protocol, half IN and half OUT, e.g. 2,8",
              [](Settings & s) -> auto& { return s.shadows; }, even)
          .formerly("protocol.shadows")
          .count(
              "targets", "Number of models that the plain protocol attacks, the first ones; 0: all",
              [](Settings & s) -> auto& { return s.targets; })
          .formerly("protocol.targets");
  return table;
}

constexpr std::size_t kFewestModels = 4;

/// Membership models that say of every row what they think and whether they were trained on it.
Models membership_models(const evidence::Evidence& evidence) {
  Models models;
  const evidence::Group* group = evidence.find("membership");
  if (group == nullptr) return models;
  for (const evidence::Model& model : group->models) {
    const bool known = model.members.count("forget") > 0 && model.members.count("retain") > 0;
    if (known && covers(model, query_splits())) models.push_back(&model);
  }
  return models;
}

/// Probabilities and marks of all rows, the population, and who has how many IN models.
struct Pool {
  Matrix probabilities, population;
  std::vector<std::uint8_t> keep;
};

Pool read_pool(const Context& context, const evidence::Evidence& evidence, const Models& models) {
  Pool pool;
  const std::vector<std::string_view> test = {"test"};
  const bool population = std::all_of(models.begin(), models.end(), [&](const auto* model) {
    return covers(*model, test) && evidence.find_labels("test") != nullptr;
  });
  for (std::size_t index = 0; index < models.size(); ++index) {
    const evidence::Model& model = *models[index];
    const auto fill = [&](Matrix& target, const std::vector<double>& values) {
      if (index == 0) target = Matrix(models.size(), values.size());
      std::copy(values.begin(), values.end(), target.row(index).begin());
    };
    fill(pool.probabilities, true_class(context, evidence, model, query_splits()).probability);
    if (population) fill(pool.population, true_class(context, evidence, model, test).probability);
    for (const std::string_view split : query_splits()) {
      for (const std::int64_t mark : model.members.at(std::string(split)).integers()) {
        pool.keep.push_back(static_cast<std::uint8_t>(mark));
      }
    }
  }
  return pool;
}

/// Only the rows that have `side` IN and `side` OUT models besides any target.
Pool with_enough(const Pool& pool, std::size_t side) {
  const std::size_t models = pool.probabilities.rows();
  const std::size_t rows = pool.probabilities.cols();
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t in = 0;
    for (std::size_t model = 0; model < models; ++model) in += pool.keep[model * rows + row];
    const std::size_t out = models - in;
    // A target counts on its own side; a side without models has no target.
    if (in >= side + 1 && out >= side + 1) kept.push_back(row);
  }
  Pool fewer{Matrix(models, kept.size()), pool.population, {}};
  for (std::size_t model = 0; model < models; ++model) {
    for (std::size_t index = 0; index < kept.size(); ++index) {
      fewer.probabilities(model, index) = pool.probabilities(model, kept[index]);
      fewer.keep.push_back(pool.keep[model * rows + kept[index]]);
    }
  }
  return fewer;
}

class Protocol {
 public:
  Protocol(const Comparison& comparison, const Request& request, std::size_t targets,
           Measurements& out)
      : comparison_(comparison), request_(request), targets_(targets), out_(out) {}

  void measure(const Pool& all, std::size_t shadows) {
    const Pool pool = with_enough(all, shadows / 2);
    rows_ = pool.probabilities.cols();
    left_out_ = all.probabilities.cols() - rows_;
    shadows_ = shadows;
    models_ = pool.probabilities.rows();
    MiaProtocol result;
    if (rows_ > 0) {
      const IamSettings settings = iam_settings(request_);
      result = mia_protocol({pool.probabilities, pool.keep, pool.population},
                            {.shadows = shadows,
                             .targets = targets_,
                             .seed = request_.seed,
                             .response = settings.response,
                             .iam = settings.iam});
    }
    add("iam", result.iam, Code::attack_without_score);
    add("lira", result.lira, Code::attack_without_score);
    add("rmia", result.rmia,
        pool.population.cols() == 0
            ? reason(Code::needs_unseen_examples, "membership/NAME/test.npy")
            : Code::attack_without_score);
  }

 private:
  Row make(const std::string& id, const ProtocolScore& score) const {
    Row row = make_row(id, comparison_, request_);
    row.subject = {"membership", {}, {}};
    row.n = score.auc_of_target.size();
    row.settings["shadows"] = shadows_;
    row.settings["models"] = models_;
    row.facts["rows"] = rows_;
    if (left_out_ > 0) {
      row.notes = {reason(Code::examples_with_few_models, left_out_, shadows_ / 2 + 1)};
    }
    return row;
  }

  void push(Row row, const Reason& why) {
    if (std::isnan(row.value)) {
      row.status = Status::undefined;
      row.notes = {rows_ > 0 ? why : reason(Code::no_example_with_enough_models, shadows_ / 2)};
    }
    out_.rows.push_back(std::move(row));
  }

  void add(const std::string& attack, const ProtocolScore& score, const Reason& why) {
    const auto over_targets = [](Row& row, double value, const std::vector<double>& targets) {
      row.value = value;
      const Estimate estimate = t_interval(targets);
      if (std::isnan(estimate.lower)) return;
      row.lower = std::max(estimate.lower, 0.0);
      row.upper = std::min(estimate.upper, 1.0);
      row.interval = result::Code::t_over_targets;
    };
    const auto deviations = [&](Row& row) {
      if (attack != "lira") return;
      row.facts["deviation"] = shadows_ / 2 < kModelsForDeviations ? "pooled" : "per example";
    };
    Row auc = make(fmt::format("mia_protocol.{}.auc", attack), score);
    over_targets(auc, score.auc, score.auc_of_target);
    deviations(auc);
    push(std::move(auc), why);
    Row zero = make(fmt::format("mia_protocol.{}.tpr", attack), score);
    over_targets(zero, score.tpr_at_zero, score.zero_of_target);
    zero.settings["fpr"] = 0.0;
    deviations(zero);
    push(std::move(zero), why);
    Row low = make(fmt::format("mia_protocol.{}.tpr", attack), score);
    over_targets(low, score.tpr_at_1e4, score.low_of_target);
    low.settings["fpr"] = 1e-4;
    deviations(low);
    push(std::move(low),
         std::isnan(score.auc) ? why : reason(Code::false_positive_rate_too_low, 10'000));
  }

  const Comparison& comparison_;
  const Request& request_;
  std::size_t targets_;
  Measurements& out_;
  std::size_t shadows_ = 0, rows_ = 0, left_out_ = 0, models_ = 0;
};

Support mia_protocol_support(const evidence::Evidence& evidence) {
  if (evidence.find_labels("forget") == nullptr || evidence.find_labels("retain") == nullptr ||
      membership_models(evidence).size() < kFewestModels) {
    return {false, reason(Code::needs_random_half_models, kFewestModels,
                          "membership/{0,1,2,3}/{forget,retain}.npy and "
                          "membership/{0,1,2,3}/members/{forget,retain}.npy")};
  }
  return {true};
}

Measurements measure_mia_protocol(const Comparison& comparison, const Request& request, Progress&) {
  Measurements out;
  const Models models = membership_models(*comparison.evidence);
  const Pool pool = read_pool(request.context, *comparison.evidence, models);
  const ProtocolSettings settings = protocol_options().read(request.options);
  Protocol protocol(comparison, request, settings.targets, out);
  for (const double shadows : settings.shadows) {
    protocol.measure(pool, static_cast<std::size_t>(shadows));
  }
  return out;
}

}  // namespace

Family mia_protocol_family() {
  return {.name = "mia_protocol",
          .summary = "plain membership inference over models trained on random halves",
          .metrics = mia_protocol_metrics(),
          .ranges = {{"mia_protocol", kShare}},
          .support = mia_protocol_support,
          .prepare = each(measure_mia_protocol),
          .unit = Unit::whole,
          .options = protocol_options().options(),
          .formerly = {{"mia.protocol", "mia_protocol"}}};
}

}  // namespace vestige::metrics
