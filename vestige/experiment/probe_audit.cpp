// The probe of an audit: evidence of the arm's sizes with made-up outputs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "vestige/audit/audit.h"
#include "vestige/audit/selection.h"
#include "vestige/base/parallel.h"
#include "vestige/base/progress.h"
#include "vestige/base/seed.h"
#include "vestige/experiment/probe.h"
#include "vestige/metrics/family.h"

namespace vestige::experiment {
namespace {

/// Width of made-up activations, that of a usual penultimate layer.
constexpr std::size_t kProbeWidth = 128;

/// Most made-up outputs, of all models together: 32 MB; 4 MB with shadow models or large pools.
constexpr double kMostValues = 0x1p22;
constexpr double kMostValuesOfMany = 0x1p19;
/// Fewer rows of a split would not do for what some metrics draw from it.
constexpr std::size_t kFewestRows = 2500;
/// With shadow models or large pools, which the metrics that draw sets of rows have no use for.
constexpr std::size_t kFewestRowsOfMany = 250;
/// Models of each group and shadow models of the smaller trial; the larger one has twice as many.
constexpr std::size_t kFewModels = 4;
constexpr std::size_t kFewShadows = 8;

class MadeUp {
 public:
  /// `share` of the rows of each split, and not fewer than `fewest` where it has them.
  MadeUp(const Arm& arm, double share, std::size_t fewest) : arm_(arm) {
    evidence_.kind_declared = true;
    evidence_.classes = static_cast<std::size_t>(arm.lab->data.classes);
    for (const auto& [name, rows] : arm.lab->split.parts) {
      if (rows.empty() || name == "train" || name == "shadow") continue;
      std::size_t size = rows.size();
      if (arm.collect.rows > 0) {
        size = std::min(size, static_cast<std::size_t>(arm.collect.rows));
      }
      const auto part = static_cast<std::size_t>(share * static_cast<double>(size));
      size = std::min(size, std::max(part, fewest));
      auto& labels = evidence_.labels[name];
      for (std::size_t row = 0; row < size; ++row) {
        labels.push_back(arm.lab->data.labels[static_cast<std::size_t>(rows[row])]);
      }
    }
  }

  void add(const std::string& role, const std::string& method, std::size_t count, double fit) {
    if (count == 0) return;
    evidence::Group group{role, method, {}};
    for (std::size_t index = 0; index < count; ++index) {
      evidence::Model model;
      model.role = role;
      model.method = method;
      model.name = fmt::format("{}", index);
      for (const auto& [split, labels] : evidence_.labels) {
        const bool seen = split == "retain" || (split == "forget" && role != "retrained");
        model.outputs[split] = logits(labels, seen ? fit + 2 : fit);
        for (const std::string& tap : arm_.collect.taps) {
          model.activations[tap][split] = noise(labels.size(), kProbeWidth);
        }
        if (arm_.collect.saliency != "none") {
          const auto& shape = arm_.lab->data.shape;
          const std::int64_t pixels = shape.size() == 3 ? shape[1] * shape[2] : shape.front();
          model.saliency[split] = noise(labels.size(), static_cast<std::size_t>(pixels));
        }
      }
      group.models.push_back(std::move(model));
    }
    evidence_.groups.push_back(std::move(group));
  }

  const evidence::Evidence& evidence() const { return evidence_; }

  double rows() const {
    double all = 0;
    for (const auto& [split, labels] : evidence_.labels) all += static_cast<double>(labels.size());
    return all;
  }

 private:
  evidence::Array logits(const std::vector<std::int64_t>& labels, double fit) {
    std::vector<double> values(labels.size() * evidence_.classes);
    for (double& value : values) value = 3 * stream_.uniform();
    for (std::size_t row = 0; row < labels.size(); ++row) {
      values[row * evidence_.classes + static_cast<std::size_t>(labels[row])] += fit;
    }
    return evidence::Array::from_doubles(std::move(values), {labels.size(), evidence_.classes});
  }

  evidence::Array noise(std::size_t rows, std::size_t width) {
    std::vector<double> values(rows * width);
    for (double& value : values) value = stream_.uniform();
    return evidence::Array::from_doubles(std::move(values), {rows, width});
  }

  const Arm& arm_;
  evidence::Evidence evidence_;
  Stream stream_{1, "probe"};
};

/// How many models of each kind evidence is made up of.
struct MadeCounts {
  std::size_t originals = 1;  ///< and as many unlearned models
  std::size_t retrained = 2;
  std::size_t shadows = 0;

  double compared() const { return static_cast<double>(2 * originals + retrained + 1); }
};

/// What an arm has.
struct ArmCounts {
  std::map<std::string, std::size_t> roles;
  std::set<std::string> groups;
  std::size_t largest = 1;      ///< models of the largest group
  double compared = 1;          ///< models with numbers of their own, the collapsed one among them
  double with_checkpoints = 1;  ///< the same with those on the way

  std::size_t of(const char* role) const {
    const auto found = roles.find(role);
    return found == roles.end() ? 0 : found->second;
  }
  bool many() const { return of("shadow") > kFewShadows || largest > 4 * kFewModels; }
};

ArmCounts count_models(const Arm& arm) {
  ArmCounts counts;
  for (const train::ModelPlan& model : arm.models) {
    ++counts.roles[model.role];
    const bool compared =
        model.role == "original" || model.role == "retrained" || model.role.starts_with("partial/");
    if (!compared) continue;
    counts.groups.insert(model.role);
    ++counts.compared;
    if (arm.collect.checkpoints) {
      counts.with_checkpoints += static_cast<double>(model.train.checkpoints.size());
    }
  }
  counts.compared += static_cast<double>(arm.unlearned.size());
  counts.with_checkpoints += counts.compared - 1;
  std::map<std::string, std::size_t> runs;
  for (const unlearn::UnlearnPlan& plan : arm.unlearned) {
    counts.groups.insert(plan.method.label);
    ++runs[plan.method.label];
  }
  for (const auto& [method, count] : runs) counts.largest = std::max(counts.largest, count);
  for (const char* role : {"original", "retrained"}) {
    counts.largest = std::max(counts.largest, counts.roles[role]);
  }
  return counts;
}

/// Options that say how often a metric draws sets of rows: a tenth and a fifth of the draws are
/// tried.
constexpr std::array<std::string_view, 2> kDrawn = {".subsets", ".reference_draws"};
constexpr int kDrawnShare = 10;
constexpr double kGrows = 1.3;
constexpr double kShortRun = 0.1;  ///< seconds

/// Options with `parts` tenths of the draws, two at least.
Json with_draws(Json options, std::int64_t parts) {
  for (auto& [key, value] : options.items()) {
    for (const std::string_view ending : kDrawn) {
      if (!std::string_view(key).ends_with(ending) || !value.is_number_integer()) continue;
      const auto all = value.get<std::int64_t>();
      value = std::min(all, std::max<std::int64_t>(2 * parts, parts * all / kDrawnShare));
    }
  }
  return options;
}

/// The most shadow models that an option asks for by number.
std::size_t asked_shadows(const Json& options) {
  std::size_t most = 0;
  for (const auto& [key, value] : options.items()) {
    if (key.ends_with(".shadows") && value.is_number_integer() && value.get<std::int64_t>() > 0) {
      most = std::max(most, value.get<std::size_t>());
    }
  }
  return most;
}

/// The share of each split's rows that is made up where there are so many models: paper sizes have
/// hundreds of a hundred thousand rows, tens of gigabytes.
double made_share(const Arm& arm, const ArmCounts& has, const MadeCounts& most) {
  const double values =
      collected_rows(arm, arm.collect.rows) * static_cast<double>(arm.lab->data.classes) *
      (most.compared() +
       static_cast<double>(most.shadows + has.of("random") + has.of("verification")));
  return std::min(1.0, (has.many() ? kMostValuesOfMany : kMostValues) / values);
}

MadeUp make_up(const Arm& arm, const ArmCounts& has, const MadeCounts& counts, double share) {
  MadeUp made(arm, share, has.many() ? kFewestRowsOfMany : kFewestRows);
  made.add("original", "", counts.originals, 4);
  made.add("retrained", "", std::min(has.of("retrained"), counts.retrained), 4);
  made.add("unlearned", "probe", counts.originals, 3);
  made.add("shadow", "", counts.shadows, 4);
  made.add("random", "", has.of("random"), 0);
  made.add("verification", "", has.of("verification"), 3);
  return made;
}

/// Seconds of one family on made-up evidence; 0 where it does not support it.
double timed(const MadeUp& made, const metrics::Family& family, const Json& options) {
  if (!family.support(made.evidence()).supported) return 0;
  const auto once = [&] {
    const auto start = std::chrono::steady_clock::now();
    (void)audit::audit(made.evidence(), {{std::string(family.name)}, 1, options});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // A short run is half other things, such as what the first of its kind loads.
  const double first = once();
  return first < kShortRun ? std::min(first, once()) : first;
}

/// How many times as long something takes with `count` as with `few`, on the line through what was
/// measured with `few` and with `more`.
double longer(std::size_t few, double seconds_few, std::size_t more, double seconds_more,
              std::size_t count) {
  if (count <= few || more <= few || !(seconds_few > 0)) return 1;
  const double slope = std::max(0.0, seconds_more - seconds_few) / static_cast<double>(more - few);
  return 1 + slope * static_cast<double>(count - few) / seconds_few;
}

}  // namespace

double probe_audit(const Arm& arm, const AuditPlan& audit) {
  const QuietProgress quiet;
  const ArmCounts has = count_models(arm);
  const std::size_t shadows = has.of("shadow");
  const std::size_t few_models = std::min(has.largest, kFewModels);
  const std::size_t few_shadows =
      std::min(shadows, std::max(kFewShadows, asked_shadows(audit.options)));
  const MadeCounts single{1, 2, few_shadows};
  const MadeCounts small{few_models, few_models, single.shadows};
  const MadeCounts large{2 * few_models, 2 * few_models, single.shadows};
  const MadeCounts shadowed{1, 2, std::min(shadows, 2 * single.shadows)};
  // The same rows in all of them.
  const double share = std::min(made_share(arm, has, large), made_share(arm, has, shadowed));
  const MadeUp made = make_up(arm, has, single, share);
  // Made only where a family has need of them.
  std::optional<MadeUp> more_shadows, few, more;
  const double left_out = made.rows() > 0 ? collected_rows(arm, arm.collect.rows) / made.rows() : 1;
  const audit::Selection selection(audit.metrics);
  double seconds = 0;
  for (const metrics::Family& family : metrics::families()) {
    if (!selection.has(family) || !family.support(made.evidence()).supported) continue;
    if (family.seconds_per_model) {
      if (const auto known = family.seconds_per_model(made.evidence(), audit.options)) {
        seconds += *known * has.compared;
        continue;
      }
    }
    // A setup draws several experiments of N models each: one of few models is tried.
    Json options = with_draws(audit.options, 1);
    double experiments = 1;
    std::size_t group = has.largest;
    const std::string name(family.name);
    const bool by_setup = family.takes_setups && !options.value(name + ".setup", "").empty();
    const auto set_models = [&](std::size_t count) {
      if (by_setup) options[name + ".models"] = count;
    };
    if (by_setup) {
      experiments = options.value(name + ".experiments", 1.0);
      group = static_cast<std::size_t>(options.value(name + ".models", std::int64_t{1}));
      options[name + ".setup"] = "full";
      options[name + ".experiments"] = 1;
    }
    double taken = 0;
    if (family.unit == metrics::Unit::model) {
      const double compared = family.checkpoints ? has.with_checkpoints : has.compared;
      const double base = timed(made, family, options);
      const double twice = timed(made, family, with_draws(audit.options, 2));
      // Less is noise: most families draw no sets.
      taken = twice > kGrows * base ? base * longer(1, base, 2, twice, kDrawnShare) : base;
      if (shadows > single.shadows) {
        if (!more_shadows) more_shadows.emplace(make_up(arm, has, shadowed, share));
        taken *= longer(single.shadows, base, shadowed.shadows,
                        timed(*more_shadows, family, options), shadows);
      }
      taken *= compared / single.compared();
    } else {
      if (!few) few.emplace(make_up(arm, has, small, share));
      set_models(small.retrained);
      taken = timed(*few, family, options);
      if (group > small.retrained) {
        if (!more) more.emplace(make_up(arm, has, large, share));
        set_models(large.retrained);
        taken *=
            longer(small.retrained, taken, large.retrained, timed(*more, family, options), group);
      }
      taken *= experiments * static_cast<double>(has.groups.size() + 1) / 4;
    }
    seconds += taken * left_out;
  }
  return seconds;
}

}  // namespace vestige::experiment
