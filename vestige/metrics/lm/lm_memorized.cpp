// What greedy decoding says by itself: ranks of tokens, and words of generated continuations.
#include "vestige/metrics/lm/lm_parts.h"
#include "vestige/metrics/lm/memorization.h"
#include "vestige/metrics/lm/rouge.h"

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
  add_rouge(rows);
}

}  // namespace vestige::metrics
