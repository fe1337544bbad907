// The table of models and the progress line, as text.
#include "vestige/pool/listing.h"

#include <gtest/gtest.h>

#include "tests/pool/pool_support.h"
#include "vestige/pool/progress.h"

namespace vestige::pool {
namespace {

TEST(PoolText, Table) {
  const std::vector<Entry> entries = {
      {"0123456789abcdef0123",
       "original/0",
       {{"architecture", "small_cnn"}, {"dataset", {{"name", "fashion_mnist"}}}},
       {{"accuracy", {{"train", 0.9912}, {"test", 0.885}}}, {"seconds", 61.25}},
       1500000},
      {"fedcba9876543210fedc",
       "unlearned/finetune/0",
       {{"architecture", {{"name", "mlp"}}}, {"dataset", "synthetic"}, {"method", "finetune"}},
       {{"accuracy", {{"train", 0.95}, {"forget", 0.9}, {"test", 0.85}}}, {"time_ratio", 0.125}},
       999}};
  EXPECT_EQ(pool_text(entries),
            "label                 name                  architecture  dataset        method      "
            "train   forget     test  seconds  of retraining    size\n"
            "original/0            0123456789abcdef0123  small_cnn     fashion_mnist  -         "
            "99.12 %        -  88.50 %     61.2              -  1.5 MB\n"
            "unlearned/finetune/0  fedcba9876543210fedc  mlp           synthetic      finetune  "
            "95.00 %  90.00 %  85.00 %        -        12.50 %   999 B\n"
            "2 models, 1.5 MB\n");
}

TEST(PoolText, Empty) { EXPECT_NE(pool_text({}).find("0 models, 0 B\n"), std::string::npos); }

TEST(PoolText, OddFactsAreDashes) {
  EXPECT_NE(pool_text({{"a", "b", 3, "x", 1}}).find("1 model, 1 B"), std::string::npos);
}

TEST(SizeText, Units) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(999), "999 B");
  EXPECT_EQ(size_text(1000), "1.0 kB");
  EXPECT_EQ(size_text(999949), "999.9 kB");
  EXPECT_EQ(size_text(999950), "1.0 MB");
  EXPECT_EQ(size_text(45123456), "45.1 MB");
}

TEST(PoolLine, Text) {
  EXPECT_EQ(pool_line({.done = 0, .models = 4}), "models: 0 of 4");
  EXPECT_EQ(pool_line({.done = 3,
                       .models = 40,
                       .running = 2,
                       .images_done = 1,
                       .images_left = 600000,
                       .images_per_second = 1000,
                       .loss = 0.41234,
                       .accuracy = 0.9125}),
            "models: 3 of 40, 2 running, 1000 rows/s, 10 min left, loss 0.412, accuracy 91.2 %");
}

TEST(PoolProgress, AddsUpWhatAllWorkersDo) {
  const vestige::testing::TemporaryFolder folder;
  // Four jobs of 100 images: 0 is done, 1 is ours, 2 another process's, 3 failed.
  const std::vector<Job> jobs = testing::many_jobs(4, 0);
  std::vector<std::vector<std::string>> names;
  for (int seed = 0; seed < 4; ++seed) names.push_back({testing::identity(seed).name()});
  PoolProgress progress(folder.path(), jobs, names, 60, ProgressStyle::quiet);
  progress.look(0, {}, {});
  Store(folder.path()).put(testing::identity(0), testing::product(0));
  write_file(folder / (names[2][0] + ".lock"),
             R"({"host":"elsewhere-0","pid":1,"start":"1","label":"x","images":5,)"
             R"("total_images":10,"loss":3.0,"accuracy":0.2})");
  progress.leave_out(3);
  const PoolState state =
      progress.look(4, 1, {.images = 25, .total_images = 100, .loss = 1, .accuracy = 0.6});
  EXPECT_EQ(state.models, 3U);
  EXPECT_EQ(state.done, 1U);
  EXPECT_EQ(state.running, 2U);
  EXPECT_EQ(state.images_done, 100 + 25 + 50);  // half of the other's 100
  EXPECT_EQ(state.images_left, 75 + 50);
  EXPECT_EQ(state.images_per_second, 175.0 / 4);
  EXPECT_EQ(state.loss, 2);
  EXPECT_EQ(state.accuracy, 0.4);
}

TEST(PoolProgress, SilentForTwoSecondsThenALine) {
  const vestige::testing::TemporaryFolder folder;
  Store store(folder.path());
  RunOptions options = testing::quiet();
  options.progress = true;
  options.style = ProgressStyle::lines;
  ::testing::internal::CaptureStderr();
  run(store, testing::many_jobs(3, 5), options);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  Job slow = testing::job(9);
  slow.make = [](const std::function<void(const Report&)>& report) {
    for (int step = 1; step <= 11; ++step) {
      report({.images = 5.0 * step, .total_images = 100, .loss = 1.5, .accuracy = 0.5});
      testing::sleep_ms(200);
    }
    return std::vector<Product>{testing::product(9)};
  };
  ::testing::internal::CaptureStderr();
  run(store, std::vector<Job>{slow}, options);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("models: 0 of 1, 1 running, "), 0U) << text;
  EXPECT_TRUE(
      vestige::testing::holds(text, {" rows/s, ", " s left, loss 1.500, accuracy 50.0 %\n"}));
}

}  // namespace
}  // namespace vestige::pool
