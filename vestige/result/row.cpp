// Subjects as texts.
#include "vestige/result/row.h"

namespace vestige::result {

std::string Subject::id() const {
  std::string text = role;
  if (!method.empty()) text += "/" + method;
  if (!name.empty()) text += "/" + name;
  return text;
}

Subject parse_subject(std::string_view id) {
  const auto take = [&id] {
    const std::size_t slash = id.find('/');
    const std::string_view head = id.substr(0, slash);
    id = slash == std::string_view::npos ? std::string_view() : id.substr(slash + 1);
    return std::string(head);
  };
  Subject subject;
  subject.role = take();
  const bool with_method =
      subject.role == "unlearned" || subject.role == "partial" || subject.role == "checkpoint";
  if (with_method) subject.method = take();
  subject.name = id;
  return subject;
}

}  // namespace vestige::result
