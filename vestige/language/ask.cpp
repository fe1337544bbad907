// Everything that evidence wants to know from one model.
#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/language/answers.h"
#include "vestige/language/find_method.h"
#include "vestige/language/registry.h"
#include "vestige/language/workshop.h"
#include "vestige/models/weights/safetensors.h"

namespace vestige::language {
namespace {

std::string lower_case(std::string text) {
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return text;
}

class Interview {
 public:
  Interview(Workshop& workshop, const Item& item)
      : workshop_(workshop),
        item_(item),
        network_(workshop.network(item, item.start, item.file)),
        tokenizer_(workshop.tokenizer(item.tokenizer)),
        context_(workshop.context(item)),
        questions_(workshop.recipe().data.kind == "biographies") {
    if (is_prefix(item.method.name)) {
      Options options(item.method.options, item.identity.label);
      prefix_ = find_method(item.method.name, item.identity.label).prefix(options);
    }
  }

  pool::Product run() {
    if (!item_.probe.name.empty()) return after_probe();
    for (const char* part : {"forget", "retain", "test"}) ask(part, part);
    // What questions about retained lives show is what TOFU calls model utility.
    if (questions_ && !item_.shadow) {
      ask("retain", "utility.retain");
      answers_of("retain", "utility.retain");
    }
    if (questions_) answers_of("forget", "forget");
    return packed();
  }

 private:
  /// Whether the forgotten comes back is read off log-probabilities of forget and test, how soon it
  /// is relearnt off ranks.
  pool::Product after_probe() {
    for (const char* part : {"forget", "test"}) {
      const std::vector<Passage> all = passages(part);
      const Arrays said = token_answers(
          *network_, sequences_of(tokenizer_, all, context_, prefixes(part, all)), true);
      for (const char* ending : {"", ".offsets", ".rank"}) {
        arrays_["tokens/" + std::string(part) + ending] = said.at(ending);
      }
    }
    if (!item_.rows.empty()) {
      std::vector<std::int64_t> members(passages("forget").size());
      for (const std::size_t row : item_.rows) members[row] = 1;
      arrays_["members/forget"] = torch::tensor(members, torch::kInt64);
    }
    return packed();
  }

  pool::Product packed() {
    for (const auto& [name, tensor] : arrays_) {
      require(tensor.scalar_type() == torch::kInt64 || torch::isfinite(tensor).all().item<bool>(),
              "{}: what it says is not finite: the model diverged", item_.identity.label);
    }
    return {{{kArraysFile, models::to_safetensors(arrays_)},
             {kTextsFile, texts_.dump(-1, ' ', false, Json::error_handler_t::replace)}},
            {}};
  }

  /// A part as this model's evidence has it: retain may be cut short.
  std::vector<Passage> passages(const std::string& part) const {
    std::vector<Passage> all = workshop_.passages(part);
    const auto most = static_cast<std::size_t>(workshop_.recipe().collect.retain);
    if (part == "retain" && most > 0 && all.size() > most) all.resize(most);
    return all;
  }

  std::vector<std::string> prefixes(const std::string& part,
                                    const std::vector<Passage>& all) const {
    std::vector<std::string> texts;
    if (!prefix_.text || (prefix_.forget_only && part != "forget")) return texts;
    for (std::size_t row = 0; row < all.size(); ++row) texts.push_back(prefix_.text(all[row], row));
    return texts;
  }

  void keep(const std::string& name, const Arrays& arrays) {
    for (const auto& [ending, tensor] : arrays) arrays_["tokens/" + name + ending] = tensor;
  }

  void ask(const std::string& part, const std::string& split) {
    const CollectSettings& settings = workshop_.recipe().collect;
    std::vector<Passage> all = passages(part);
    const std::vector<std::string> before = prefixes(part, all);
    const std::vector<Sequence> sequences = sequences_of(tokenizer_, all, context_, before);
    const bool whole = !item_.shadow && split == part;
    keep(split, token_answers(*network_, sequences, whole));
    if (whole && settings.lower) {
      for (Passage& passage : all) passage.text = lower_case(passage.text);
      // Lower-cased texts may need more tokens than there is room for: the end is left out.
      keep(split + ".lower", token_answers(*network_, fitting(all, before), false));
    }
    if (whole && settings.gradient_norms) {
      arrays_["tokens/" + split + ".gradnorm"] = gradient_norms(*network_, sequences);
    }
    if (!item_.shadow && settings.generated > 0 && (split == "forget" || split != part)) {
      generate(split, sequences);
    }
  }

  std::vector<Sequence> fitting(const std::vector<Passage>& all,
                                const std::vector<std::string>& before) const {
    std::vector<Sequence> sequences;
    for (std::size_t row = 0; row < all.size(); ++row) {
      Sequence sequence = sequence_of(tokenizer_, before.empty() ? "" : before[row],
                                      all[row].prompt, all[row].text, 0);
      if (context_ > 0 && sequence.tokens.size() > context_) {
        const std::size_t more = sequence.tokens.size() - context_;
        const std::size_t spared = before.empty() ? 0 : std::min(more, sequence.scored - 1);
        sequence.tokens.erase(sequence.tokens.begin() + 1,
                              sequence.tokens.begin() + 1 + static_cast<std::ptrdiff_t>(spared));
        sequence.scored -= spared;
        sequence.tokens.resize(std::min(sequence.tokens.size(), context_));
      }
      sequences.push_back(std::move(sequence));
    }
    return sequences;
  }

  /// Articles are gone on with from their middle, questions are answered.
  void generate(const std::string& split, const std::vector<Sequence>& sequences) {
    std::vector<std::size_t> known;
    for (const Sequence& sequence : sequences) {
      known.push_back(questions_ ? sequence.scored
                                 : sequence.scored + sequence.scored_tokens() / 2);
    }
    const auto said = greedy(*network_, sequences, known, workshop_.recipe().collect.generated);
    Json lines = Json::array();
    for (const std::vector<int>& tokens : said) lines.push_back(tokenizer_.decode(tokens));
    texts_["generated/" + split + ".txt"] = lines;
  }

  /// Right answers in other words and wrong ones, with the row that each belongs to.
  void answers_of(const std::string& part, const std::string& split) {
    const std::vector<Passage> all = passages(part);
    const std::vector<std::string> before = prefixes(part, all);
    for (const bool right : {true, false}) {
      if (right && !workshop_.recipe().collect.paraphrased) continue;
      std::vector<Sequence> sequences;
      std::vector<std::int64_t> groups;
      for (std::size_t row = 0; row < all.size(); ++row) {
        for (const std::string& text : right ? all[row].paraphrased : all[row].perturbed) {
          sequences.push_back(sequence_of(tokenizer_, before.empty() ? "" : before[row],
                                          all[row].prompt, text, context_));
          groups.push_back(static_cast<std::int64_t>(row));
        }
      }
      Arrays arrays = token_answers(*network_, sequences, false);
      arrays[".groups"] = torch::tensor(groups, torch::kInt64);
      keep(split + (right ? ".paraphrased" : ".perturbed"), arrays);
    }
  }

  Workshop& workshop_;
  const Item& item_;
  NetworkPointer network_;
  const Tokenizer& tokenizer_;
  std::size_t context_;
  bool questions_;
  Prefix prefix_{};
  Arrays arrays_;
  Json texts_ = Json::object();
};

}  // namespace

pool::Product answer(Workshop& workshop, const Item& item) {
  return Interview(workshop, item).run();
}

}  // namespace vestige::language
