// Texts of forget rows.
#include "vestige/report/page/texts.h"

#include <algorithm>
#include <vector>

#include "vestige/evidence/formats/utf8.h"

namespace vestige::report {
namespace {

constexpr const char* kRowsOf = "forget";

/// Length of the UTF-8 sequence at the front; 0 where it is none.
std::size_t sequence_length(std::string_view text) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(4, text.size()); ++length) {
    if (evidence::is_utf8(text.substr(0, length))) return length;
  }
  return 0;
}

/// The first model of each group that went on from forget rows.
std::vector<const evidence::Model*> speakers(const evidence::Evidence& evidence) {
  std::vector<const evidence::Model*> found;
  for (const char* role : {"original", "retrained", "unlearned"}) {
    for (const evidence::Group& group : evidence.groups) {
      if (group.role != role || found.size() >= kMostSpeakers) continue;
      const auto model =
          std::find_if(group.models.begin(), group.models.end(),
                       [](const evidence::Model& one) { return one.generated.count(kRowsOf) > 0; });
      if (model != group.models.end()) found.push_back(&*model);
    }
  }
  return found;
}

}  // namespace

std::string beginning(std::string_view text, std::size_t most) {
  std::string kept;
  std::size_t letters = 0, last_space = 0;
  while (!text.empty() && letters < most) {
    const std::size_t length = sequence_length(text);
    const auto front = static_cast<unsigned char>(text.front());
    if (length == 0 || front < 0x20 || front == 0x7f) {
      kept += ' ';
      text.remove_prefix(1);
    } else {
      kept += text.substr(0, length);
      text.remove_prefix(length);
    }
    ++letters;
    if (kept.back() == ' ' && 5 * letters >= 4 * most) last_space = kept.size();
  }
  if (text.empty()) return kept;
  if (last_space > 0) kept.resize(last_space - 1);
  return kept + "…";
}

Json texts_json(const evidence::Evidence& evidence, std::span<const std::size_t> rows) {
  Json list = Json::array();
  const auto texts = evidence.text.find(kRowsOf);
  if (texts == evidence.text.end()) return list;
  const auto continuations = evidence.text.find(std::string(kRowsOf) + ".continuation");
  const std::vector<const evidence::Model*> models = speakers(evidence);
  for (const std::size_t row : rows.first(std::min(rows.size(), kMostTexts))) {
    if (row >= texts->second.size()) continue;
    Json entry = {{"row", row}, {"text", beginning(texts->second[row], kMostTextLetters)}};
    if (continuations != evidence.text.end() && row < continuations->second.size()) {
      entry["continuation"] = beginning(continuations->second[row], kMostSaidLetters);
    }
    for (const evidence::Model* model : models) {
      const std::vector<std::string>& lines = model->generated.at(kRowsOf);
      if (row >= lines.size()) continue;
      entry["said"].push_back(
          {{"model", model->id()}, {"text", beginning(lines[row], kMostSaidLetters)}});
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace vestige::report
