// Headlines.
#include "vestige/words/headline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vestige/words/numbers.h"
#include "vestige/words/words.h"

namespace vestige::words {
namespace {

using result::Word;

std::size_t count(const Judged& judged, Word word) {
  const auto found = judged.words.find(word);
  return found == judged.words.end() ? 0 : found->second;
}

std::string methods_text(const Judged& judged) {
  const char* noun = judged.variants ? "method and variant/methods and variants" : "method";
  return counted(static_cast<std::int64_t>(judged.methods), noun);
}

/// In small letters, in the order in which a reader must see them.
struct Counted {
  Word word;
  const char* text;
};
constexpr Counted kCounted[] = {{Word::mixed, "mixed"},
                                {Word::traces_remain, "traces remain"},
                                {Word::over_forgotten, "over-forgotten"},
                                {Word::collapsed, "collapsed"},
                                {Word::not_tested, "not tested"},
                                {Word::not_decided, "not decided"},
                                {Word::forgotten, "forgotten"}};

}  // namespace

std::string headline(const Judged& judged) {
  if (judged.methods == 0) {
    return judged.controls ? "Only controls were judged" : "No method was judged";
  }
  const std::string methods = methods_text(judged);
  if (count(judged, Word::not_tested) == judged.methods) {
    return judged.methods == 1 ? fmt::format("{} was not tested", judged.only)
                               : fmt::format("None of {} was tested", methods);
  }
  if (judged.alone) {
    const std::size_t traces = count(judged, Word::traces_remain) + count(judged, Word::mixed);
    if (traces == 0) {
      const char* why = "without a retrained model forgetting cannot be shown";
      if (judged.methods > 1) return fmt::format("None of {} is shown to forget: {}", methods, why);
      const bool open = count(judged, Word::not_decided) == 1;
      return fmt::format("{} is {}: {}", judged.only, open ? "not decided" : "not shown to forget",
                         why);
    }
    return judged.methods == 1 ? fmt::format("Traces remain in {}", judged.only)
                               : fmt::format("Traces remain in {} of {}", traces, methods);
  }
  const std::size_t forgotten = count(judged, Word::forgotten);
  if (judged.methods == 1) {
    if (forgotten == 0) {
      return fmt::format("{} is not shown to forget like retraining", judged.only);
    }
    return fmt::format("{} is shown to forget like retraining{}", judged.only,
                       judged.marked == 0
                           ? ""
                           : fmt::format(", but is marked {}", fmt::join(judged.additions, ", ")));
  }
  // What is forgotten as it stands and comes back is no good news.
  const std::string but =
      judged.marked == 0
          ? ""
          : fmt::format(", but {} of them {} marked {}", judged.marked,
                        judged.marked == 1 ? "is" : "are", fmt::join(judged.additions, ", "));
  if (forgotten == 0) return fmt::format("None of {} is shown to forget like retraining", methods);
  if (forgotten == judged.methods) {
    return fmt::format("All {} are shown to forget like retraining{}", methods, but);
  }
  return fmt::format("{} of {} {} shown to forget like retraining{}", forgotten, methods,
                     forgotten == 1 ? "is" : "are", but);
}

std::string counts(const Judged& judged) {
  std::vector<std::string> parts;
  for (const auto& [word, text] : kCounted) {
    const auto found = static_cast<std::int64_t>(count(judged, word));
    if (found > 0) parts.push_back(fmt::format("{}: {}.", counted(found, "method"), text));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string evidence_quality(std::string_view grade, std::string_view reason) {
  return as_sentence(fmt::format("Evidence quality {} (of A to D): {}", grade, reason));
}

}  // namespace vestige::words
