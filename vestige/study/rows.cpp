// Where a row's subject stands in an experiment.
#include "vestige/study/rows.h"

namespace vestige::study {

std::string method_label(const metrics::Subject& subject) {
  if (subject.method.empty()) return subject.role;
  return subject.role == "unlearned" ? subject.method : subject.role + "/" + subject.method;
}

std::string original_of(const metrics::Subject& subject) {
  return subject.name.substr(0, subject.name.find('.'));
}

std::string run_of(const metrics::Subject& subject) {
  if (subject.name.empty()) return {};
  const std::size_t point = subject.name.find('.');
  const bool several = point != std::string::npos && point + 1 < subject.name.size();
  return several ? subject.name.substr(point + 1) : "0";
}

}  // namespace vestige::study
