// The probe of an audit: a few rows, models and draws of synthetic evidence, extrapolated to all of
// them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "vestige/audit/audit.h"
#include "vestige/audit/selection.h"
#include "vestige/base/error.h"
#include "vestige/base/progress.h"
#include "vestige/experiment/estimates/made_evidence.h"
#include "vestige/experiment/estimates/timing.h"
#include "vestige/experiment/groups.h"
#include "vestige/metrics/family.h"

namespace vestige::experiment {
namespace {

/// Rows of the largest split in the first trial; they are doubled until a trial takes kEnough.
constexpr double kFirstRows = 250;
/// Seconds of a trial that says enough.
constexpr double kEnough = 0.1;
/// Most synthetic numbers, of all models together: 64 MB.
constexpr double kMostValues = 0x1p23;
/// Time grows with the rows at least in proportion, and at most with their square (kernels).
constexpr double kLeastPower = 1;
constexpr double kMostPower = 2;
/// How many times as many rows say something about that power.
constexpr double kGrownEnough = 3;
/// Models of each group and shadow models of the smaller trial; the larger one has twice as many.
constexpr std::size_t kFewModels = 4;
constexpr std::size_t kFewShadows = 8;

/// What a variant has.
struct VariantCounts {
  std::map<std::string, std::size_t> roles;
  std::set<std::string> groups;
  std::size_t largest = 1;  ///< models of the largest group
  double compared = 1;      ///< models with numbers of their own, the constant predictor among them
  double with_checkpoints = 1;  ///< the same with those on the way
  std::size_t steps = 0;        ///< models that each graded series keeps

  std::size_t of(const char* role) const {
    const auto found = roles.find(role);
    return found == roles.end() ? 0 : found->second;
  }
};

VariantCounts count_models(const Variant& variant) {
  VariantCounts counts;
  for (const auto& [role, count] : model_counts(variant)) {
    counts.roles[role] = static_cast<std::size_t>(count);
    const auto model = std::find_if(variant.models.begin(), variant.models.end(),
                                    [&](const auto& plan) { return plan.role == role; });
    if (role == "graded" && count > 0) counts.steps = model->train.checkpoints.size() + 1;
    const bool compared = role == "original" || role == "retrained" || role.starts_with("partial/");
    if (!compared) continue;
    counts.groups.insert(role);
    counts.compared += static_cast<double>(count);
    if (variant.collect.checkpoints) {
      counts.with_checkpoints +=
          static_cast<double>(count) * static_cast<double>(model->train.checkpoints.size());
    }
  }
  counts.compared += static_cast<double>(all_runs(variant));
  counts.with_checkpoints += counts.compared - 1;
  for (const auto& [method, runs] : run_counts(variant)) {
    counts.groups.insert(method);
    counts.largest = std::max(counts.largest, static_cast<std::size_t>(runs));
  }
  for (const char* role : {"original", "retrained"}) {
    counts.largest = std::max(counts.largest, counts.of(role));
  }
  return counts;
}

/// Options that say how often a metric draws sets of rows: a tenth and a fifth of the draws are
/// tried.
constexpr std::array<std::string_view, 2> kDrawn = {".subsets", ".reference_draws"};
/// Rows of a set: as large a part of the rows that are tried as of all.
constexpr std::string_view kSetSize = ".size";
constexpr std::int64_t kFewestOfSet = 8;
constexpr int kDrawnShare = 10;
constexpr double kGrows = 1.3;
constexpr double kShortRun = 0.02;  ///< seconds

/// Options with `parts` tenths of the draws, two at least, and sets of `share` of their size.
Json smaller_options(Json options, std::int64_t parts, double share) {
  for (auto& [key, value] : options.items()) {
    if (!value.is_number_integer()) continue;
    const auto all = value.get<std::int64_t>();
    if (key.ends_with(kSetSize) && all > 0) {
      const auto part = static_cast<std::int64_t>(share * static_cast<double>(all));
      value = std::min(all, std::max(part, kFewestOfSet));
    }
    for (const std::string_view ending : kDrawn) {
      if (!std::string_view(key).ends_with(ending)) continue;
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

/// How many times as long something takes with `count` as with `few`, on the line through what was
/// measured with `few` and with `more`.
double longer(std::size_t few, double seconds_few, std::size_t more, double seconds_more,
              std::size_t count) {
  if (count <= few || more <= few || !(seconds_few > 0)) return 1;
  const double slope = std::max(0.0, seconds_more - seconds_few) / static_cast<double>(more - few);
  return 1 + slope * static_cast<double>(count - few) / seconds_few;
}

/// Trials of one family on a variant; evidence that families share is made once.
class Trials {
 public:
  Trials(const Variant& variant, const AuditPlan& audit)
      : variant_(variant), audit_(audit), context_(variant.lab->context.quiet()) {}

  const Context& context() const { return context_; }

  /// The share of the rows behind a trial of so many rows of the largest split.
  double share(double rows) const {
    return std::min(1.0, rows / static_cast<double>(largest_split(variant_)));
  }
  bool affordable(double rows, const MadeCounts& counts) const {
    const double values = share(rows) * collected_rows(variant_, variant_.collect.rows) *
                          values_per_row(variant_) * counts.all();
    return values <= kMostValues;
  }

  const MadeEvidence& made(const MadeCounts& counts, double rows) {
    const std::pair key(counts, rows);
    const auto found = made_.find(key);
    if (found != made_.end()) return found->second;
    return made_.try_emplace(key, variant_, counts, share(rows)).first->second;
  }

  /// Seconds of the family with `parts` tenths of the draws; `changes` are options besides.
  double seconds(const metrics::Family& family, const MadeCounts& counts, double rows, int parts,
                 const Json& changes) {
    const MadeEvidence& on = made(counts, rows);
    Json options = smaller_options(audit_.options, parts, share(rows));
    options.update(changes);
    const auto once = [&] {
      const auto start = std::chrono::steady_clock::now();
      (void)audit::audit(on.evidence(), {{std::string(family.name)}, 1, options, context_});
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    // A short run is half other things, such as what the first of its kind loads.
    const double first = once();
    return first < kShortRun ? std::min(first, once()) : first;
  }

 private:
  const Variant& variant_;
  const AuditPlan& audit_;
  Context context_;
  std::map<std::pair<MadeCounts, double>, MadeEvidence> made_;
};

/// What a family takes on all rows, with the fewest draws and models.
struct OnAllRows {
  double seconds = 0;
  double rows = 0;   ///< of the largest split in a trial that was not long, for other trials
  double there = 0;  ///< what that trial took
};

/// Doubles the rows until a trial takes long enough, and draws the last trial out to all of them by
/// the power of the rows that lies between it and one of a third of its rows or fewer.
OnAllRows on_all_rows(Trials& trials, const metrics::Family& family, const MadeCounts& counts,
                      const Json& changes) {
  double rows = kFirstRows;
  double last = 0;
  // Some metrics refuse so few rows.
  for (bool done = false; !done;) {
    try {
      last = trials.seconds(family, counts, rows, 1, changes);
      done = true;
    } catch (const InputError&) {
      if (trials.share(rows) >= 1 || !trials.affordable(4 * rows, counts)) throw;
      rows *= 4;
    }
  }
  OnAllRows found{last, rows, last};
  // Beginning with few rows; what a run takes whatever its rows hides the power there.
  std::vector<std::pair<double, double>> tried = {{trials.made(counts, rows).rows(), last}};
  while (trials.share(rows) < 1 && last < kEnough) {
    const double more = rows * (last < kEnough / 8 ? 4 : 2);
    if (!trials.affordable(more, counts)) break;
    found.rows = rows;
    found.there = last;
    last = trials.seconds(family, counts, rows = more, 1, changes);
    tried.emplace_back(trials.made(counts, rows).rows(), last);
  }
  double power = kLeastPower;
  for (const auto& [few, seconds] : tried) {
    const double grown = tried.back().first / few;
    if (grown >= kGrownEnough) power = std::log(last / seconds) / std::log(grown);
  }
  found.seconds =
      last * std::pow(1 / trials.share(rows), std::clamp(power, kLeastPower, kMostPower));
  return found;
}

/// Options of a family with numbers of shadow models in a list, as large a part of the models that
/// are tried as of all: half are drawn on each side, so that they are even.
Json scaled_shadows(const metrics::Family& family, const Json& options, double share) {
  const std::string key = std::string(family.name) + ".shadows";
  Json changed = Json::object();
  if (!options.contains(key) || !options[key].is_array()) return changed;
  for (const Json& value : options[key]) {
    const double pairs = std::floor(share * value.get<double>() / 2);
    changed[key].push_back(static_cast<std::int64_t>(2 * std::max(pairs, 1.0)));
  }
  return changed;
}

/// A family that looks at the evidence as a whole: models of random halves as a power of their
/// number (each is attacked by the others), series on a straight line, and so shadow models.
double whole_seconds(Trials& trials, const metrics::Family& family, const AuditPlan& audit,
                     const VariantCounts& has, const MadeCounts& single) {
  MadeCounts few = single;
  few.membership = std::min(has.of("membership"), 2 * kFewModels);
  few.series = std::min<std::size_t>(has.of("graded"), 1);
  few.steps = has.steps;
  if (!family.support(trials.made(few, kFirstRows).evidence()).supported) return 0;
  const auto changes = [&](const MadeCounts& counts) {
    return scaled_shadows(family, audit.options,
                          static_cast<double>(counts.membership) /
                              std::max(1.0, static_cast<double>(has.of("membership"))));
  };
  const OnAllRows base = on_all_rows(trials, family, few, changes(few));
  double taken = base.seconds;
  if (has.of("membership") > few.membership) {
    MadeCounts more = few;
    more.membership = std::min(has.of("membership"), 2 * few.membership);
    const double longer_by = trials.seconds(family, more, base.rows, 1, changes(more)) / base.there;
    const auto ratio = [&](std::size_t count) {
      return static_cast<double>(count) / static_cast<double>(few.membership);
    };
    const double power = std::log(longer_by) / std::log(ratio(more.membership));
    taken *= std::pow(ratio(has.of("membership")), std::clamp(power, 0.0, kMostPower));
  }
  const auto along = [&](std::size_t MadeCounts::*member, std::size_t all) {
    if (all <= few.*member) return;
    MadeCounts more = few;
    more.*member = std::min(all, 2 * few.*member);
    taken *= longer(few.*member, base.there, more.*member,
                    trials.seconds(family, more, base.rows, 1, changes(more)), all);
  };
  along(&MadeCounts::series, has.of("graded"));
  along(&MadeCounts::shadows, has.of("shadow"));
  return taken;
}

}  // namespace

double probe_audit(const Variant& variant, const AuditPlan& audit) {
  const VariantCounts has = count_models(variant);
  const std::size_t shadows = has.of("shadow");
  const std::size_t few_models = std::min(has.largest, kFewModels);
  const std::size_t few_shadows =
      std::min(shadows, std::max(kFewShadows, asked_shadows(audit.options)));
  const auto of = [&](std::size_t originals, std::size_t retrained, std::size_t shadow) {
    return MadeCounts{originals, std::min(has.of("retrained"), retrained), shadow,
                      std::min(has.of("random"), kFewModels),
                      std::min(has.of("verification"), kFewShadows)};
  };
  const MadeCounts single = of(1, 2, few_shadows);
  const MadeCounts small = of(few_models, few_models, few_shadows);
  const MadeCounts large = of(2 * few_models, 2 * few_models, few_shadows);
  const MadeCounts shadowed = of(1, 2, std::min(shadows, 2 * few_shadows));
  Trials trials(variant, audit);
  const MadeEvidence& first = trials.made(single, kFirstRows);
  const audit::Selection selection(audit.metrics);
  double seconds = 0;
  for (const metrics::Family& family : metrics::families()) {
    if (!selection.has(family)) continue;
    if (family.unit == metrics::Unit::whole) {
      seconds += whole_seconds(trials, family, audit, has, single);
      continue;
    }
    if (!metrics::support_of(family, first.evidence(), audit.options, trials.context()).supported)
      continue;
    if (family.seconds_per_model) {
      const auto known = trials.context().run([&] {
        return family.seconds_per_model(first.evidence(), audit.options, trials.context());
      });
      if (known) {
        seconds +=
            *known * has.compared * collected_rows(variant, variant.collect.rows) / first.rows();
        continue;
      }
    }
    if (family.unit == metrics::Unit::model) {
      const double compared = family.checkpoints ? has.with_checkpoints : has.compared;
      const OnAllRows base = on_all_rows(trials, family, single, Json::object());
      double twice = trials.seconds(family, single, base.rows, 2, Json::object());
      if (twice > kGrows * base.there) {
        twice = std::min(twice, trials.seconds(family, single, base.rows, 2, Json::object()));
      }
      double taken = base.seconds * compared / single.compared();
      // Less is noise: most families draw no sets.
      if (twice > kGrows * base.there) taken *= longer(1, base.there, 2, twice, kDrawnShare);
      if (shadows > few_shadows) {
        taken *= longer(few_shadows, base.there, shadowed.shadows,
                        trials.seconds(family, shadowed, base.rows, 1, Json::object()), shadows);
      }
      seconds += taken;
      continue;
    }
    // A setup draws several experiments of N models each: one of few models is tried.
    const std::string name(family.name);
    const bool by_setup =
        metrics::takes_setups(family) && !audit.options.value(name + ".setup", "").empty();
    const auto changes = [&](std::size_t count) {
      Json changed = Json::object();
      if (!by_setup) return changed;
      changed[name + ".setup"] = "full";
      changed[name + ".experiments"] = 1;
      changed[name + ".models"] = count;
      return changed;
    };
    const OnAllRows base = on_all_rows(trials, family, small, changes(small.retrained));
    const auto group =
        by_setup ? audit.options.value(name + ".models", std::size_t{1}) : has.largest;
    double taken = base.seconds;
    if (group > small.retrained) {
      taken *= longer(small.retrained, base.there, large.retrained,
                      trials.seconds(family, large, base.rows, 1, changes(large.retrained)), group);
    }
    const double experiments = by_setup ? audit.options.value(name + ".experiments", 1.0) : 1;
    seconds += taken * experiments * static_cast<double>(has.groups.size() + 1) / 4;
  }
  return seconds;
}

}  // namespace vestige::experiment
