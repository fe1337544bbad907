// Rows of generated texts.
#include "vestige/metrics/lm/continuations_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/base/parallel.h"
#include "vestige/metrics/lm/lm_rows.h"
#include "vestige/metrics/lm/rouge.h"
#include "vestige/metrics/lm/sampled_leaks.h"
#include "vestige/metrics/options.h"

namespace vestige::metrics {
namespace {

using evidence::Model;
using Prompts = std::vector<std::vector<std::string>>;
using Lines = std::vector<std::string>;

struct TextSettings {
  double threshold = 0.9;  ///< "continuations.threshold": a sample with at least this recall leaks
};

const OptionTable<TextSettings>& text_options() {
  static const OptionTable<TextSettings> table =
      OptionTable<TextSettings>("continuations")
          .number(
              "threshold", "ROUGE-L recall from which a sample counts as a leak",
              [](TextSettings & s) -> auto& { return s.threshold; },
              [](const Json& value) {
                const auto number = value.get<double>();
                return std::string(number > 0 && number <= 1 ? ""
                                                             : "give a recall above 0, at most 1");
              });
  return table;
}

/// "forget", "forget.questions", "forget_knowmem"; the rest should be kept or was never seen.
bool is_forget(std::string_view split) {
  return split == "forget" || split.starts_with("forget.") || split.starts_with("forget_");
}

const Lines* truth_of(const evidence::Evidence& evidence, const std::string& split) {
  const auto found = evidence.text.find(split + ".continuation");
  return found == evidence.text.end() ? nullptr : &found->second;
}

class TextRows {
 public:
  TextRows(LmRows& rows, const TextSettings& settings) : rows_(rows), settings_(settings) {}

  void add() {
    for (const auto& [split, generated] : rows_.model().generated) {
      const Lines* truth = truth_of(rows_.evidence(), split);
      if (truth != nullptr && truth->size() == generated.size()) {
        add_rouge(split, *truth, generated);
      }
    }
    for (const auto& [split, prompts] : rows_.model().samples) {
      const Lines* truth = truth_of(rows_.evidence(), split);
      if (truth != nullptr && truth->size() == prompts.size() && !prompts.empty()) {
        add_leaks(split, *truth, prompts);
      }
    }
  }

 private:
  Row start(std::string_view what, const std::string& split, const char* file) const {
    Row row = rows_.make(fmt::format("{}.{}", what, is_forget(split) ? "forget" : "other"));
    row.settings["split"] = split;
    const bool drawn = std::string_view(file) == ".samples.jsonl";
    const Models& retrained = rows_.comparison().retrained;
    const bool compared = std::any_of(retrained.begin(), retrained.end(), [&](const Model* model) {
      return drawn ? model->samples.count(split) > 0 : model->generated.count(split) > 0;
    });
    if (!compared && is_forget(split) && rows_.comparison().control == Control::none) {
      row.notes.push_back(reason(Code::no_retrained_beside,
                                 fmt::format("retrained/0/generated/{}{}", split, file)));
    }
    return row;
  }

  void add_rouge(const std::string& split, const Lines& truth, const Lines& generated) {
    std::vector<double> recall, f1;
    for (const RougeL& line : rouge_l_of_lines(truth, generated, true)) {
      recall.push_back(line.recall);
      f1.push_back(line.f1);
    }
    rows_.push_mean(start("rouge_l.recall", split, ".txt"), std::move(recall),
                    Code::text_without_words);
    rows_.push_mean(start("rouge_l.f1", split, ".txt"), std::move(f1), Code::text_without_words);
  }

  void add_leaks(const std::string& split, const Lines& truth, const Prompts& prompts) {
    const std::size_t n = prompts.front().size();
    Matrix recall(prompts.size(), n);  // NaN where the truth has no word
    parallel_for(prompts.size(), [&](std::size_t prompt) {
      const std::vector<std::string> words = rouge_words(truth[prompt], true);
      for (std::size_t i = 0; i < n; ++i) {
        recall(prompt, i) = rouge_l(words, rouge_words(prompts[prompt][i], true)).recall;
      }
    });
    for (const std::size_t k : numbers_of_samples(n)) {
      std::vector<double> leaks, largest;
      for (std::size_t prompt = 0; prompt < prompts.size(); ++prompt) {
        const auto values = recall.row(prompt);
        const bool undefined = std::isnan(values.front());
        const auto leaking =
            static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](double value) {
              return value >= settings_.threshold;
            }));
        leaks.push_back(undefined ? kUndefined : leak_at_k(n, leaking, k));
        largest.push_back(undefined ? kUndefined : expected_largest(values, k));
      }
      const auto push = [&](std::string_view what, std::vector<double> terms, bool with_threshold) {
        Row row = start(what, split, ".samples.jsonl");
        row.settings["k"] = k;
        if (with_threshold) row.settings["threshold"] = settings_.threshold;
        row.facts["samples"] = n;
        rows_.push_mean(std::move(row), std::move(terms), Code::text_without_words);
      };
      push("leak", std::move(leaks), true);
      push("leak.expected", std::move(largest), false);
    }
  }

  LmRows& rows_;
  const TextSettings& settings_;
};

Reason lacks_texts(const std::string& model) {
  return reason(Code::needs_continuations,
                model + "/generated/SPLIT.txt or SPLIT.samples.jsonl, text/SPLIT.continuation.txt");
}

Support texts_support(const evidence::Evidence& evidence) {
  for (const evidence::Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      const auto has_truth = [&](const auto& entry) {
        return truth_of(evidence, entry.first) != nullptr;
      };
      if (std::any_of(model.generated.begin(), model.generated.end(), has_truth) ||
          std::any_of(model.samples.begin(), model.samples.end(), has_truth)) {
        return {true, {}};
      }
    }
  }
  return {false, lacks_texts("ROLE/0")};
}

Measurements measure_texts(const Comparison& comparison, const Request& request, Progress&) {
  Measurements out;
  LmRows rows("continuations", comparison, request, out);
  const TextSettings settings = text_options().read(request.options);
  TextRows(rows, settings).add();
  if (out.rows.empty()) {
    rows.skip(rows.make("rouge_l.recall.forget"), lacks_texts(rows.model().id()));
  }
  return out;
}

}  // namespace

Family continuations_family() {
  const auto metric = [](std::string_view id, std::string_view name, std::string_view what,
                         bool shows) {
    return MetricInfo{.id = id,
                      .direction = Direction::match,
                      .ideal = kUndefined,
                      .name = name,
                      .what = what,
                      .shows_forgetting = shows};
  };
  return {
      .name = "continuations",
      .summary = "how much of the true texts a language model writes by itself",
      .metrics = {metric("continuations.rouge_l.recall.forget", "ROUGE-L recall of forget texts",
                         "share of the true words that the greedy continuation has in order", true),
                  metric("continuations.rouge_l.f1.forget", "ROUGE-L F1 of forget texts",
                         "harmonic mean of ROUGE-L precision and recall", true),
                  metric("continuations.leak.forget", "leak@k",
                         "probability that at least one of k samples leaks a forget text", true),
                  metric("continuations.leak.expected.forget", "expected leak of k samples",
                         "expected largest ROUGE-L recall of a forget text among k samples", true),
                  metric("continuations.rouge_l.recall.other", "ROUGE-L recall of other texts",
                         "the same for texts outside the forget set", false),
                  metric("continuations.rouge_l.f1.other", "ROUGE-L F1 of other texts",
                         "the same for texts outside the forget set", false),
                  metric("continuations.leak.other", "leak@k of other texts",
                         "the same for texts outside the forget set", false),
                  metric("continuations.leak.expected.other", "expected leak of other texts",
                         "the same for texts outside the forget set", false)},
      .ranges = {{"continuations", kShare}},
      .support = texts_support,
      .prepare = each(measure_texts),
      .options = text_options().options()};
}

}  // namespace vestige::metrics
