// Unquoted fields are views of the text: tables of numbers are read without a copy.
#include "vestige/base/csv.h"

#include <algorithm>

#include "vestige/base/error.h"

namespace vestige {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

CsvReader::CsvReader(std::string_view text, std::string_view source)
    : rest_(text), source_(source) {
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  rest_ = rest_.substr(0, rest_.find_last_not_of(" \t\r\n") + 1);
}

bool CsvReader::next() {
  fields_.clear();
  unescaped_.clear();
  if (rest_.empty()) return false;
  line_ = next_line_;
  // A comma at the very end of the text is followed by one more field, which is empty.
  for (bool more = true; more;) {
    read_field();
    more = rest_.starts_with(',');
    if (!rest_.empty()) rest_.remove_prefix(1);
  }
  ++next_line_;
  return true;
}

/// Leaves `rest_` at the separator that ends the field.
void CsvReader::read_field() {
  const std::size_t begin = std::min(rest_.find_first_not_of(kBlanks), rest_.size());
  if (rest_.substr(begin).starts_with('"')) {
    rest_.remove_prefix(begin + 1);
    read_quoted();
    return;
  }
  const auto end = std::find_if(rest_.begin(), rest_.end(),
                                [](char letter) { return letter == ',' || letter == '\n'; });
  const auto length = static_cast<std::size_t>(end - rest_.begin());
  fields_.push_back({without_blanks(rest_.substr(0, length)), false});
  rest_.remove_prefix(length);
}

/// `rest_` begins behind the opening quote.
void CsvReader::read_quoted() {
  const std::size_t opened = next_line_;
  std::size_t end = rest_.find('"');
  bool doubled = false;
  while (end != std::string_view::npos && rest_.substr(end + 1).starts_with('"')) {
    doubled = true;
    end = rest_.find('"', end + 2);
  }
  require(end != std::string_view::npos, "{} line {}: a quote is not closed: add the second \"",
          source_, opened);
  std::string_view text = rest_.substr(0, end);
  next_line_ += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  rest_.remove_prefix(end + 1);
  if (doubled) {
    std::string& own = unescaped_.emplace_back();
    for (std::size_t at = 0; at < text.size(); ++at) {
      own += text[at];
      if (text[at] == '"') ++at;
    }
    text = own;
  }
  fields_.push_back({text, true});
  rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
  require(rest_.empty() || rest_.front() == ',' || rest_.front() == '\n',
          "{} line {}: text follows a closing quote: write a quote inside quotes as \"\"", source_,
          next_line_);
}

std::vector<std::string> CsvReader::texts() const {
  std::vector<std::string> texts;
  for (const CsvField& field : fields_) texts.emplace_back(field.text);
  return texts;
}

bool CsvReader::blank() const {
  return fields_.size() == 1 && fields_[0].text.empty() && !fields_[0].quoted;
}

}  // namespace vestige
