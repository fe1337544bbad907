// Reference cases of IAM and the attack family. Stored scores are unlearning scores (higher = more
// unlearned), ours are membership scores, hence the signs.
#include "vestige/audit/conformance/iam.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "vestige/base/error.h"
#include "vestige/metrics/scores/emia.h"
#include "vestige/metrics/scores/iam.h"
#include "vestige/metrics/scores/lira.h"
#include "vestige/metrics/scores/rmia.h"
#include "vestige/metrics/scores/unleak.h"

namespace vestige::audit {
namespace {

using metrics::ShadowMoments;

using Values = std::vector<double>;

Values negated(Values values) {
  for (double& value : values) value = -value;
  return values;
}

Values one_minus(Values values) {
  for (double& value : values) value = 1 - value;
  return values;
}

std::string text(const ConformanceCase& test_case, const char* key, const char* fallback) {
  return test_case.params.value(key, fallback);
}

Matrix transposed(const Matrix& matrix) {
  Matrix result(matrix.cols(), matrix.rows());
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    for (std::size_t col = 0; col < matrix.cols(); ++col) result(col, row) = matrix(row, col);
  }
  return result;
}

Matrix with_values(const Matrix& shape, Values values) {
  Matrix result(shape.rows(), shape.cols());
  std::copy(values.begin(), values.end(), result.values().begin());
  return result;
}

ConformanceValues run_iam(const ConformanceCase& test_case) {
  const metrics::ResponseOptions response{
      .epsilon1 = test_case.parameter("eps1", 1e-2),
      .epsilon2 = test_case.parameter("eps2", 1e-5),
      .unit_range = test_case.params.value("minmax_normalised", true)};
  metrics::IamOptions options;
  options.levels = static_cast<std::size_t>(std::max(2.0, test_case.parameter("steps", 100)));
  const bool normal = text(test_case, "dist", "gumbel") == "norm";
  options.distribution =
      normal ? metrics::LevelDistribution::normal : metrics::LevelDistribution::gumbel;
  const Matrix p_shadow = test_case.matrix("p_shadow");
  // The reference takes the joint variance for a single shadow model whatever it is told.
  const bool global = test_case.params.value("fix_variance", true) || p_shadow.rows() == 1;
  options.variance = global ? metrics::IamVariance::global : metrics::IamVariance::per_row;
  if (normal) {
    options.zero_deviation = 1e-30;
  } else if (!global) {
    options.zero_deviation = 1e-10;
  }
  const Values target = metrics::iam_responses(test_case.numbers("p_unlearned"), response);
  const Values shadow = metrics::iam_responses(p_shadow.values(), response);
  Values in;
  if (text(test_case, "mode", "online") == "offline") {
    const Matrix train = test_case.matrix("p_shadow_train");
    std::vector<Values> own;
    for (std::size_t model = 0; model < train.rows(); ++model) {
      own.push_back(metrics::iam_responses(train.row(model), response));
    }
    in.assign(target.size(), metrics::offline_in(own));
  } else {
    in = metrics::iam_responses(test_case.numbers("p_original"), response);
  }
  const Values scores = metrics::iam_scores(
      target, metrics::shadow_moments(with_values(p_shadow, shadow)), in, options);
  return {{"response_unlearned", target},
          {"response_shadow", shadow},
          {"response_in", in},
          {"membership_score", scores},
          {"unlearn_score", one_minus(scores)}};
}

ConformanceValues run_lira_iam(const ConformanceCase& test_case) {
  const Values unlearned = test_case.numbers("conf_unlearned");
  const Values original = test_case.numbers("conf_original");
  const ShadowMoments out =
      metrics::shadow_moments(transposed(test_case.matrix("conf_shadow_out")));
  return {{"p_LiRA_set_random", negated(metrics::lira_density(unlearned, out))},
          {"p_LiRA_class", negated(metrics::lira_offline(unlearned, out))},
          {"p_LiRA_Online", negated(metrics::lira_online(unlearned, original, out))},
          {"p_update_LiRA", negated(metrics::update_attack(unlearned, original, out))}};
}

ConformanceValues run_lira_tf(const ConformanceCase& test_case) {
  const Values scores = test_case.numbers("scores");
  const Values targets = test_case.numbers("check_scores");
  const std::vector<std::int64_t> marks = test_case.integers("keep");
  const std::vector<std::uint8_t> keep(marks.begin(), marks.end());
  const std::size_t rows = test_case.inputs.at("keep").cols();
  const std::size_t augmentations = scores.size() / keep.size();
  const metrics::LiraPool pool{scores, keep, rows, augmentations};
  const std::size_t per_target = rows * augmentations;
  ConformanceValues result;
  for (std::size_t start = 0; start < targets.size(); start += per_target) {
    const std::span<const double> target(targets.data() + start, per_target);
    for (const bool fixed : {false, true}) {
      const metrics::LiraPoolScores attack = metrics::lira_pool(pool, target, fixed);
      Values& online = result[fixed ? "online_fix1" : "online_fix0"];
      Values& offline = result[fixed ? "offline_fix1" : "offline_fix0"];
      for (std::size_t row = 0; row < rows; ++row) {
        online.push_back(-attack.online[row]);
        offline.push_back(-attack.offline[row]);
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (std::size_t index = 0; index < augmentations; ++index) {
        sum += target[row * augmentations + index];
      }
      result["global"].push_back(-sum / static_cast<double>(augmentations));
    }
  }
  return result;
}

/// Signals of reference models from logits [rows, models, classes], as [models, rows].
Matrix reference_signals(const ConformanceCase& test_case, const char* input,
                         const std::vector<std::int64_t>& labels,
                         const metrics::RmiaSignalOptions& options) {
  const std::vector<std::size_t>& shape = test_case.inputs.at(input).shape();
  const Values logits = test_case.numbers(input);
  Matrix result(shape[1], shape[0]);
  for (std::size_t model = 0; model < shape[1]; ++model) {
    Matrix one(shape[0], shape[2]);
    for (std::size_t row = 0; row < shape[0]; ++row) {
      const double* first = logits.data() + (row * shape[1] + model) * shape[2];
      std::copy(first, first + shape[2], one.row(row).begin());
    }
    const Values signals = metrics::rmia_signals(one, labels, options);
    std::copy(signals.begin(), signals.end(), result.row(model).begin());
  }
  return result;
}

ConformanceValues run_rmia_iam(const ConformanceCase& test_case) {
  metrics::RmiaSignalOptions options;
  options.signal = text(test_case, "signal", "taylor-soft-margin") == "softmax"
                       ? metrics::RmiaSignal::softmax
                       : metrics::RmiaSignal::taylor;
  options.temperature = test_case.parameter("temperature", 2);
  options.margin = test_case.parameter("taylor_m", 0.6);
  const double trimmed = test_case.parameter("trim", 0.2);
  const bool online = text(test_case, "mode", "offline") == "online";

  Values signal_target;
  const auto ratios = [&](const std::string& side, Values* keep) {
    const std::vector<std::int64_t> labels = test_case.integers(side + "_labels");
    const Values target =
        metrics::rmia_signals(test_case.matrix(side + "_logits"), labels, options);
    const Matrix out =
        reference_signals(test_case, (side + "_ref_logits").c_str(), labels, options);
    if (keep != nullptr) *keep = target;
    if (!online) {
      return metrics::likelihood_ratios(
          target, metrics::offline_reference(metrics::mean_signals(out, trimmed),
                                             test_case.parameter("offline_a", 0.33)));
    }
    const Values in =
        metrics::rmia_signals(test_case.matrix("in_" + side + "_logits"), labels, options);
    Matrix both(2 * out.rows(), out.cols());
    std::copy(out.values().begin(), out.values().end(), both.values().begin());
    for (std::size_t copy = out.rows(); copy < both.rows(); ++copy) {
      std::copy(in.begin(), in.end(), both.row(copy).begin());
    }
    return metrics::likelihood_ratios(target, metrics::mean_signals(both, trimmed));
  };
  const Values x = ratios("target", &signal_target);
  const Values z = ratios("pop", nullptr);
  const Values scores =
      metrics::rmia_scores(x, z, test_case.parameter("gamma", 2), metrics::PairRule::reciprocal);
  return {{"signal_target", signal_target},
          {"membership_score", scores},
          {"unlearn_score", one_minus(scores)}};
}

/// Mean OUT signal of each row, the public code's way: with several reference models a member
/// counts 0 and the largest `models` signals are averaged; with one, the OUT signal of a member is
/// derived from its IN signal.
Values mean_out_signals(const Matrix& signals, const Values& members, double a,
                        std::size_t models) {
  Values result(signals.rows());
  for (std::size_t row = 0; row < signals.rows(); ++row) {
    Values out(signals.cols());
    for (std::size_t model = 0; model < out.size(); ++model) {
      const double p = signals(row, model);
      const bool member = !members.empty() && members[row * signals.cols() + model] != 0;
      out[model] = !member ? p : models > 1 ? 0 : a != 0 ? (p + a - 1) / a : (p - 0.7) / 0.3;
    }
    if (models > 1) {
      std::sort(out.begin(), out.end(), std::greater<>());
      out.resize(std::min(out.size(), models));
    }
    result[row] = metrics::trimmed_mean(out, 0);
  }
  return result;
}

ConformanceValues run_rmia_privacy_meter(const ConformanceCase& test_case) {
  const double a = test_case.parameter("offline_a", 0.3);
  const Matrix reference = test_case.matrix("ref_signals");
  const auto models = static_cast<std::size_t>(
      test_case.parameter("num_reference_models",
                          std::max(1.0, std::floor(static_cast<double>(reference.cols()) / 2))));
  const auto ratios = [&](const char* target, const Matrix& signals, const Values& members) {
    return metrics::likelihood_ratios(
        test_case.numbers(target),
        metrics::offline_reference(mean_out_signals(signals, members, a, models), a));
  };
  return {{"membership_score",
           metrics::rmia_scores(
               ratios("target_signals", reference, test_case.numbers("ref_memberships")),
               ratios("z_target_signals", test_case.matrix("z_ref_signals"), {}),
               test_case.parameter("gamma", 1))}};
}

ConformanceValues run_emia(const ConformanceCase& test_case) {
  const Values target = metrics::logistic_losses(test_case.numbers("logit_unlearned"));
  const Matrix logits = test_case.matrix("logit_shadow");
  const Matrix shadows = with_values(logits, metrics::logistic_losses(logits.values()));
  return {{"emia_p", one_minus(metrics::emia_p(
                         target, metrics::logistic_losses(test_case.numbers("logit_population"))))},
          {"emia_r",
           one_minus(metrics::emia_r(target, shadows, test_case.parameter("dummy_max", 1000)))}};
}

/// Features are ordered by the original's posteriors, all but three of which are equal; the order
/// of equal ones came from an unstable sort and means nothing. Within each row they are therefore
/// compared as a set: ours are put in the order of the expected ones.
ConformanceValues run_unleak(const ConformanceCase& test_case) {
  const auto kept = static_cast<std::size_t>(test_case.parameter("topk", 3));
  Matrix features = metrics::unleak_features(test_case.matrix("prob_original"),
                                             test_case.matrix("prob_unlearned"), kept);
  const auto expected = test_case.expected.find("feature");
  Values result(features.values().begin(), features.values().end());
  if (expected == test_case.expected.end() || expected->second.size() != result.size()) {
    return {{"feature", result}};
  }
  const Values wanted = expected->second.doubles();
  const std::size_t equal = features.cols() - kept;
  for (std::size_t row = 0; row < features.rows(); ++row) {
    const auto first = features.row(row).begin();
    std::sort(first, first + static_cast<std::ptrdiff_t>(equal));
    const std::size_t start = row * features.cols();
    std::vector<std::size_t> order(equal);
    for (std::size_t index = 0; index < equal; ++index) order[index] = index;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      return wanted[start + left] < wanted[start + right];
    });
    for (std::size_t index = 0; index < equal; ++index) {
      result[start + order[index]] = features(row, index);
    }
  }
  return {{"feature", result}};
}

}  // namespace

std::vector<ConformanceRunner> iam_runners() {
  return {{"iam", run_iam, {}},
          {"lira_iam", run_lira_iam, {}},
          {"lira_tf", run_lira_tf, {}},
          {"rmia_iam", run_rmia_iam, {}},
          {"rmia_privacy_meter", run_rmia_privacy_meter, {}},
          {"emia", run_emia, {}},
          {"unleak_features", run_unleak, {}}};
}

}  // namespace vestige::audit
