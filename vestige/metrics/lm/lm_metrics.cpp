// Declarations, made from one table of scores.
#include "vestige/metrics/lm/lm_metrics.h"

#include <fmt/format.h>

#include <deque>
#include <string>

#include "vestige/metrics/lm/lm_evidence.h"

namespace vestige::metrics {
namespace {

struct ScoreWords {
  std::string_view name;
  std::string_view plain;  ///< begins column headings: "loss attack"
  std::string_view what;   ///< what the score is
  int place = 0;           ///< among those that speak in verdicts; 0: it does not
};

constexpr ScoreWords kWords[] = {
    {"loss", "loss attack", "the loss per token", 4},
    {"lower", "lower-case", "the loss relative to that of the lower-cased text"},
    {"zlib", "zlib", "the loss relative to the compressibility of the text"},
    {"zlib_bytes", "zlib bytes", "the loss per byte of the compressed text"},
    {"ratio", "reference ratio", "the loss relative to that of shadow models", 5},
    {"reference", "reference difference", "the loss of shadow models minus the loss", 3},
    {"min_k", "min-k%", "the loss of the least probable tokens", 6},
    {"min_k_plus_plus", "min-k%++", "as min_k, standardised at each position", 7},
    {"surp", "SURP", "the loss of improbable tokens where the model was confident"},
    {"gradnorm", "gradient norm", "the norm of the gradient of the loss, negative"},
    {"emia_p", "EMIA-P", "the share of test examples with a larger loss"},
    {"emia_r", "EMIA-R", "the rank of the loss among those of shadow models"},
    {"lira", "LiRA", "the likelihood ratio against shadow models", 1},
    {"rmia", "RMIA", "the share of test examples that the model knows less well", 2},
    {"iam", "IAM", "the IAM score between shadow models and the original", 0},
};

/// Texts that live as long as the program: MetricInfo keeps views.
std::string_view kept(std::string text) {
  static auto* texts = new std::deque<std::string>;
  return texts->emplace_back(std::move(text));
}

/// AUCs of one score: of retain above forget, and as the field has it, of forget above test.
void add_score(std::string_view family, const ScoreWords& words, std::vector<MetricInfo>& out) {
  const bool speaks = words.place > 0 || words.name == "iam";
  const auto speech = [&](int first, bool against_retain) {
    return Speech{
        .place = first + words.place,
        .under = "to a membership attack its forget examples still look like training data",
        .over = "its forget examples stand out more than those of a model that never saw them",
        .core = words.name == "iam" && !against_retain,
        .against_retain = against_retain};
  };
  MetricInfo auc{.id = kept(fmt::format("{}.{}.auc", family, words.name)),
                 .direction = Direction::match,
                 .ideal = kUndefined,
                 .name = kept(fmt::format("{} AUC", words.plain)),
                 .what = kept(fmt::format("probability that a retain example is better known than "
                                          "a forget example, by {}",
                                          words.what)),
                 .shows_forgetting = true};
  if (speaks) auc.speech = speech(90, true);
  out.push_back(std::move(auc));
  MetricInfo unseen{
      .id = kept(fmt::format("{}.{}.auc.forget_test", family, words.name)),
      .direction = Direction::match,
      // Scores relative to shadow models or to the original are not 0.5 for retrained models
      // either.
      .ideal = kUndefined,
      .name = kept(fmt::format("{} AUC of forget against unseen examples", words.plain)),
      .what = kept(fmt::format("probability that a forget example is better known than a test "
                               "example, by {}",
                               words.what)),
      .shows_forgetting = true};
  if (speaks) unseen.speech = speech(80, false);
  out.push_back(std::move(unseen));
}

void add_spearman(std::string_view family, const ScoreWords& words, std::vector<MetricInfo>& out) {
  out.push_back({kept(fmt::format("{}.{}.spearman", family, words.name)), Direction::higher, 1,
                 kept(fmt::format("{} over graded models", words.plain)),
                 "rank correlation of the score and known membership"});
}

void add_means(std::string_view family, std::vector<MetricInfo>& out) {
  for (const std::string_view score : {"lira", "rmia", "iam"}) {
    const std::string_view plain = score == "lira" ? "LiRA" : score == "rmia" ? "RMIA" : "IAM";
    for (const std::string_view split : {"forget", "retain"}) {
      MetricInfo info{
          kept(fmt::format("{}.{}.mean.{}", family, score, split)), Direction::match, kUndefined,
          kept(fmt::format("mean {} score of {} examples", plain, split)),
          kept(fmt::format("mean {} score of {} examples, {}", plain, split,
                           score == "iam" ? "1: as in the original" : "scaled to [0, 1]"))};
      if (score == "iam" && split == "forget") {
        info.shows_forgetting = true;
        info.speech = Speech{.place = 79,
                             .under = "it still fits the forget examples as the original did",
                             .over = "it fits the forget examples less than retrained models do",
                             .core = true};
      }
      out.push_back(std::move(info));
    }
  }
}

/// Kolmogorov-Smirnov of one quantity between a model and a retrained one.
void add_ks(std::string_view id, std::string_view of, std::string_view extra,
            std::vector<MetricInfo>& out) {
  out.push_back({.id = id,
                 .direction = Direction::match,
                 .ideal = 0,
                 .name = kept(fmt::format("KS statistic of the {}", of)),
                 .what = kept(fmt::format("largest distance between the distributions of the {} on "
                                          "forget examples, model and retrained model",
                                          of))});
  out.push_back({.id = kept(fmt::format("{}.p", id)),
                 .direction = Direction::higher,
                 .ideal = 1,
                 .name = kept(fmt::format("KS p of the {}{}", of, extra)),
                 .what = "p-value of that distance; large: no difference from retrained shown"});
  out.push_back({.id = kept(fmt::format("{}.log10_p", id)),
                 .direction = Direction::higher,
                 .ideal = 0,
                 .name = kept(fmt::format("log10 of the KS p of the {}", of)),
                 .what = "the same p-value as its logarithm to base 10"});
}

void add_levels(std::vector<MetricInfo>& out) {
  for (const std::string_view split : {"forget", "retain", "test"}) {
    out.push_back({.id = kept(fmt::format("lm.perplexity.{}", split)),
                   .direction = Direction::match,
                   .ideal = kUndefined,
                   .name = kept(fmt::format("perplexity of {} sequences", split)),
                   .what = "exp of the mean loss per token, averaged over sequences",
                   .shows_forgetting = split == "forget"});
    out.push_back({.id = kept(fmt::format("lm.probability.{}", split)),
                   .direction = Direction::match,
                   .ideal = kUndefined,
                   .name = kept(fmt::format("probability of {} sequences", split)),
                   .what = "mean of exp(-loss per token)",
                   .shows_forgetting = split == "forget"});
  }
}

void add_texts(std::vector<MetricInfo>& out) {
  const auto add = [&](std::string_view id, std::string_view name, std::string_view what,
                       bool shows) {
    out.push_back({id, Direction::match, kUndefined, name, what, shows});
  };
  out.push_back(
      {"lm.privleak", Direction::match, 0, "PrivLeak",
       "relative difference of the min-k% attack to that on the retrained model, in per cent"});
  add("lm.exact_memorization.forget", "exact memorization",
      "share of forget tokens that greedy decoding would produce", true);
  add("lm.extraction_strength.forget", "extraction strength",
      "share at the end of a forget sequence that greedy decoding produces by itself", true);
  add("lm.extraction_probability.forget", "extraction probability",
      "mean probability that a number of samples contains the forget sequence word for word", true);
  add("lm.extractable.forget", "extractable sequences",
      "share of forget sequences that this number of samples probably contains", true);
  add("lm.rouge_l.recall.forget", "ROUGE-L recall",
      "share of the true continuation's words that the generated one contains in order", true);
  add("lm.rouge_l.f1.forget", "ROUGE-L F1", "harmonic mean of ROUGE-L precision and recall", true);
  add("lm.truth_ratio.forget", "truth ratio",
      "mean of min(t, 1/t), t = likelihood of wrong over that of right answers", true);
  add("lm.truth_ratio.share.forget", "share of the right answer",
      "mean of right / (right + wrong) likelihood", true);
  out.push_back({"lm.utility", Direction::higher, 1, "model utility",
                 "harmonic mean of probability, ROUGE-L recall and truth ratio over the utility "
                 "splits"});
  out.push_back({"lm.utility.probability", Direction::higher, 1, "probability of right answers",
                 "probability of the right answer, among the answers where wrong ones are given"});
  out.push_back({"lm.utility.rouge_l", Direction::higher, 1, "ROUGE-L recall of answers",
                 "ROUGE-L recall of generated answers, words stemmed"});
  out.push_back({"lm.utility.truth_ratio", Direction::higher, 1, "truth ratio of answers",
                 "mean of max(0, 1 - t), t = likelihood of wrong over that of right answers"});
}

}  // namespace

const std::vector<MetricInfo>& lm_metrics() {
  static const std::vector<MetricInfo>* all = [] {
    auto* made = new std::vector<MetricInfo>;
    for (const ScoreWords& words : kWords) add_score("lm", words, *made);
    made->push_back({"lm.bag_of_words.auc", Direction::match, kUndefined, "bag-of-words AUC",
                     "AUC of a classifier on words alone; 0.5 unless forget and retain texts "
                     "differ"});
    add_means("lm", *made);
    add_levels(*made);
    add_ks("lm.ks.loss", "loss", "", *made);
    add_ks("lm.ks.truth_ratio", "truth ratio", " (forget quality)", *made);
    add_texts(*made);
    for (const ScoreWords& words : kWords) add_spearman("lm", words, *made);
    return made;
  }();
  return *all;
}

const std::vector<MetricInfo>& losses_metrics() {
  static const std::vector<MetricInfo>* all = [] {
    auto* made = new std::vector<MetricInfo>;
    for (const ScoreWords& words : kWords) {
      if (from_losses(words.name)) add_score("losses", words, *made);
    }
    add_means("losses", *made);
    add_ks("losses.ks.loss", "loss", "", *made);
    for (const ScoreWords& words : kWords) {
      if (from_losses(words.name)) add_spearman("losses", words, *made);
    }
    return made;
  }();
  return *all;
}

std::vector<std::pair<std::string_view, Range>> lm_ranges(const std::vector<MetricInfo>& metrics) {
  std::vector<std::pair<std::string_view, Range>> ranges;
  for (const MetricInfo& info : metrics) {
    Range range = kShare;
    if (info.id.ends_with(".spearman")) range = kCorrelation;
    if (info.id.starts_with("lm.perplexity")) range = {.least = 1};
    if (info.id == "lm.privleak") range = {};
    if (info.id.ends_with(".log10_p")) range = {.most = 0};
    ranges.emplace_back(info.id, range);
  }
  return ranges;
}

}  // namespace vestige::metrics
