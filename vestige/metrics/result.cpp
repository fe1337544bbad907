// The words that results.json uses, and subjects.
#include "vestige/metrics/result.h"

namespace vestige::metrics {

std::string_view name(Direction direction) {
  switch (direction) {
    case Direction::lower:
      return "lower";
    case Direction::higher:
      return "higher";
    case Direction::match:
      return "match";
  }
  return "";
}

std::string_view name(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::undefined:
      return "undefined";
    case Status::skipped:
      return "skipped";
    case Status::unreliable:
      return "unreliable";
  }
  return "";
}

std::string_view name(Control control) {
  switch (control) {
    case Control::none:
      return "";
    case Control::floor:
      return "floor";
    case Control::ceiling:
      return "ceiling";
    case Control::collapsed:
      return "collapsed";
    case Control::graded:
      return "graded";
    case Control::checkpoint:
      return "checkpoint";
  }
  return "";
}

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

}  // namespace vestige::metrics
