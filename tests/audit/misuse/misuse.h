// Ways to get the evidence wrong, each made from the same evidence with known answers, and what the
// program says of it: docs/validation/misuse.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/support/evidence_folder.h"

namespace vestige::misuse {

/// Which evidence a mistake is made in.
enum class Base {
  classifiers,  ///< three models per group, 400 forget, 400 retain and 900 test examples
  one_each,     ///< one model per group
  losses,       ///< the same classifiers by their losses alone
};

/// Two methods: "fresh" holds retrained models of other seeds, "untouched" originals of other
/// seeds.
inline const std::vector<std::string> kMethods = {"fresh", "untouched"};

/// CNNs on Fashion-MNIST with known answers (tests/reference/known.npz).
void put_known_evidence(testing::EvidenceFolder& folder, Base base);

struct Misuse {
  std::string what;  ///< "test.npy of the methods is missing"
  std::function<void(testing::EvidenceFolder&)> change;
  Base base = Base::classifiers;
};

struct Topic {
  std::string name;
  std::vector<Misuse> cases;
};

/// The first case of the first topic is nothing wrong.
std::vector<Topic> misuses();

/// What the program says of a case.
struct Answer {
  std::vector<std::string> words;  ///< by method; empty if the evidence was refused
  std::string headline;
  std::string why;       ///< the reason of the first verdict, or the error
  bool refused = false;  ///< not audited: exit code 2
  bool passed = false;   ///< the default policy
};
Answer answer_to(const Misuse& misuse);

/// docs/validation/misuse.md
std::string misuse_page();

}  // namespace vestige::misuse
