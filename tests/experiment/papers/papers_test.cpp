// Presets, paper sizes and what plans come to against the papers' own values, which
// reference/papers.toml holds typed by hand: a preset that changes, or one that nobody has looked
// up, fails here, and so does a line that says that ours differs when it does not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "tests/experiment/papers/items.h"
#include "vestige/base/file.h"
#include "vestige/train/settings.h"
#include "vestige/unlearn/registry.h"

namespace vestige::papers {
namespace {

void expect_as_typed(const std::string& paper, const std::vector<Item>& items) {
  for (const Item& item : items) {
    EXPECT_TRUE(item.as_typed()) << paper << ", " << item.key << " is " << item.ours
                                 << ", the paper has " << item.paper.value << " ("
                                 << item.paper.source << ")"
                                 << (item.paper.differs.empty()
                                         ? ""
                                         : ", and papers.toml says why it differs");
  }
}

TEST(Papers, PresetsAreThePapers) {
  std::set<std::string> typed;
  for (const auto& [paper, tables] : all_papers().items()) {
    const std::vector<Item> items = preset_items(paper);
    expect_as_typed(paper, items);
    for (const Item& item : items) typed.insert(item.key);
  }
  for (const train::Preset& preset : train::presets()) {
    for (const auto& [key, value] : preset.values.items()) {
      EXPECT_TRUE(typed.contains(preset.name + "." + key))
          << preset.name << "." << key << " = " << value << " has no line in papers.toml";
    }
  }
  for (const unlearn::MethodInfo& method : unlearn::methods()) {
    for (const auto& [name, values] : method.presets.items()) {
      // Ours: tuned on Fashion-MNIST, see docs/methods/README.md.
      if (name == "fashion") continue;
      for (const auto& [key, value] : values.items()) {
        EXPECT_TRUE(typed.contains(method.id + "." + name + "." + key))
            << method.id << "'s preset " << name << ": " << key << " = " << value
            << " has no line in papers.toml";
      }
    }
  }
}

TEST(Papers, PaperSizesOfRecipesAreThePapers) {
  for (const auto& [paper, tables] : all_papers().items()) {
    const std::vector<Item> items = recipe_items(paper);
    EXPECT_FALSE(items.empty()) << paper << " has no [" << paper << ".recipe] in papers.toml";
    expect_as_typed(paper, items);
  }
}

// What the plan comes to, not what somebody typed: forget sets, calibration rows, graded retrains,
// models of each role, rows that are collected, parameters of networks.
TEST(Papers, EffectiveSizesAreThePapers) {
  for (const char* paper : {"competition", "miau", "sde", "conformal", "iam"}) {
    const std::vector<Item> items = effective_items(paper);
    EXPECT_FALSE(items.empty()) << paper << " has no [" << paper << ".effective] in papers.toml";
    expect_as_typed(paper, items);
  }
}

TEST(Papers, ALineCannotExcuseWhatIsTheSame) {
  Item item{"", "epochs", read_entry({30, "A.7"}, "epochs"), 30, ""};
  EXPECT_TRUE(item.as_typed());
  item.ours = 31;
  EXPECT_FALSE(item.as_typed());
  item.paper = read_entry({30, "A.7", "for a reason"}, "epochs");
  EXPECT_TRUE(item.as_typed());
  item.ours = 30;
  EXPECT_FALSE(item.as_typed());
  item.ours = Json();
  EXPECT_FALSE(item.as_typed());
}

class PaperPages : public ::testing::TestWithParam<std::string> {};

TEST_P(PaperPages, AreUpToDate) {
  const std::string path =
      std::string(VESTIGE_SOURCE_DIR) + "/docs/validation/papers/" + GetParam() + ".md";
  const std::string text = page(GetParam());
  if (std::getenv("VESTIGE_WRITE_GOLDEN") != nullptr) write_file(path, text);
  EXPECT_EQ(read_file(path), text) << "run make papers";
}

INSTANTIATE_TEST_SUITE_P(All, PaperPages,
                         ::testing::Values("competition", "miau", "sde", "conformal", "iam"));

}  // namespace
}  // namespace vestige::papers
