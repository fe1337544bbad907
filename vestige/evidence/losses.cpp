// Reading and checking losses/*.npy and the answers below tokens/.
#include "vestige/evidence/losses.h"

#include <cmath>
#include <set>

#include "vestige/base/error.h"
#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/tokens.h"

namespace vestige::evidence {
namespace {

std::string answer_key(std::string_view split, Answers answers) {
  return std::string(split) + "." + std::string(name(answers));
}

std::vector<double> checked_losses(const Array& array, const std::string& file) {
  std::vector<double> values = array.doubles();
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(
        std::isfinite(values[i]),
        "{}: has {} in row {}: find out why the model gives this value and export finite losses",
        file, values[i], i / array.cols());
    require(values[i] >= 0,
            "{}: has {} in row {}: losses are at least 0 (exp(-loss) stands for a confidence); "
            "subtract the smallest loss that is possible, the same from every model",
            file, values[i], i / array.cols());
  }
  return values;
}

/// Which row each answer of tokens/SPLIT.ANSWERS belongs to.
std::vector<std::size_t> groups_of(const Evidence& evidence, const Model& model,
                                   const std::string& key, std::size_t answers, std::size_t rows) {
  const std::string file = file_of(evidence, model.folder + "/tokens/" + key + ".groups");
  std::vector<std::size_t> groups(answers);
  const auto found = model.tokens.find(key + ".groups");
  if (found == model.tokens.end()) {
    require(answers == rows,
            "{}: has {} answers for {} sequences: add {}.groups.npy, the row that each answer "
            "belongs to",
            file_of(evidence, model.folder + "/tokens/" + key), answers, rows, key);
    for (std::size_t i = 0; i < answers; ++i) groups[i] = i;
    return groups;
  }
  const Array& array = found->second;
  require(array.rank() == 1 && is_integer(array.dtype()) && array.size() == answers,
          "{}: has shape {} and type {}: give one whole number for each of the {} answers", file,
          shape_text(array.shape()), name(array.dtype()), answers);
  const std::vector<std::int64_t> values = array.integers();
  for (std::size_t i = 0; i < answers; ++i) {
    require(values[i] >= 0 && values[i] < static_cast<std::int64_t>(rows),
            "{}: answer {} belongs to row {}, but the split has {} rows: count them from 0", file,
            i, values[i], rows);
    groups[i] = static_cast<std::size_t>(values[i]);
  }
  return groups;
}

std::vector<std::vector<double>> answers_from_tokens(const Evidence& evidence, const Model& model,
                                                     std::string_view split, Answers answers) {
  const std::string key = answer_key(split, answers);
  const TokenSplit tokens = read_log_probabilities(evidence, model, key);
  const std::size_t rows = read_log_probabilities(evidence, model, split).sequences().size();
  const Sequences sequences = tokens.sequences();
  const auto groups = groups_of(evidence, model, key, sequences.size(), rows);
  std::vector<std::vector<double>> result(rows);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    double sum = 0;
    for (const double value : sequences[i]) sum -= value;
    result[groups[i]].push_back(sum / static_cast<double>(sequences[i].size()));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    require(!result[row].empty(),
            "{}: row {} has no {} answer: give every row at least one, or leave the row out of the "
            "split",
            file_of(evidence, model.folder + "/tokens/" + key), row, name(answers));
  }
  return result;
}

}  // namespace

bool has_losses(const Model& model, std::string_view split) {
  return model.losses.count(std::string(split)) > 0;
}

std::vector<double> read_losses(const Evidence& evidence, const Model& model,
                                std::string_view split) {
  require(has_losses(model, split), "{}: there is no losses/{}.npy: add it", model.folder, split);
  return checked_losses(model.losses.at(std::string(split)),
                        file_of(evidence, model.folder + "/losses/" + std::string(split)));
}

std::string_view name(Answers answers) {
  return answers == Answers::paraphrased ? "paraphrased" : "perturbed";
}

bool has_answers(const Model& model, std::string_view split, Answers answers) {
  const std::string key = answer_key(split, answers);
  return model.losses.count(key) > 0 || model.tokens.count(key) > 0;
}

std::vector<std::vector<double>> read_answers(const Evidence& evidence, const Model& model,
                                              std::string_view split, Answers answers) {
  const std::string key = answer_key(split, answers);
  const auto found = model.losses.find(key);
  if (found == model.losses.end()) return answers_from_tokens(evidence, model, split, answers);
  const Array& array = found->second;
  const std::vector<double> values =
      checked_losses(array, file_of(evidence, model.folder + "/losses/" + key));
  std::vector<std::vector<double>> result(array.rows());
  for (std::size_t i = 0; i < values.size(); ++i) result[i / array.cols()].push_back(values[i]);
  return result;
}

Findings check_losses(const Evidence& evidence) {
  Findings findings;
  const auto attempt = [&](const Model& model, const auto& action) {
    try {
      action();
    } catch (const InputError& error) {
      findings.push_back(
          {Severity::error, "", reason(Code::message, error.what()), "E-VALUES", model.id()});
    }
  };
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      for (const auto& [key, array] : model.losses) {
        attempt(model, [&, &key = key, &array = array] {
          checked_losses(array, file_of(evidence, model.folder + "/losses/" + key));
        });
      }
      std::set<std::string> splits;
      for (const auto& [key, array] : model.tokens) splits.insert(key.substr(0, key.rfind('.')));
      for (const std::string& split : splits) {
        for (const Answers answers : {Answers::paraphrased, Answers::perturbed}) {
          // Damaged tokens of the split itself are reported with the tokens.
          if (model.tokens.count(answer_key(split, answers)) == 0 || !has_tokens(model, split) ||
              model.tokens.count(split + ".offsets") == 0) {
            continue;
          }
          attempt(model, [&] { answers_from_tokens(evidence, model, split, answers); });
        }
      }
    }
  }
  return findings;
}

}  // namespace vestige::evidence
