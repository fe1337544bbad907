// Keys of OpenUnlearning's and of TOFU's own logs.
#include "vestige/import/model_log.h"

#include <array>
#include <cmath>

#include "vestige/base/error.h"

namespace vestige::importing {
namespace {

constexpr std::array<std::pair<std::string_view, const char*>, 4> kPrefixes = {
    {{"forget_", "forget"},
     {"retain_", "retain"},
     {"ra_", "real_authors"},
     {"wf_", "world_facts"}}};

const Log& values_by_index(const Log& metric, const At& at) {
  require(metric.is_object() && metric.contains("value_by_index"),
          "{}: {} has no \"value_by_index\": the log is of another version than this program reads "
          "(locuslab/open-unlearning of 2025), or is damaged; evaluate again",
          at.file, at.key);
  return metric.at("value_by_index");
}

void read_texts(const Log& values, const At& at, QuestionLog& split) {
  split.rouge = numbers_of(values, "rougeL_recall", at);
  const Log& first = values.begin().value();
  if (!first.contains("generation") && !first.contains("ground_truth")) return;
  split.generated = lines_of(values, "generation", at);
  split.truth = lines_of(values, "ground_truth", at);
}

/// True if `key` is one of the question metrics, which is read then.
bool read_questions(const std::string& key, const Log& metric, const At& at, ModelLog& model) {
  for (const auto& [prefix, name] : kPrefixes) {
    if (!key.starts_with(prefix)) continue;
    const std::string_view what = std::string_view(key).substr(prefix.size());
    QuestionLog& split = model.splits[name];
    if (what == "Q_A_Prob") {
      const Log& values = values_by_index(metric, at);
      split.loss = numbers_of(values, "avg_loss", at);
      split.probability = numbers_of(values, "prob", at);
      require(split.loss.width == 1, "{}: {} has {} answers for a question: one is right", at.file,
              at.key, split.loss.width);
    } else if (what == "Q_A_PARA_Prob") {
      split.paraphrased = numbers_of(values_by_index(metric, at), "avg_loss", at);
    } else if (what == "Q_A_PERT_Prob") {
      split.perturbed = numbers_of(values_by_index(metric, at), "avg_loss", at);
    } else if (what == "Q_A_ROUGE") {
      read_texts(values_by_index(metric, at), at, split);
    } else {
      return false;
    }
    return true;
  }
  return false;
}

/// Attacks have values for two splits, memorisation and judges for one.
bool read_scores(const std::string& key, const Log& metric, const At& at, ModelLog& model) {
  if (key.starts_with("mia_")) {
    for (const char* split : {"forget", "holdout"}) {
      require(metric.is_object() && metric.contains(split),
              "{}: {} has no \"{}\": the log is of another version than this program reads "
              "(locuslab/open-unlearning of 2025), or is damaged; evaluate again",
              at.file, at.key, split);
      const At inside{at.file, key + "." + split};
      model.scores[key][split] =
          numbers_of(values_by_index(metric.at(split), inside), "score", inside);
    }
    return true;
  }
  if (key.ends_with("mem_ROUGE")) {  // MUSE: forget_verbmem, forget_knowmem, retain_knowmem
    const std::size_t bar = key.find('_');
    const std::string name = key.substr(bar + 1, key.size() - bar - 1 - 6);
    model.scores[name][key.substr(0, bar)] =
        numbers_of(values_by_index(metric, at), "rougeL_f1", at);
    return true;
  }
  const bool judged = key == "extraction_strength" || key == "exact_memorization" ||
                      key == "forget_gibberish" || key == "forget_Q_A_gibberish";
  if (!judged) return false;
  const std::string name = key.ends_with("gibberish") ? "gibberish" : key;
  model.scores[name]["forget"] = numbers_of(values_by_index(metric, at), "score", at);
  return true;
}

bool is_total(const std::string& key) {
  return key.ends_with("ruth_Ratio") || key.ends_with("ruth_ratio") ||
         key.ends_with("Prob_normalised") || key == "forget_quality" || key == "model_utility" ||
         key == "privleak";
}

}  // namespace

ModelLog read_openunlearning_log(const std::string& file, const Log& log) {
  require(log.is_object() && !log.empty(),
          "{}: is no log of OpenUnlearning: it must be an object of metrics; evaluate again", file);
  ModelLog model;
  model.file = file;
  for (const auto& [key, metric] : log.items()) {
    const At at{file, key};
    if (metric.is_object() && metric.contains("agg_value")) {
      const Log& value = metric.at("agg_value");
      model.said[key] = value.is_number() ? value.get<double>() : std::nan("");
    }
    if (read_questions(key, metric, at, model) || read_scores(key, metric, at, model)) continue;
    if (!is_total(key)) model.not_read.push_back(key);
  }
  std::erase_if(model.splits, [](const auto& split) {
    return split.second.loss.index.empty() && split.second.rouge.index.empty() &&
           split.second.perturbed.index.empty();
  });
  return model;
}

ModelLog read_tofu_log(const std::string& file, const Log& log) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kTasks = {
      {{"eval_log_forget.json", "forget"},
       {"eval_log.json", "retain"},
       {"eval_real_author_wo_options.json", "real_authors"},
       {"eval_real_world_wo_options.json", "world_facts"}}};
  ModelLog model;
  model.file = file;
  for (const auto& [task, name] : kTasks) {
    if (!log.contains(task)) continue;
    const Log& values = log.at(task);
    const auto column = [&, task = task](const char* key) {
      require(values.contains(key), "{}: {} has no \"{}\": evaluate again with TOFU's own program",
              file, task, key);
      return numbers_of(values.at(key), "", {file, fmt::format("{}.{}", task, key)});
    };
    QuestionLog& split = model.splits[name];
    split.loss = column("avg_gt_loss");
    split.probability = split.loss;
    for (double& value : split.probability.values) value = std::exp(-value);
    split.perturbed = column("average_perturb_loss");
    split.paraphrased = column("avg_paraphrased_loss");
    split.rouge = column("rougeL_recall");
  }
  require(model.splits.count("forget") > 0,
          "{}: has no \"eval_log_forget.json\": give TOFU's eval_log_aggregated.json", file);
  return model;
}

}  // namespace vestige::importing
