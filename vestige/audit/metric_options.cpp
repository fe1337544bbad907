// The table of metric options, and options from a recipe checked against it.
#include "vestige/audit/metric_options.h"

#include <algorithm>
#include <sstream>

#include "vestige/base/error.h"
#include "vestige/base/text.h"

namespace vestige::audit {

const std::vector<MetricOption>& metric_options() {
  static const std::vector<MetricOption> options = {
      {"--epsilon-mode",
       "epsilon.mode",
       OptionKind::text,
       "exact",
       "exact: every cut point; reference: the public scorer's grids",
       {"exact", "reference"}},
      {"--epsilon-setup",
       "epsilon.setup",
       OptionKind::text,
       "",
       "Also estimate F over experiments (default: as the pairing shows)",
       {"full", "reuse-n-n", "reuse-n-1", "bootstrap"}},
      {"--epsilon-models",
       "epsilon.models",
       OptionKind::count,
       "",
       "N, models per experiment or, without a setup, in all (default: all)",
       {}},
      {"--epsilon-experiments",
       "epsilon.experiments",
       OptionKind::count,
       "",
       "E, experiments of the setup (default: as the models allow, 20 for bootstrap)",
       {}},
      {"--epsilon-evaluation-models",
       "epsilon.evaluation_models",
       OptionKind::count,
       "0",
       "N-eval of the split-KDE form: models a fitted attack is judged on; 0: the other half",
       {}},
      {"--miau-seeds", "miau.seeds", OptionKind::count, "20", "Attack seeds, at least 20", {}},
      {"--miau-weights",
       "miau.weights",
       OptionKind::numbers,
       "",
       "Weights of forget-retain, forget-test, retain-test, e.g. 0.5,0.25,0.25 (default: thirds)",
       {}},
      {"--miau-alpha",
       "miau.alpha",
       OptionKind::number,
       "13.8",
       "Steepness of the logistic map",
       {}},
      {"--miau-features",
       "miau.features",
       OptionKind::text,
       "softmax",
       "What the attack sees",
       {"softmax", "sorted_softmax", "logits", "true_class", "saliency"}},
      {"--miau-classifier",
       "miau.classifier",
       OptionKind::text,
       "logistic",
       "Which attack",
       {"logistic", "svc_rbf", "xgboost"}},
      {"--conformal-alpha",
       "conformal.alpha",
       OptionKind::number,
       "0.05",
       "Error level of the sets",
       {}},
      {"--conformal-score",
       "conformal.score",
       OptionKind::text,
       "scp",
       "Non-conformity score",
       {"scp", "lac", "aps", "aps_randomised", "entmax"}},
      {"--conformal-gamma", "conformal.gamma", OptionKind::number, "1.5", "Gamma of entmax", {}},
      {"--conformal-rule",
       "conformal.rule",
       OptionKind::text,
       "finite_sample",
       "Quantile rule",
       {"finite_sample", "paper"}},
      {"--shadows",
       "iam.shadows",
       OptionKind::count,
       "0",
       "Shadow models to use, the first in name order; 0: all",
       {}},
      {"--iam-levels",
       "iam.levels",
       OptionKind::count,
       "100",
       "Levels from shadow to original",
       {}},
      {"--iam-epsilon1",
       "iam.epsilon1",
       OptionKind::number,
       "0.01",
       "Bounds responses near p = 1",
       {}},
      {"--iam-epsilon2",
       "iam.epsilon2",
       OptionKind::number,
       "0.00001",
       "Bounds responses near p = 0",
       {}},
      {"--iam-variance",
       "iam.variance",
       OptionKind::text,
       "global",
       "Spread over models and rows (global) or over models (per_row)",
       {"global", "per_row"}},
      {"--iam-score",
       "iam.score",
       OptionKind::text,
       "gumbel",
       "How a level is modelled; all: the AUC of every variant beside gumbel",
       {"loss", "ecdf", "kde", "bayes", "gauss", "gumbel", "all"}},
      {"--iam-delta1",
       "iam.delta1",
       OptionKind::number,
       "0.1",
       "Forget rows with a score above it count as under-unlearned",
       {}},
      {"--iam-delta2-constant",
       "iam.delta2_constant",
       OptionKind::number,
       "1.5",
       "Minus the original's test accuracy: retain rows below it count as over-unlearned",
       {}},
      {"--protocol-shadows",
       "protocol.shadows",
       OptionKind::numbers,
       "",
       "Shadow models of the plain protocol, half IN and half OUT, e.g. 2,8 (default: 2)",
       {}},
      {"--protocol-targets",
       "protocol.targets",
       OptionKind::count,
       "0",
       "Models of the plain protocol that are attacked, the first; 0: all",
       {}},
      {"--sde-layer",
       "sde.layer",
       OptionKind::text,
       "",
       "Layers, separated by commas, or all (default: penultimate, else logits)",
       {}},
      {"--sde-sigma",
       "sde.sigma",
       OptionKind::text,
       "sqrt_dim",
       "Bandwidth of the kernel: sqrt_dim, median or a number",
       {}},
      {"--sde-reference-draws",
       "sde.reference_draws",
       OptionKind::count,
       "20",
       "Pairs of reference sets; 1 is the paper's form",
       {}},
      {"--sde-subsets", "sde.subsets", OptionKind::count, "100", "Sets drawn from forget", {}},
      {"--sde-shuffles",
       "sde.shuffles",
       OptionKind::count,
       "200",
       "Shuffles of the second half of a set",
       {}},
      {"--sde-size",
       "sde.size",
       OptionKind::count,
       "",
       "Rows of a set (default: 2000, 1000 or 400, at most half of forget)",
       {}},
      {"--verdict-margin",
       "verdict.margin",
       OptionKind::number,
       "0.25",
       "Equivalence margin, as a share of the distance from original to retrained",
       {}},
      {"--verdict-utility-margin",
       "verdict.utility_margin",
       OptionKind::number,
       "0.01",
       "Accuracy that may be lost on retain and test before it counts as utility loss",
       {}},
      {"--lm-k",
       "lm.k",
       OptionKind::number,
       "20",
       "Per cent of tokens in min-k%, min-k%++ and SURP",
       {}},
      {"--lm-levels", "lm.levels", OptionKind::count, "1000", "IAM levels of language models", {}},
      {"--lm-direction",
       "lm.direction",
       OptionKind::text,
       "code",
       "IAM levels from original to shadow (code) or back (paper)",
       {"paper", "code"}},
      {"--lm-epsilon1",
       "lm.epsilon1",
       OptionKind::number,
       "0.1",
       "Language models: bounds IAM responses near p = 0",
       {}},
      {"--lm-epsilon2",
       "lm.epsilon2",
       OptionKind::number,
       "0.00001",
       "Language models: bounds IAM responses near p = 1",
       {}},
  };
  return options;
}

Json typed_option(const MetricOption& option, const std::string& text) {
  switch (option.kind) {
    case OptionKind::text:
      return text;
    case OptionKind::count:
      return std::stoull(text);
    case OptionKind::number:
      return std::stod(text);
    case OptionKind::numbers:
      break;
  }
  Json list = Json::array();
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) list.push_back(std::stod(item));
  return list;
}

namespace {

void flatten(const Json& table, const std::string& prefix, Json& flat) {
  for (const auto& [key, value] : table.items()) {
    if (value.is_object()) {
      flatten(value, prefix + key + ".", flat);
    } else {
      flat[prefix + key] = value;
    }
  }
}

/// Why the value does not fit the option; empty if it does.
std::string problem(const MetricOption& option, const Json& value) {
  switch (option.kind) {
    case OptionKind::text: {
      if (!value.is_string()) return "it must be a text";
      const auto& known = option.choices;
      const bool fits = known.empty() || std::find(known.begin(), known.end(),
                                                   value.get<std::string>()) != known.end();
      return fits ? "" : "the nearest choice is " + nearest(value.get<std::string>(), known);
    }
    case OptionKind::count: {
      const bool whole = value.is_number_integer();
      return whole && value.get<std::int64_t>() >= 0 ? "" : "it must be a whole number, 0 or more";
    }
    case OptionKind::number:
      return value.is_number() ? "" : "it must be a number";
    case OptionKind::numbers: {
      const bool list =
          value.is_array() && std::all_of(value.begin(), value.end(),
                                          [](const Json& item) { return item.is_number(); });
      return list ? "" : "it must be a list of numbers";
    }
  }
  return {};
}

}  // namespace

Json checked_options(const Json& given, const std::string& where) {
  require(given.is_object() || given.is_null(), "{}: it must be a table", where);
  Json flat = Json::object();
  if (given.is_object()) flatten(given, "", flat);
  Json result = Json::object();
  std::vector<std::string> known;
  for (const MetricOption& option : metric_options()) {
    known.emplace_back(option.key);
    if (*option.fallback != 0) result[option.key] = typed_option(option, option.fallback);
  }
  for (auto& [key, value] : flat.items()) {
    const auto found = std::find(known.begin(), known.end(), key);
    require(found != known.end(), "{}: '{}' is no metric option: the nearest is '{}'", where, key,
            nearest(key, known));
    const MetricOption& option = metric_options()[static_cast<std::size_t>(found - known.begin())];
    // A bandwidth may be written as a number.
    const Json fitting =
        option.kind == OptionKind::text && value.is_number() ? Json(value.dump()) : value;
    const std::string why = problem(option, fitting);
    require(why.empty(), "{}: {} is {}: {}", where, key, value.dump(), why);
    result[key] = fitting;
  }
  return result;
}

}  // namespace vestige::audit
