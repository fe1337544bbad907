// [train] of a recipe: defaults, presets, refusals; and the recipe around it.
#include "vestige/train/settings.h"

#include <gtest/gtest.h>

#include "tests/support.h"
#include "vestige/train/recipe.h"

namespace vestige::train {
namespace {

using testing::error_of;
using testing::holds;

TrainSettings read(const Json& table) {
  Options options(table, "r.toml: [train]");
  return read_train(options);
}

TEST(TrainSettings, PresetsGiveThePapersValuesAndTheRecipeWins) {
  // MIAU's Table 8: batch 256, rate .1, milestones 8, 12, 16, gamma .2, warm-up 1, 20 epochs.
  const TrainSettings miau = read({{"preset", "miau_cifar10"}, {"epochs", 2}});
  EXPECT_EQ(miau.epochs, 2);
  EXPECT_EQ(miau.batch, 256);
  EXPECT_EQ(miau.optimizer.rate, 0.1);
  EXPECT_EQ(miau.schedule.milestones, (std::vector<double>{8, 12, 16}));
  EXPECT_EQ(miau.schedule.gamma, 0.2);
  EXPECT_EQ(miau.augment.crop, 4);
  EXPECT_TRUE(miau.augment.flip);
  // Competition: 30 epochs, Adam 1e-4, weight decay 5e-3, reciprocal class weights.
  const TrainSettings competition = read({{"preset", "competition"}});
  EXPECT_EQ(competition.optimizer.kind, "adam");
  EXPECT_EQ(competition.optimizer.weight_decay, 5e-3);
  EXPECT_EQ(competition.class_weights, "reciprocal");
}

TEST(TrainSettings, EveryPresetIsReadable) {
  for (const Preset& preset : presets()) EXPECT_NO_THROW(read({{"preset", preset.name}}));
}

TEST(TrainSettings, RefusesWhatMakesNoSense) {
  EXPECT_TRUE(holds(error_of([] { read({{"preset", "miau_cifar"}}); }), "miau_cifar10"));
  EXPECT_TRUE(holds(error_of([] { read({{"epoch", 3}}); }), "did you mean 'epochs'?"));
  EXPECT_TRUE(holds(error_of([] { read({{"batch", 0}}); }), "at least 1"));
  EXPECT_TRUE(holds(error_of([] { read({{"rate", -0.1}}); }), "at least 0"));
  EXPECT_TRUE(holds(error_of([] { read({{"schedule", "multi_step"}}); }), "milestones"));
  EXPECT_TRUE(holds(error_of([] { read({{"checkpoints", {1.5}}}); }), "fraction"));
}

TEST(Recipe, ReadsSectionsAndRefusesUnknownOnes) {
  const Recipe recipe = make_recipe(parse_toml("seed = 3\n[train]\nepochs = 2\n[shadow]\n"
                                               "rows = 50\nuntil_accuracy = 0.99\n",
                                               "r.toml"),
                                    "r.toml");
  EXPECT_EQ(recipe.seed, 3U);
  EXPECT_EQ(recipe.train.epochs, 2);
  EXPECT_EQ(recipe.shadow.train.epochs, 2);  // [train] under [shadow]
  EXPECT_EQ(recipe.shadow.train.until_accuracy, 0.99);
  EXPECT_EQ(recipe.shadow.rows, 50);
  EXPECT_EQ(recipe.model.at("name"), "small_cnn");
  EXPECT_TRUE(holds(error_of([] { make_recipe(Json{{"trian", 1}}, "r.toml"); }), "'train'"));
  EXPECT_TRUE(holds(error_of([] {
                      make_recipe(Json{{"pool", {{"originals", 1}}}}, "r.toml");
                    }),
                    "did you mean 'original'?"));
}

// What does not shape a model must not rename it.
TEST(Recipe, ThePresetsNameDoesNotShapeAModel) {
  const Recipe named = make_recipe(Json{{"train", {{"preset", "sde_svhn"}}}}, "r.toml");
  const Recipe spelt = make_recipe(Json{{"train",
                                         {{"epochs", 20},
                                          {"batch", 256},
                                          {"rate", 0.01},
                                          {"momentum", 0.9},
                                          {"weight_decay", 5e-4},
                                          {"schedule", "cosine"}}}},
                                   "r.toml");
  EXPECT_EQ(named.train_used, spelt.train_used);
}

}  // namespace
}  // namespace vestige::train
