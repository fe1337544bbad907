// The rows and columns of language models.
#include "vestige/metrics/lm/lm_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "vestige/metrics/lm/lm_evidence.h"
#include "vestige/metrics/lm/lm_scores.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/roc.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

using evidence::Evidence;
using evidence::Group;
using evidence::Model;

constexpr std::size_t kFewestSequences = 4;

MetricInfo auc_info(std::string_view id, std::string_view name, std::string_view what,
                    int place = 0) {
  MetricInfo info{.id = id,
                  .direction = Direction::match,
                  .ideal = kUndefined,
                  .name = name,
                  .what = what,
                  .shows_forgetting = true};
  if (place > 0) {
    info.speech =
        Speech{.place = place,
               .under = "to a membership attack its forgotten rows still look like training data",
               .over = "its forgotten rows stand out more than rows that a model never saw",
               .against_retain = true};
  }
  return info;
}

MetricInfo spearman_info(std::string_view id, std::string_view name) {
  return {id, Direction::higher, 1, name, "rank correlation of the score and known membership"};
}

std::vector<MetricInfo> lm_metrics() {
  return {
      auc_info("lm.loss.auc", "loss attack AUC",
               "AUC, retain against forget, of the loss per token", 81),
      auc_info("lm.lower.auc", "lower-case AUC",
               "as lm.loss.auc, loss relative to that of the lower-cased text"),
      auc_info("lm.zlib.auc", "zlib AUC",
               "as lm.loss.auc, loss relative to the compressibility of the text"),
      auc_info("lm.ratio.auc", "reference ratio AUC",
               "as lm.loss.auc, loss relative to that of shadow models", 82),
      auc_info("lm.min_k.auc", "min-k% AUC", "as lm.loss.auc, loss of the least probable tokens",
               83),
      auc_info("lm.min_k_plus_plus.auc", "min-k%++ AUC",
               "as lm.min_k.auc, standardised at each position", 84),
      auc_info("lm.surp.auc", "SURP AUC",
               "as lm.loss.auc, loss of improbable tokens where the model was sure"),
      {"lm.bag_of_words.auc", Direction::match, kUndefined, "bag-of-words AUC",
       "AUC of a classifier on words alone; 0.5 unless forget and retain differ as texts"},
      auc_info("lm.lira.auc", "LiRA AUC", "as lm.loss.auc, likelihood ratio against shadow models",
               85),
      auc_info("lm.rmia.auc", "RMIA AUC",
               "as lm.loss.auc, share of test sequences that are less well known", 86),
      auc_info("lm.iam.auc", "IAM AUC",
               "as lm.loss.auc, IAM score between shadow models and original", 80),
      {"lm.lira.mean.forget", Direction::match, kUndefined, "mean LiRA score of forget sequences",
       "mean LiRA score of forget sequences, scaled to [0, 1]"},
      {"lm.lira.mean.retain", Direction::match, kUndefined, "mean LiRA score of retain sequences",
       "mean LiRA score of retain sequences, scaled to [0, 1]"},
      {"lm.rmia.mean.forget", Direction::match, kUndefined, "mean RMIA score of forget sequences",
       "mean RMIA score of forget sequences, scaled to [0, 1]"},
      {"lm.rmia.mean.retain", Direction::match, kUndefined, "mean RMIA score of retain sequences",
       "mean RMIA score of retain sequences, scaled to [0, 1]"},
      {"lm.iam.mean.forget", Direction::match, kUndefined, "mean IAM score of forget sequences",
       "mean IAM score of forget sequences; 1: as fitted as by the original", true},
      {"lm.iam.mean.retain", Direction::match, kUndefined, "mean IAM score of retain sequences",
       "mean IAM score of retain sequences"},
      spearman_info("lm.loss.spearman", "loss over graded models"),
      spearman_info("lm.lower.spearman", "lower-case score over graded models"),
      spearman_info("lm.zlib.spearman", "zlib score over graded models"),
      spearman_info("lm.ratio.spearman", "reference ratio over graded models"),
      spearman_info("lm.min_k.spearman", "min-k% over graded models"),
      spearman_info("lm.min_k_plus_plus.spearman", "min-k%++ over graded models"),
      spearman_info("lm.surp.spearman", "SURP over graded models"),
      spearman_info("lm.lira.spearman", "LiRA over graded models"),
      spearman_info("lm.rmia.spearman", "RMIA over graded models"),
      spearman_info("lm.iam.spearman", "IAM over graded models"),
  };
}

/// Rank correlations go from -1 to 1; everything else is an AUC or a score scaled to [0, 1].
std::vector<std::pair<std::string_view, Range>> lm_ranges() {
  std::vector<std::pair<std::string_view, Range>> ranges;
  for (const MetricInfo& info : lm_metrics()) {
    ranges.emplace_back(info.id, info.id.ends_with(".spearman") ? kCorrelation : kShare);
  }
  return ranges;
}

bool usable(const Model& model) { return has_tokens(model, {"forget", "retain"}); }

/// The first model that is measured at all: what does not depend on a model is told there.
const Model* first_usable(const Evidence& evidence, std::string_view only_role = {}) {
  for (const Group& group : evidence.groups) {
    if (group.role == "shadow" || group.role == "random") continue;
    if (!only_role.empty() && group.role != only_role) continue;
    for (const Model& model : group.models) {
      if (usable(model)) return &model;
    }
  }
  return nullptr;
}

/// Share of forget that a graded model's training left out: evidence.toml, or the name in per cent.
std::optional<double> removed_share(const Evidence& evidence, const Group& group) {
  const auto declared = evidence.removed_fraction.find(group.method);
  if (declared != evidence.removed_fraction.end()) return declared->second;
  double percent = 0;
  const char* end = group.method.data() + group.method.size();
  const auto parsed = std::from_chars(group.method.data(), end, percent);
  if (parsed.ec != std::errc() || parsed.ptr != end || percent < 0 || percent > 100) {
    return std::nullopt;
  }
  return percent / 100;
}

class Report {
 public:
  Report(const Comparison& comparison, const Request& request, Measurements& out)
      : comparison_(comparison),
        request_(request),
        out_(out),
        lm_(comparison, lm_settings(request)) {}

  void measure() {
    const std::vector<LmScore> scores = lm_.scores(*comparison_.candidate.front());
    for (const LmScore& score : scores) add_auc(score, comparison_.subject);
    for (const LmScore& score : scores) {
      const bool scaled = score.name == "lira" || score.name == "rmia";
      if (score.missing.empty() && (scaled || score.name == "iam")) add_means(score, scaled);
    }
    const bool with_iam = scores.back().missing.empty();
    for (const LmScore& score : scores) {
      if (!score.missing.empty()) continue;
      const bool sorts = score.name == (with_iam ? "iam" : "loss");
      add_column(fmt::format("lm.{}.{}", score.name, comparison_.short_name), score, sorts ? 1 : 0);
    }
    if (comparison_.candidate.front() == first_usable(*comparison_.evidence)) add_bag_of_words();
    if (comparison_.candidate.front() == first_usable(*comparison_.evidence, "partial")) {
      add_spearman();
    }
  }

 private:
  std::span<const double> forget(std::span<const double> values) const {
    return values.first(lm_.forget_rows());
  }
  std::span<const double> retain(std::span<const double> values) const {
    return values.subspan(lm_.forget_rows());
  }

  static std::vector<double> defined(std::span<const double> values) {
    std::vector<double> result;
    std::copy_if(values.begin(), values.end(), std::back_inserter(result),
                 [](double value) { return !std::isnan(value); });
    return result;
  }

  Row make(const LmScore& score, std::string_view what) const {
    Row row = make_row(fmt::format("lm.{}.{}", score.name, what), comparison_, request_);
    row.settings = score.settings;
    row.facts = score.facts;
    return row;
  }

  void set(Row& row, const Estimate& estimate, const char* interval) const {
    row.value = estimate.value;
    row.lower = estimate.lower;
    row.upper = estimate.upper;
    if (!std::isnan(row.lower)) row.interval = interval;
  }

  void push(Row row, const LmScore& score, std::size_t left_out) {
    row.seed = request_.seed;
    if (left_out > 0) row.facts["left_out"] = left_out;
    const std::string why =
        fmt::format("{} sequences have no score ({})", left_out, score.why_undefined);
    if (std::isnan(row.value)) {
      row.status = Status::undefined;
      row.note = why;
    } else if (left_out > 0) {
      row.note = (row.note.empty() ? "" : row.note + "; ") + why + " and are left out";
    }
    out_.rows.push_back(std::move(row));
  }

  void add_auc(const LmScore& score, const Subject& subject) {
    Row row = make(score, "auc");
    row.subject = subject;
    if (!score.missing.empty()) {
      // Once per method; controls would only repeat it.
      if (comparison_.control != Control::none && subject == comparison_.subject) return;
      row.status = Status::skipped;
      row.note = score.missing;
      out_.rows.push_back(std::move(row));
      return;
    }
    const std::vector<double> members = defined(retain(score.values));
    const std::vector<double> others = defined(forget(score.values));
    set(row, auc_interval(members, others), "DeLong 95 %");
    row.n = members.size() + others.size();
    if (score.facts.value("moments", "") == "unknown") {
      row.note =
          "whether mean and std are weighted by p or uniform is not known: say token_moments in "
          "evidence.toml";
    }
    push(std::move(row), score, score.values.size() - row.n);
  }

  void add_means(const LmScore& score, bool scaled) {
    const std::vector<double> values = scaled ? min_max_scaled(score.values) : score.values;
    LmScore shown = score;
    if (scaled && !defined(score.values).empty() && defined(values).empty()) {
      shown.why_undefined = "all scores are the same, so that they cannot be scaled";
    }
    const double retained = mean(defined(retain(values)));
    const auto add = [&](std::string_view what, std::span<const double> rows) {
      const std::vector<double> kept = defined(rows);
      Row row = make(score, what);
      set(row, t_interval(kept), "t 95 % over sequences");
      row.n = kept.size();
      row.lower = std::max(row.lower, 0.0);
      row.upper = std::min(row.upper, 1.0);
      row.facts["std"] = json_number(standard_deviation(kept));
      row.facts["scaled"] = scaled;
      row.terms.assign(rows.begin(), rows.end());
      if (what == "mean.forget" && !scaled && comparison_.control == Control::none &&
          row.value >= retained) {
        row.note = fmt::format(
            "not below that of retain sequences ({:.3g}): nothing was removed, even if a prompt "
            "or a filter hides it",
            retained);
      }
      push(std::move(row), shown, rows.size() - kept.size());
    };
    add("mean.forget", forget(values));
    add("mean.retain", retain(values));
  }

  void add_column(std::string name, const LmScore& score, int worst) {
    const std::span<const double> values = forget(score.values);
    out_.columns.push_back(
        {std::move(name), "forget", {values.begin(), values.end()}, {}, worst, Control::none});
  }

  void add_bag_of_words() {
    const LmScore score = lm_.bag_of_words(request_.seed);
    const std::size_t before = out_.rows.size();
    add_auc(score, {"text", {}, {}});
    for (std::size_t index = before; index < out_.rows.size(); ++index) {
      Row& row = out_.rows[index];
      row.control = Control::none;
      if (row.status == Status::ok && (row.lower > 0.5 || row.upper < 0.5)) {
        row.note =
            "forget and retain differ as texts, so that part of every other AUC may be the texts "
            "and not memory: compare with retrained";
      }
    }
    if (score.missing.empty()) add_column("lm.bag_of_words", score, 0);
  }

  /// ScoreUI: the forget sequences of all graded models, whose membership is known, together.
  void add_spearman() {
    std::map<std::string_view, std::vector<double>> values;
    std::map<std::string_view, std::vector<double>> known;
    std::vector<LmScore> last;
    const auto add = [&](const Group* group, double membership) {
      if (group == nullptr) return;
      for (const Model& model : group->models) {
        if (!usable(model)) continue;
        last = lm_.scores(model);
        for (const LmScore& score : last) {
          if (!score.missing.empty()) continue;
          for (const double value : forget(score.values)) {
            if (std::isnan(value)) continue;
            values[score.name].push_back(value);
            known[score.name].push_back(membership);
          }
        }
      }
    };
    const Evidence& evidence = *comparison_.evidence;
    add(evidence.find("original"), 1);
    add(evidence.find("retrained"), 0);
    for (const Group& group : evidence.groups) {
      if (group.role != "partial") continue;
      const std::optional<double> removed = removed_share(evidence, group);
      if (removed) add(&group, 1 - *removed);
    }
    for (const LmScore& score : last) {
      if (values[score.name].empty()) continue;
      Row row = make(score, "spearman");
      row.subject = {"partial", {}, {}};
      row.value = spearman(values[score.name], known[score.name]).rho;
      row.n = values[score.name].size();
      row.note =
          "membership of a forget sequence = 1 - share of forget that the model's training left "
          "out";
      if (std::isnan(row.value)) {
        row.status = Status::undefined;
        row.note = "all scores or all memberships are the same";
      }
      out_.rows.push_back(std::move(row));
    }
  }

  const Comparison& comparison_;
  const Request& request_;
  Measurements& out_;
  LmEvidence lm_;
};

Measurements skipped(const Comparison& comparison, const Request& request, std::string why) {
  Measurements out;
  Row row = make_row("lm.loss.auc", comparison, request);
  row.status = Status::skipped;
  row.note = std::move(why);
  out.rows.push_back(std::move(row));
  return out;
}

bool some_model(const Evidence& evidence, std::string_view key) {
  return std::any_of(evidence.groups.begin(), evidence.groups.end(), [&](const Group& group) {
    return group.role != "shadow" && group.role != "random" &&
           std::any_of(group.models.begin(), group.models.end(), [&](const Model& model) {
             return model.tokens.count(std::string(key)) > 0;
           });
  });
}

Support lm_support(const Evidence& evidence) {
  if (first_usable(evidence) == nullptr) {
    return {false,
            "needs token log-probabilities of a language model: add "
            "ROLE/0/tokens/{forget,retain}.npy and {forget,retain}.offsets.npy"};
  }
  std::string sentence;
  const auto lacks = [&](bool there, std::string_view text) {
    if (there) return;
    sentence += sentence.empty() ? "" : "; ";
    sentence += text;
  };
  const Models shadows = lm_shadows(evidence, 0);
  lacks(!shadows.empty(),
        "ratio, lira, rmia and iam need a shadow model, add shadow/0/tokens/{forget,retain,test}"
        ".npy with offsets");
  lacks(shadows.empty() || (some_model(evidence, "test") && has_tokens(*shadows.front(), {"test"})),
        "rmia needs test sequences, add tokens/test.npy of every model and shadow");
  lacks(evidence.text.count("forget") > 0 && evidence.text.count("retain") > 0,
        "zlib and bag_of_words need the texts, add text/{forget,retain}.txt");
  lacks(some_model(evidence, "forget.lower"),
        "lower needs tokens/{forget,retain}.lower.npy with offsets");
  lacks(some_model(evidence, "forget.mean") && some_model(evidence, "forget.std"),
        "min_k_plus_plus needs tokens/{forget,retain}.mean.npy and .std.npy");
  lacks(some_model(evidence, "forget.entropy"), "surp needs tokens/{forget,retain}.entropy.npy");
  return {true, sentence};
}

Measurements measure_lm(const Comparison& comparison, const Request& request, Progress&) {
  const Model& model = *comparison.candidate.front();
  if (!usable(model)) {
    return skipped(comparison, request,
                   fmt::format("needs token log-probabilities: add {}/tokens/{{forget,retain}}.npy "
                               "with offsets",
                               comparison.subject.id()));
  }
  // A lone pair of sequences has an AUC of 0 or 1 and says nothing.
  for (const char* split : {"forget", "retain"}) {
    const std::size_t rows =
        evidence::read_tokens(*comparison.evidence, model, split).sequences().size();
    if (rows >= kFewestSequences) continue;
    return skipped(
        comparison, request,
        fmt::format("{} has {} sequences: give at least {}", split, rows, kFewestSequences));
  }
  Measurements out;
  Report(comparison, request, out).measure();
  return out;
}

}  // namespace

Family lm_family() {
  return {.name = "lm",
          .summary = "does a language model still know the forget sequences",
          .metrics = lm_metrics(),
          .ranges = lm_ranges(),
          .support = lm_support,
          .prepare = each(measure_lm),
          .options = lm_options().options()};
}

}  // namespace vestige::metrics
