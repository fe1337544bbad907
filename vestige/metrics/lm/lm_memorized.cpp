// What greedy decoding says by itself: ranks of tokens, and words of generated continuations.
#include <algorithm>
#include <cmath>

#include "vestige/metrics/lm/lm_parts.h"
#include "vestige/metrics/lm/memorization.h"
#include "vestige/metrics/lm/rouge.h"
#include "vestige/metrics/lm/sampled_leaks.h"

namespace vestige::metrics {
namespace {

void add_ranks(const LmSettings& settings, LmRows& rows) {
  const evidence::Model& model = rows.model();
  if (model.tokens.count("forget.rank") == 0) {
    return rows.skip(rows.make("exact_memorization.forget"),
                     reason(Code::needs_token_ranks, model.folder + "/tokens/forget.rank.npy"));
  }
  const evidence::TokenSplit split = evidence::read_tokens(rows.evidence(), model, "forget");
  rows.push_mean(rows.make("exact_memorization.forget"),
                 exact_memorization(split.rank, split.offsets));
  Row strength = rows.make("extraction_strength.forget");
  strength.settings["rule"] = name(settings.rule);
  rows.push_mean(std::move(strength),
                 extraction_strength(split.rank, split.offsets, settings.rule));
}

/// What sampling at temperature 1 would extract, exactly: the probability of a sequence is the
/// product of those of its tokens.
void add_extraction(const LmSettings& settings, LmRows& rows) {
  const evidence::Model& model = rows.model();
  if (!evidence::has_tokens(model, "forget")) {
    return rows.skip(rows.make("extraction_probability.forget"),
                     reason(Code::needs_tokens, model.folder + "/tokens/forget.npy"));
  }
  const evidence::TokenSplit split =
      evidence::read_log_probabilities(rows.evidence(), model, "forget");
  const evidence::Sequences sequences = split.sequences();
  std::vector<double> chances, extractable;
  double largest = -HUGE_VAL;
  for (std::size_t row = 0; row < sequences.size(); ++row) {
    double sum = 0;
    for (const double log_probability : sequences[row]) sum += log_probability;
    largest = std::max(largest, sum);
    chances.push_back(extraction_probability(sum, static_cast<double>(settings.queries)));
    extractable.push_back(chances.back() >= settings.extractable ? 1 : 0);
  }
  const auto start = [&](std::string_view what) {
    Row row = rows.make(what);
    row.settings["queries"] = settings.queries;
    row.facts["log10_largest_probability"] = largest / std::log(10.0);
    return row;
  };
  Row mean = start("extraction_probability.forget");
  const bool none = std::all_of(chances.begin(), chances.end(), [](double p) { return p == 0; });
  if (none) mean.notes.push_back(Code::too_long_to_extract);
  rows.push_mean(std::move(mean), std::move(chances));
  Row share = start("extractable.forget");
  share.settings["probability"] = settings.extractable;
  rows.push_mean(std::move(share), std::move(extractable));
}

void add_rouge(LmRows& rows) {
  const evidence::Model& model = rows.model();
  const auto generated = model.generated.find("forget");
  const auto truth = rows.evidence().text.find("forget.continuation");
  if (generated == model.generated.end() || truth == rows.evidence().text.end()) {
    return rows.skip(rows.make("rouge_l.recall.forget"),
                     reason(Code::needs_continuations,
                            model.folder + "/generated/forget.txt, text/forget.continuation.txt"));
  }
  for (const bool stemming : {false, true}) {
    std::vector<double> recall, f1;
    for (const RougeL& line : rouge_l_of_lines(truth->second, generated->second, stemming)) {
      recall.push_back(line.recall);
      f1.push_back(line.f1);
    }
    const auto push = [&](std::string_view what, std::vector<double> values) {
      Row row = rows.make(what);
      row.settings["stemming"] = stemming;
      rows.push_mean(std::move(row), std::move(values), Code::text_without_words);
    };
    push("rouge_l.recall.forget", std::move(recall));
    push("rouge_l.f1.forget", std::move(f1));
  }
}

}  // namespace

void add_memorization(const LmSettings& settings, LmRows& rows) {
  add_ranks(settings, rows);
  add_extraction(settings, rows);
  add_rouge(rows);
}

}  // namespace vestige::metrics
