// Searches as work on a pool.
#include "vestige/experiment/hardest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/experiment/tiny_experiment.h"
#include "vestige/train/training.h"

namespace vestige::experiment {
namespace {

std::vector<std::int64_t> rows_in(const std::string& text) {
  std::istringstream lines(text);
  return {std::istream_iterator<std::int64_t>(lines), {}};
}

// Where the training set grew, the original begins with a model that must be trained first, and
// only the new rows can be forgotten.
TEST(Hardest, IsSearchedAmongNewRowsOfATrainingSetThatGrew) {
  const testing::TemporaryFolder folder;
  const Json table = testing::tiny_recipe("dynamic = {rows = 40}\n");
  const auto lab = train::open_lab(train::make_recipe(table, "tiny.toml"), "cpu");
  train::HardestSettings settings;
  settings.count = 10;
  settings.rounds = 2;
  const Search planned = plan_search(lab, settings);
  ASSERT_EQ(planned.models.size(), 2U);
  EXPECT_EQ(planned.models[0].role, "before");
  EXPECT_EQ(planned.models[1].role, "original");
  EXPECT_EQ(planned.models[1].start, planned.models[0].identity.name());
  const auto store = std::make_shared<pool::Store>(folder / "pool");
  ASSERT_EQ(testing::alone().work_off(*store,
                                      train::training_jobs(planned.lab, planned.models, store), 1),
            0);
  const std::vector<std::int64_t> found = rows_in(search(planned, *store));
  ASSERT_EQ(found.size(), 10U);
  ASSERT_EQ(lab->added.size(), 40U);
  EXPECT_TRUE(std::includes(lab->added.begin(), lab->added.end(), found.begin(), found.end()));
}

TEST(Hardest, NeedsAnOriginal) {
  Json table = testing::tiny_recipe();
  table["pool"]["original"] = 0;
  table.erase("methods");
  const auto lab = train::open_lab(train::make_recipe(table, "tiny.toml"), "cpu");
  EXPECT_TRUE(testing::holds(testing::error_of([&] { (void)plan_search(lab, {}); }),
                             {"tiny.toml", "[pool] original"}));
}

}  // namespace
}  // namespace vestige::experiment
