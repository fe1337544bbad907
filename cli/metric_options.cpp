// The table of metric options.
#include "cli/metric_options.h"

#include <sstream>
#include <vector>

namespace vestige::cli {
namespace {

enum class Kind { text, count, number, numbers };

struct MetricOption {
  const char* flag;
  const char* key;
  Kind kind;
  const char* fallback;  ///< empty: not passed on unless given
  const char* help;
  std::vector<std::string> choices;
};

const std::vector<MetricOption>& table() {
  static const std::vector<MetricOption> options = {
      {"--epsilon-mode",
       "epsilon.mode",
       Kind::text,
       "exact",
       "exact: every cut point; reference: the public scorer's grids",
       {"exact", "reference"}},
      {"--epsilon-setup",
       "epsilon.setup",
       Kind::text,
       "",
       "Also estimate F over experiments (default: as the pairing shows)",
       {"full", "reuse-n-n", "reuse-n-1", "bootstrap"}},
      {"--epsilon-models",
       "epsilon.models",
       Kind::count,
       "",
       "N, models per experiment or, without a setup, in all (default: all)",
       {}},
      {"--epsilon-experiments",
       "epsilon.experiments",
       Kind::count,
       "",
       "E, experiments of the setup (default: as the models allow, 20 for bootstrap)",
       {}},
      {"--miau-seeds", "miau.seeds", Kind::count, "20", "Attack seeds, at least 20", {}},
      {"--miau-weights",
       "miau.weights",
       Kind::numbers,
       "",
       "Weights of forget-retain, forget-test, retain-test, e.g. 0.5,0.25,0.25 (default: thirds)",
       {}},
      {"--miau-alpha", "miau.alpha", Kind::number, "13.8", "Steepness of the logistic map", {}},
      {"--miau-features",
       "miau.features",
       Kind::text,
       "softmax",
       "What the attack sees",
       {"softmax", "sorted_softmax", "logits", "true_class", "saliency"}},
      {"--miau-classifier",
       "miau.classifier",
       Kind::text,
       "logistic",
       "Which attack",
       {"logistic", "svc_rbf", "xgboost"}},
      {"--conformal-alpha", "conformal.alpha", Kind::number, "0.05", "Error level of the sets", {}},
      {"--conformal-score",
       "conformal.score",
       Kind::text,
       "scp",
       "Non-conformity score",
       {"scp", "lac", "aps", "aps_randomised", "entmax"}},
      {"--conformal-gamma", "conformal.gamma", Kind::number, "1.5", "Gamma of entmax", {}},
      {"--conformal-rule",
       "conformal.rule",
       Kind::text,
       "finite_sample",
       "Quantile rule",
       {"finite_sample", "paper"}},
      {"--shadows",
       "iam.shadows",
       Kind::count,
       "0",
       "Shadow models to use, the first in name order; 0: all",
       {}},
      {"--iam-levels", "iam.levels", Kind::count, "100", "Levels from shadow to original", {}},
      {"--iam-epsilon1", "iam.epsilon1", Kind::number, "0.01", "Bounds responses near p = 1", {}},
      {"--iam-epsilon2",
       "iam.epsilon2",
       Kind::number,
       "0.00001",
       "Bounds responses near p = 0",
       {}},
      {"--iam-variance",
       "iam.variance",
       Kind::text,
       "global",
       "Spread over models and rows (global) or over models (per_row)",
       {"global", "per_row"}},
      {"--iam-score",
       "iam.score",
       Kind::text,
       "gumbel",
       "How a level is modelled; all: the AUC of every variant beside gumbel",
       {"loss", "ecdf", "kde", "bayes", "gauss", "gumbel", "all"}},
      {"--iam-delta1",
       "iam.delta1",
       Kind::number,
       "0.1",
       "Forget rows with a score above it count as under-unlearned",
       {}},
      {"--iam-delta2-constant",
       "iam.delta2_constant",
       Kind::number,
       "1.5",
       "Minus the original's test accuracy: retain rows below it count as over-unlearned",
       {}},
      {"--protocol-shadows",
       "protocol.shadows",
       Kind::numbers,
       "",
       "Shadow models of the plain protocol, half IN and half OUT, e.g. 2,8 (default: 2)",
       {}},
      {"--protocol-targets",
       "protocol.targets",
       Kind::count,
       "0",
       "Models of the plain protocol that are attacked, the first; 0: all",
       {}},
      {"--sde-layer",
       "sde.layer",
       Kind::text,
       "",
       "Layers, separated by commas, or all (default: penultimate, else logits)",
       {}},
      {"--sde-sigma",
       "sde.sigma",
       Kind::text,
       "sqrt_dim",
       "Bandwidth of the kernel: sqrt_dim, median or a number",
       {}},
      {"--sde-reference-draws",
       "sde.reference_draws",
       Kind::count,
       "20",
       "Pairs of reference sets; 1 is the paper's form",
       {}},
      {"--sde-subsets", "sde.subsets", Kind::count, "100", "Sets drawn from forget", {}},
      {"--sde-shuffles",
       "sde.shuffles",
       Kind::count,
       "200",
       "Shuffles of the second half of a set",
       {}},
      {"--sde-size",
       "sde.size",
       Kind::count,
       "",
       "Rows of a set (default: 2000, 1000 or 400, at most half of forget)",
       {}},
      {"--lm-k", "lm.k", Kind::number, "20", "Per cent of tokens in min-k%, min-k%++ and SURP", {}},
      {"--lm-levels", "lm.levels", Kind::count, "1000", "IAM levels of language models", {}},
      {"--lm-direction",
       "lm.direction",
       Kind::text,
       "code",
       "IAM levels from original to shadow (code) or back (paper)",
       {"paper", "code"}},
      {"--lm-epsilon1",
       "lm.epsilon1",
       Kind::number,
       "0.1",
       "Language models: bounds IAM responses near p = 0",
       {}},
      {"--lm-epsilon2",
       "lm.epsilon2",
       Kind::number,
       "0.00001",
       "Language models: bounds IAM responses near p = 1",
       {}},
  };
  return options;
}

Json typed(const MetricOption& option, const std::string& text) {
  switch (option.kind) {
    case Kind::text:
      return text;
    case Kind::count:
      return std::stoull(text);
    case Kind::number:
      return std::stod(text);
    case Kind::numbers:
      break;
  }
  Json list = Json::array();
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) list.push_back(std::stod(item));
  return list;
}

std::string check_numbers(const std::string& text) {
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) {
    double ignored = 0;
    if (!CLI::detail::lexical_cast(item, ignored)) return "'" + item + "' is no number";
  }
  return {};
}

}  // namespace

MetricOptions::MetricOptions(CLI::App& verb)
    : values_(std::make_shared<std::map<std::string, std::string>>()) {
  for (const MetricOption& entry : table()) {
    std::string& value = (*values_)[entry.key] = entry.fallback;
    CLI::Option* option = verb.add_option(entry.flag, value, entry.help)->group("Metric options");
    if (!entry.choices.empty()) option->check(CLI::IsMember(entry.choices));
    if (entry.kind == Kind::count) option->check(CLI::TypeValidator<std::uint32_t>("COUNT"));
    if (entry.kind == Kind::number) option->check(CLI::TypeValidator<double>("NUMBER"));
    if (entry.kind == Kind::numbers) option->check(CLI::Validator(check_numbers, "NUMBERS"));
  }
}

Json MetricOptions::json() const {
  Json json = Json::object();
  for (const MetricOption& entry : table()) {
    const std::string& value = values_->at(entry.key);
    if (!value.empty()) json[entry.key] = typed(entry, value);
  }
  return json;
}

}  // namespace vestige::cli
