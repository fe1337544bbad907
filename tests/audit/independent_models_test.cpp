// Models that were trained independently are never taken for one model given twice: all sets with
// known answers, every model of a role beside every other.
#include <gtest/gtest.h>

#include "tests/audit/known_models.h"
#include "tests/audit/known_regimes.h"
#include "vestige/evidence/checks/near_copies.h"

namespace vestige::audit {
namespace {

TEST(IndependentModels, AreNoCopiesOfEachOther) {
  std::size_t compared = 0;
  for (const Regime& regime : regimes()) {
    const auto models = regime.load();
    Evidence evidence;
    for (const auto& [role, method] : {std::pair("original", "nothing"), {"retrained", "fresh"}}) {
      const std::size_t count = models->models(role);
      std::vector<std::size_t> numbers(count);
      std::iota(numbers.begin(), numbers.end(), std::size_t{0});
      models->add(evidence, role, "", role, part(numbers, 0, count / 2));
      models->add(evidence, "unlearned", method, role, part(numbers, count / 2, count));
      compared += count;
    }
    if (models->has("half")) {
      std::vector<std::size_t> numbers(models->models("half"));
      std::iota(numbers.begin(), numbers.end(), std::size_t{0});
      models->add(evidence, "unlearned", "half", "half", numbers);
      compared += numbers.size();
    }
    for (const evidence::Finding& finding : evidence::check_near_copies(evidence)) {
      ADD_FAILURE() << regime.name << ": " << finding.model;
    }
  }
  EXPECT_GT(compared, 500U);
}

}  // namespace
}  // namespace vestige::audit
