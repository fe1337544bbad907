// Default grids: the same number of points for every method, each of which the method takes.
#include "vestige/unlearn/default_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "vestige/base/options.h"

namespace vestige::unlearn {
namespace {

TEST(DefaultGrid, EveryMethodHasAsManyPointsAndItsPapersValueFirst) {
  const std::set<std::string> without = {"retrain", "partial_retrain", "identity", "collapse",
                                         "external"};
  std::size_t tuned = 0;
  for (const MethodInfo& method : methods()) {
    const std::vector<Json> grid = default_grid(method);
    if (without.contains(method.id)) {
      EXPECT_TRUE(grid.empty()) << method.id;
      continue;
    }
    ++tuned;
    ASSERT_EQ(grid.size(), kGridPoints) << method.id;
    for (const auto& [key, value] : grid[0].items()) {
      EXPECT_EQ(value, method.defaults.at(key)) << method.id << " " << key;
    }
    std::set<std::string> different;
    for (const Json& point : grid) {
      Json entry = point;
      entry["name"] = method.id;
      EXPECT_NO_THROW((void)read_choice(entry, "test")) << entry;
      different.insert(point.dump());
    }
    EXPECT_EQ(different.size(), kGridPoints) << method.id;
    EXPECT_EQ(default_grid(method, 3).size(), 3u) << method.id;
    EXPECT_EQ(default_grid(method, 3)[2], grid[2]) << method.id;
  }
  EXPECT_EQ(tuned, 30u);
}

TEST(DefaultGrid, FirstAlongTheFirstOptionThenTheSecondThenCorners) {
  const std::vector<MethodInfo> all = methods();
  const auto finetune = std::find_if(
      all.begin(), all.end(), [](const MethodInfo& method) { return method.id == "finetune"; });
  const std::vector<Json> grid = default_grid(*finetune);
  // Defaults: rate 0.02, epochs 5.
  EXPECT_EQ(grid[0], (Json{{"rate", 0.02}, {"epochs", 5.0}}));
  EXPECT_EQ(grid[1], (Json{{"rate", 0.002}, {"epochs", 5.0}}));
  EXPECT_EQ(grid[2], (Json{{"rate", 0.2}, {"epochs", 5.0}}));
  EXPECT_EQ(grid[3], (Json{{"rate", 0.02}, {"epochs", 2.5}}));
  EXPECT_EQ(grid[4], (Json{{"rate", 0.02}, {"epochs", 10.0}}));
}

TEST(DefaultGrid, SaysWhatARecipeLacks) {
  const train::Recipe recipe = train::make_recipe(
      parse_toml("model = {name = 'mlp'}\nforget = {kind = 'random', count = 3}", "test.toml"),
      "test.toml");
  EXPECT_EQ(missing_need("finetune", recipe), "");
  EXPECT_NE(missing_need("boundary_shrink", recipe).find("class"), std::string::npos);
  EXPECT_NE(missing_need("forsaken", recipe).find("validation"), std::string::npos);
  EXPECT_NE(missing_need("amnesiac_log", recipe).find("log_forget_updates"), std::string::npos);
  EXPECT_NE(missing_need("kookmin", recipe).find("convolutions"), std::string::npos);
  EXPECT_NE(missing_need("random_targets", recipe).find("denoiser"), std::string::npos);
  const train::Recipe diffusion = train::make_recipe(
      parse_toml("model = {name = 'unet'}\nforget = {kind = 'random', count = 3}", "test.toml"),
      "test.toml");
  EXPECT_EQ(missing_need("finetune", diffusion), "");
  EXPECT_EQ(missing_need("random_targets", diffusion), "");
  EXPECT_EQ(missing_need("scrub", diffusion), "a classifier, and unet takes noise away");
}

}  // namespace
}  // namespace vestige::unlearn
