// Evidence of methods whose verdicts are known, and ways to spoil it.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/evidence_folder.h"
#include "vestige/audit/audit.h"
#include "vestige/audit/verdicts/verdicts.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/reader.h"

namespace vestige::audit {

using testing::EvidenceFolder;
using testing::EvidenceShape;
using testing::kSplits;

/// Every answer the same: class 0.
inline void put_constant(EvidenceFolder& folder, const std::string& to, std::size_t classes) {
  for (const std::string& split : kSplits) {
    const std::size_t rows = folder.array("labels/" + split).size();
    std::vector<double> logits;
    for (std::size_t i = 0; i < rows * classes; ++i) logits.push_back(i % classes == 0 ? 3 : 0);
    folder.put(to + "/" + split,
               testing::array_of(evidence::DType::float32, logits, {rows, classes}));
  }
}

/// Without the slow families that these verdicts do not need.
inline AuditResult audit_of(const EvidenceFolder& folder, Json options = Json::object()) {
  std::vector<std::string> metrics = {"utility", "conformal", "attacks", "iam"};
  const auto evidence = evidence::load(folder.path()).evidence;
  if (evidence.find("shadow") == nullptr) metrics.pop_back();
  if (evidence.find("retrained") != nullptr && evidence.find("retrained")->models.size() > 2) {
    metrics.emplace_back("epsilon");
  }
  return audit(evidence, {std::move(metrics), 1, std::move(options)});
}

inline Verdict answer_of(const AuditResult& result, const std::string& method) {
  for (const Verdict& verdict : result.verdicts) {
    if (verdict.method == method) return verdict;
  }
  ADD_FAILURE() << "no verdict of " << method;
  return {};
}

inline EvidenceShape known_shape(std::size_t models) {
  return {.classes = 5,
          .models = models,
          .shadows = 2,
          .forget = 150,
          .retain = 200,
          .test = 200,
          .methods = {"copy", "nothing", "constant"}};
}

/// Every value a hair off: what a model says that is like another one and no copy of it.
inline void copy_nearly(EvidenceFolder& folder, const std::string& from, const std::string& to) {
  folder.copy_model(from, to);
  for (const std::string& split : kSplits) {
    folder.change(to + "/" + split, [&](std::vector<double>& values) {
      Stream stream(1, "nearly." + to + "." + split);
      for (double& value : values) value += 0.02 * stream.normal();
    });
  }
}

/// `copy` says nearly what retrained says, `nothing` what the original says, `constant` always
/// class 0.
struct KnownMethods : EvidenceFolder {
  explicit KnownMethods(std::size_t models) : EvidenceFolder(known_shape(models)) {
    for (std::size_t model = 0; model < models; ++model) {
      const std::string name = std::to_string(model);
      copy_nearly(*this, "retrained/" + name, "unlearned/copy/" + name);
      copy_model("original/" + name, "unlearned/nothing/" + name);
      put_constant(*this, "unlearned/constant/" + name, 5);
    }
  }
};

/// The verdict of `method` after a change of evidence with one model per group.
template <typename Change>
inline Verdict answer_after(const std::string& method, std::size_t models, const Change& change) {
  KnownMethods folder(models);
  change(folder);
  return answer_of(audit_of(folder), method);
}

/// Every row of the model one place further: answers as various as before, and right by chance.
inline void shift_rows(EvidenceFolder& folder, const std::string& key, std::size_t classes) {
  folder.change(key, [classes](std::vector<double>& values) {
    std::rotate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(classes),
                values.end());
  });
}

}  // namespace vestige::audit
