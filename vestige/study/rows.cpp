// Reading model labels.
#include "vestige/study/rows.h"

namespace vestige::study {
namespace {

/// The part of `text` before the first `mark`, which is cut off `text` with it.
std::string take(std::string& text, char mark) {
  const std::size_t place = text.find(mark);
  std::string head = text.substr(0, place);
  text = place == std::string::npos ? std::string() : text.substr(place + 1);
  return head;
}

}  // namespace

Subject subject_of(const metrics::Row& row) {
  std::string rest = row.model;
  Subject subject;
  subject.role = take(rest, '/');
  if (subject.role == "unlearned") {
    subject.method = take(rest, '/');
  } else if ((subject.role == "partial" || subject.role == "checkpoint") && !rest.empty()) {
    subject.method = subject.role + "/" + take(rest, '/');
  } else {
    subject.method = subject.role;
  }
  if (rest.empty()) return subject;
  subject.original = take(rest, '.');
  subject.run = rest.empty() ? "0" : rest;
  return subject;
}

}  // namespace vestige::study
