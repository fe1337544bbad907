// Which audits are taken as they are.
#include "vestige/experiment/measure.h"

#include <gtest/gtest.h>

#include "tests/experiment/tiny_experiment.h"
#include "vestige/base/file.h"
#include "vestige/base/sha256.h"

namespace vestige::experiment {
namespace {

using testing::TemporaryFolder;

TEST(Measure, AnotherProgramMeasuresAnew) {
  const TemporaryFolder folder;
  PlanRequest request;
  request.pool = (folder / "pool").string();
  const Experiment experiment =
      open(make_plan(testing::tiny_recipe(), "tiny.toml", request), "cpu");
  const auto store = std::make_shared<pool::Store>(folder / "pool");
  ASSERT_EQ(testing::alone().work_off(*store, jobs(experiment, store), 1), 0);
  const auto reused = [&](const std::string& program) {
    const auto audits = measure(experiment, *store,
                                {.out = folder / "out", .command = "the test", .program = program});
    EXPECT_EQ(audits.size(), 1U);
    return audits.at(0).reused;
  };
  const auto evidence = folder / "out/evidence/main-1/collected.json";
  EXPECT_FALSE(reused("one"));
  const std::string first = read_file(evidence);
  EXPECT_TRUE(reused("one"));
  EXPECT_EQ(read_file(evidence), first);
  // The evidence is collected by the new program too.
  EXPECT_FALSE(reused("another"));
  EXPECT_NE(read_file(evidence), first);
  EXPECT_TRUE(reused("another"));
}

TEST(Measure, TheProgramIsKnownByItsBytes) {
  const std::string bytes = read_file("/proc/self/exe");
  EXPECT_EQ(program_hash(), sha256(std::as_bytes(std::span(bytes))));
  EXPECT_EQ(MeasureOptions{}.program, program_hash());
}

}  // namespace
}  // namespace vestige::experiment
