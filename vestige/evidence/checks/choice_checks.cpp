// Labels, goals and options of questions; numbers of samples.
#include "vestige/evidence/checks/choice_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/checks/dependence.h"
#include "vestige/evidence/checks/split_checks.h"

namespace vestige::evidence {
namespace {

// As for the losses of sequences (loss_order.cpp), in standard deviations.
constexpr double kQuestionsIndependent = 8;
constexpr double kQuestionsAgree = 20;
constexpr std::size_t kFewestQuestions = 50;

/// What one model says about one set of questions.
struct Asked {
  const Model* model = nullptr;
  std::string file;
  Matrix values;  ///< [questions, options]
};

std::map<std::string, std::vector<Asked>> asked_by_name(const Evidence& evidence) {
  std::map<std::string, std::vector<Asked>> result;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      for (const auto& [name, array] : model.choices) {
        result[name].push_back(
            {&model, file_of(evidence, model, "choices/" + name), matrix(array)});
      }
    }
  }
  return result;
}

/// -inf is an option that a question does not have; nothing else may be infinite.
bool is_missing_option(double value) { return std::isinf(value) && value < 0; }

class QuestionCheck {
 public:
  QuestionCheck(const Evidence& evidence, const std::string& name, const std::vector<Asked>& asked)
      : evidence_(evidence), name_(name), asked_(asked) {}

  Findings run() {
    const bool fits = check_options() && check_labels();
    if (evidence_.choice_goals.count(name_) == 0) {
      add(asked_.front(), reason(Code::choice_goal_missing, name_), "E-SETTINGS");
    }
    if (fits) check_order();
    return std::move(findings_);
  }

 private:
  void add(const Asked& asked, Reason why, const char* code, Severity severity = Severity::error) {
    findings_.push_back({severity, asked.file, std::move(why), code, asked.model->id()});
  }

  bool check_options() {
    const Asked& first = asked_.front();
    bool fits = true;
    for (const Asked& asked : asked_) {
      if (asked.values.cols() != first.values.cols()) {
        add(asked,
            reason(Code::options_differ, asked.values.cols(), first.file, first.values.cols()),
            "E-SHAPE");
        fits = false;
        continue;
      }
      fits = check_values(asked, first) && fits;
    }
    return fits;
  }

  /// The first value that is wrong; more of them say nothing new.
  bool check_values(const Asked& asked, const Asked& first) {
    for (std::size_t row = 0; row < asked.values.rows(); ++row) {
      for (std::size_t option = 0; option < asked.values.cols(); ++option) {
        const double value = asked.values(row, option);
        const bool missing = is_missing_option(value);
        if ((std::isfinite(value) || missing) &&
            missing == is_missing_option(first.values(row, option))) {
          continue;
        }
        add(asked, reason(Code::choice_not_finite, row, option), "E-VALUES");
        return false;
      }
    }
    return true;
  }

  bool check_labels() {
    const std::string split = "choices." + name_;
    const auto* labels = evidence_.find_labels(split);
    const Matrix& values = asked_.front().values;
    if (labels == nullptr) {
      add(asked_.front(), reason(Code::labels_missing, split, values.rows()), "E-LABELS");
      return false;
    }
    for (std::size_t row = 0; row < labels->size() && row < values.rows(); ++row) {
      const std::int64_t label = (*labels)[row];
      const auto options = static_cast<std::size_t>(
          std::count_if(values.row(row).begin(), values.row(row).end(),
                        [](double value) { return !is_missing_option(value); }));
      const bool inside = label >= 0 && label < static_cast<std::int64_t>(values.cols()) &&
                          !is_missing_option(values(row, static_cast<std::size_t>(label)));
      if (inside) continue;
      findings_.push_back({Severity::error, file_of(evidence_, "labels/" + split),
                           reason(Code::choice_label_out_of_range, label, row, options),
                           "E-LABELS"});
      return false;
    }
    return true;
  }

  /// Models agree on which questions have improbable options, whatever they answer.
  void check_order() {
    std::vector<const Asked*> compared;
    std::vector<RowFeatures> ranks;
    for (const Asked& asked : asked_) {
      if (!is_compared(*asked.model) || asked.values.rows() < kFewestQuestions) continue;
      Matrix means(asked.values.rows(), 1);
      for (std::size_t row = 0; row < means.rows(); ++row) {
        double sum = 0, count = 0;
        for (const double value : asked.values.row(row)) {
          if (is_missing_option(value)) continue;
          sum += value;
          count += 1;
        }
        means(row, 0) = sum / count;
      }
      compared.push_back(&asked);
      ranks.push_back(row_features(means));
    }
    if (compared.size() < 3) return;  // of two models either may be in another order
    for (std::size_t one = 0; one < compared.size(); ++one) {
      double with = 0, among = 0;
      std::vector<std::string> names;
      for (std::size_t left = 0; left < compared.size(); ++left) {
        if (left == one) continue;
        names.push_back(compared[left]->model->id());
        with = std::max(with, dependence(ranks[one], ranks[left]));
        for (std::size_t right = 0; right < left; ++right) {
          if (right != one) among = std::max(among, dependence(ranks[left], ranks[right]));
        }
      }
      if (with >= kQuestionsIndependent || among < kQuestionsAgree) continue;
      add(*compared[one], reason(Code::choices_in_other_order, names), "W-ORDER",
          Severity::warning);
    }
  }

  const Evidence& evidence_;
  const std::string& name_;
  const std::vector<Asked>& asked_;
  Findings findings_;
};

}  // namespace

Findings check_choices(const Evidence& evidence) {
  Findings findings;
  const auto by_name = asked_by_name(evidence);
  for (const auto& [name, asked] : by_name) {
    const Findings more = QuestionCheck(evidence, name, asked).run();
    findings.insert(findings.end(), more.begin(), more.end());
  }
  for (const auto& [name, goal] : evidence.choice_goals) {
    if (by_name.count(name) > 0) continue;
    findings.push_back(
        {Severity::warning, "evidence.toml",
         reason(Code::setting_not_used, fmt::format("choices.\"{}\"", name), "choices/" + name),
         "W-NOT-USED"});
  }
  return findings;
}

Findings check_samples(const Evidence& evidence) {
  Findings findings;
  std::map<std::string, std::pair<std::string, std::size_t>> per_prompt;  // split -> file, number
  const auto lines_fit = [&](const Model& model, const std::string& split, const std::string& file,
                             std::size_t lines) {
    const auto truth = evidence.text.find(split + ".continuation");
    if (truth == evidence.text.end() || truth->second.size() == lines) return;
    findings.push_back(
        {Severity::error, file,
         reason(Code::lines_differ, lines, fmt::format("text/{}.continuation.txt", split),
                truth->second.size()),
         "E-TOKENS", model.id()});
  };
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      for (const auto& [split, lines] : model.generated) {
        // The lines of others are compared with their tokens or losses (token_checks.cpp).
        if (model.tokens.count(split) > 0 || model.losses.count(split) > 0) continue;
        lines_fit(model, split, fmt::format("{}/generated/{}.txt", model.folder, split),
                  lines.size());
      }
      for (const auto& [split, prompts] : model.samples) {
        const std::string file = fmt::format("{}/generated/{}.samples.jsonl", model.folder, split);
        lines_fit(model, split, file, prompts.size());
        if (prompts.empty()) continue;
        const std::size_t first = prompts.front().size();
        const auto other = std::find_if(prompts.begin(), prompts.end(), [&](const auto& samples) {
          return samples.size() != first;
        });
        if (other != prompts.end()) {
          const auto row = static_cast<std::size_t>(other - prompts.begin());
          findings.push_back({Severity::error, file,
                              reason(Code::samples_unequal, row, other->size(), first), "E-TOKENS",
                              model.id()});
          continue;
        }
        const auto [known, is_new] = per_prompt.try_emplace(split, file, first);
        if (is_new || known->second.second == first) continue;
        findings.push_back(
            {Severity::error, file,
             reason(Code::samples_differ, first, known->second.first, known->second.second),
             "E-TOKENS", model.id()});
      }
    }
  }
  return findings;
}

}  // namespace vestige::evidence
