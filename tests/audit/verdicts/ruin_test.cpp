// Ruined language models by hand: perplexities exp(loss) and ln(vocabulary) are all that counts.
#include "vestige/audit/verdicts/ruin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vestige/words/words.h"

namespace vestige::audit {
namespace {

/// A group of one model with the same loss for ten sequences of a split.
evidence::Group model_of(const char* role, double retain, double test) {
  evidence::Model model;
  model.role = role;
  model.name = "0";
  for (const auto& [split, perplexity] : {std::pair{"retain", retain}, std::pair{"test", test}}) {
    model.losses[split] =
        evidence::Array::from_doubles(std::vector<double>(10, std::log(perplexity)), {10});
  }
  return {role, "", {model}};
}

evidence::Evidence with_retrained(std::size_t vocabulary) {
  evidence::Evidence evidence;
  evidence.sequence_losses = true;
  evidence.vocabulary = vocabulary;
  evidence.groups.push_back(model_of("retrained", 39.1, 64.8));
  return evidence;
}

TEST(Ruin, ALanguageModelTenTimesAsPerplexedHasCollapsed) {
  const RuinFound found =
      find_ruin(Context(), with_retrained(0), model_of("unlearned", 391.1, 648.1));
  EXPECT_EQ(found.ruin, Ruin::collapsed);
  EXPECT_NE(words::text(found.reason).find("10 times"), std::string::npos)
      << words::text(found.reason);
}

// ln(519 / 39.1) / ln(768 / 39.1) = 0.868, ln(625 / 64.8) / ln(768 / 64.8) = 0.917; 625 is 9.6
// times 64.8.
TEST(Ruin, NearlyUniformIsCollapsedWhereTokensAreFew) {
  const RuinFound found =
      find_ruin(Context(), with_retrained(768), model_of("unlearned", 519, 625));
  EXPECT_EQ(found.ruin, Ruin::collapsed);
  EXPECT_NE(words::text(found.reason).find("87 %"), std::string::npos) << words::text(found.reason);
  EXPECT_EQ(find_ruin(Context(), with_retrained(0), model_of("unlearned", 519, 625)).ruin,
            Ruin::none);
}

TEST(Ruin, OneSplitAloneIsNotEnough) {
  EXPECT_EQ(find_ruin(Context(), with_retrained(768), model_of("unlearned", 600, 100)).ruin,
            Ruin::none);
  EXPECT_EQ(find_ruin(Context(), with_retrained(768), model_of("unlearned", 39.1, 64.8)).ruin,
            Ruin::none);
}

}  // namespace
}  // namespace vestige::audit
