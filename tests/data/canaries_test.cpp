// Canaries: fair coins, wrong labels, and a split that stays sound.
#include "vestige/data/canaries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/data/small_dataset.h"
#include "tests/support.h"
#include "vestige/data/splits/draw.h"

namespace vestige::data {
namespace {

using testing::class_counts;
using testing::small_dataset;
using testing::split_of;
using vestige::testing::error_of;
using vestige::testing::holds;
using vestige::testing::TemporaryFolder;

constexpr const char* kWhere = "recipe.toml: [canaries]";

/// 3,000 training rows of five classes, 1,000 of them in train, 100 of these forgotten.
struct Planted {
  explicit Planted(const CanarySettings& settings, std::uint64_t seed = 7) {
    insert_canaries(dataset, split, settings, seed, kWhere);
  }
  Dataset before = small_dataset({.train = 3000, .test = 40, .classes = 5});
  Dataset dataset = before;
  Split split = split_of(dataset, {{"train", 1000}, {"shadow", 200}}, {{"count", 100}});
  Split without_canaries = split;
};

// Of 1,600 fair coins 800 +- 20 come up: four deviations either side, and no run of one class.
TEST(Canaries, FairCoinsPutThemIntoTrainAndForget) {
  const Planted planted({.rows = 1600});
  const Rows& canaries = planted.split.part("canary");
  ASSERT_EQ(canaries.size(), 1600U);
  const Rows& old_train = planted.without_canaries.part("train");
  const Rows inserted = without(planted.split.part("train"), old_train);
  EXPECT_NEAR(static_cast<double>(inserted.size()), 800, 80);
  EXPECT_TRUE(std::includes(canaries.begin(), canaries.end(), inserted.begin(), inserted.end()));
  EXPECT_EQ(without(planted.split.part("forget"), planted.without_canaries.part("forget")),
            inserted);
  EXPECT_EQ(planted.split.part("retain"), planted.without_canaries.part("retain"));
  // Neighbours in the list of canaries agree in half of the cases: the coins are independent.
  std::size_t alike = 0;
  for (std::size_t i = 1; i < canaries.size(); ++i) {
    const auto in = [&](std::size_t place) {
      return std::binary_search(inserted.begin(), inserted.end(), canaries[place]);
    };
    alike += in(i) == in(i - 1) ? 1U : 0U;
  }
  EXPECT_NEAR(static_cast<double>(alike), 800, 80);
}

// Each of the four other classes is drawn in a quarter of 1,600: 400 +- 17.3, four deviations.
TEST(Canaries, WrongLabelsAreWrongAndEven) {
  const Planted planted({.rows = 1600});
  std::vector<std::size_t> steps(5);
  const Rows& canaries = planted.split.part("canary");
  for (std::size_t row = 0; row < planted.dataset.rows(); ++row) {
    const std::int64_t now = planted.dataset.labels[row], then = planted.before.labels[row];
    if (std::binary_search(canaries.begin(), canaries.end(), static_cast<std::int64_t>(row))) {
      ++steps[static_cast<std::size_t>((now - then + 5) % 5)];
    } else {
      EXPECT_EQ(now, then) << row;
    }
  }
  EXPECT_EQ(steps[0], 0U);
  for (std::size_t step = 1; step < 5; ++step) {
    EXPECT_NEAR(static_cast<double>(steps[step]), 400, 70) << step;
  }
  const Planted own({.rows = 1600, .wrong_labels = false});
  EXPECT_EQ(own.dataset.labels, own.before.labels);
  EXPECT_EQ(own.split.part("canary"), canaries) << "labels do not change who is drawn";
  EXPECT_NE(own.split.sha256, planted.split.sha256);
}

TEST(Canaries, ASplitWithThemIsReadBack) {
  const TemporaryFolder folder;
  const Planted planted({.rows = 50});
  write_split(planted.split, folder / "split.json");
  EXPECT_EQ(read_split(folder / "split.json").parts, planted.split.parts);
  EXPECT_EQ(Planted({.rows = 50}).split.sha256, planted.split.sha256);
  EXPECT_NE(Planted({.rows = 50}, 8).split.parts, planted.split.parts);
  EXPECT_TRUE(holds(split_text(planted.split, planted.dataset), "canary"));
  // A canary that is kept is none.
  Split kept = planted.split;
  kept.parts.at("canary").push_back(kept.parts.at("retain").back());
  std::sort(kept.parts.at("canary").begin(), kept.parts.at("canary").end());
  kept.sha256 = split_hash(kept);
  write_split(kept, folder / "kept.json");
  EXPECT_TRUE(
      holds(error_of([&] { read_split(folder / "kept.json"); }), "canary and retain share rows"));
}

TEST(Canaries, RefusesWhatCannotBe) {
  // 3,000 - 1,000 - 200 rows are left.
  EXPECT_TRUE(holds(error_of([] { Planted({.rows = 1801}); }), {kWhere, "1801", "1800"}));
  EXPECT_TRUE(holds(error_of([] { Planted({.rows = 1}); }), {"all fell alike", "200"}));
  Dataset dataset = small_dataset({});
  Split split = split_of(dataset, {{"train", 60}}, {{"kind", "class"}, {"classes", {1}}});
  EXPECT_TRUE(holds(error_of([&] { insert_canaries(dataset, split, {.rows = 10}, 1, kWhere); }),
                    {kWhere, "\"class\"", "\"random\""}));
  Options negative(Json{{"rows", -1}}, kWhere);
  EXPECT_TRUE(holds(error_of([&] { read_canaries(negative); }), "negative"));
  Options unknown(Json{{"row", 5}}, kWhere);
  EXPECT_TRUE(holds(error_of([&] { read_canaries(unknown); }), "rows"));
  Options labels(Json{{"labels", "wrang"}}, kWhere);
  EXPECT_TRUE(holds(error_of([&] { read_canaries(labels); }), "wrong"));
}

}  // namespace
}  // namespace vestige::data
