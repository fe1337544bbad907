// vestige report: views from results alone, and what it refuses.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/vestige.h"
#include "tests/report/made_results.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/file.h"

namespace vestige {
namespace {

using testing::Finished;
using testing::refuses;
using testing::TemporaryFolder;

class Report : public ::testing::Test {
 protected:
  void SetUp() override { write_file(results(), testing::made_results().dump()); }
  std::string results() const { return (folder_ / "results.json").string(); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(Report, WritesThePageBesideTheResultsByDefault) {
  const Finished done = testing::vestige({"report", results()});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.out, file("report.html") + "\n");
  EXPECT_TRUE(read_file(file("report.html")).starts_with("<!doctype html>"));
}

TEST_F(Report, WritesEveryViewThatIsAskedFor) {
  const Finished done =
      testing::vestige({"report", results(), "--latex", file("t.tex"), "--csv", file("t.csv"),
                        "--markdown", "-", "--specs", file("specs")});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(done.out.starts_with("# Audit of some/evidence"));
  EXPECT_NE(read_file(file("t.tex")).find("\\toprule"), std::string::npos);
  EXPECT_TRUE(read_file(file("t.csv")).starts_with("metric,model,"));
  EXPECT_TRUE(std::filesystem::exists(file("specs/values-utility.vl.json")));
  EXPECT_FALSE(std::filesystem::exists(file("report.html")));
}

TEST_F(Report, ReplacesNothingWithoutForce) {
  write_file(file("report.html"), "mine");
  EXPECT_TRUE(refuses(testing::vestige({"report", results()}), {"report.html exists", "--force"}));
  EXPECT_EQ(read_file(file("report.html")), "mine");
  EXPECT_EQ(testing::vestige({"report", results(), "--force"}).code, 0);
  EXPECT_NE(read_file(file("report.html")), "mine");
}

TEST_F(Report, RefusesWhatIsNoResult) {
  EXPECT_TRUE(refuses(testing::vestige({"report", file("none.json")}), {"none.json"}));
  write_file(results(), "{\"schema\": 1,");
  EXPECT_TRUE(refuses(testing::vestige({"report", results()}), {"is no JSON (byte "}));
  write_file(results(), "[1, 2]");
  EXPECT_TRUE(refuses(testing::vestige({"report", results()}), {"is no results.json"}));
  write_file(results(), "{\"schema\": 7, \"results\": []}");
  EXPECT_TRUE(refuses(testing::vestige({"report", results()}), {"has schema 7", "schemas 1 to 3"}));
  write_file(results(), "{\"schema\": 1, \"results\": [3]}");
  EXPECT_TRUE(refuses(testing::vestige({"report", results()}), {"a row of the results"}));
  EXPECT_FALSE(std::filesystem::exists(file("report.html")));
}

TEST_F(Report, RefusesTwoViewsInOnePlace) {
  EXPECT_TRUE(refuses(testing::vestige({"report", results(), "--csv", "-", "--markdown", "-"}),
                      {"--markdown -", "another view"}));
  EXPECT_TRUE(
      refuses(testing::vestige({"report", results(), "--csv", file(".")}), {"is a folder"}));
}

}  // namespace
}  // namespace vestige
