// Conformance cases: the judge itself, and every shipped case that this build can run.
#include "vestige/audit/conformance/conformance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tests/support/evidence_folder.h"
#include "vestige/base/file.h"
#include "vestige/evidence/formats/npy.h"

namespace vestige::audit {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::holds;
using CaseVerdict = ConformanceOutcome::Verdict;

ConformanceValues twice(const ConformanceCase& test_case) {
  std::vector<double> values = test_case.numbers("x");
  for (double& value : values) value *= 2;
  return {{"y", values}, {"undefined", {std::nan("")}}};
}

const std::vector<ConformanceRunner> kRunners = {{"twice", twice, {"remark"}}};

/// A folder with one case.json.
class Case : public ::testing::Test {
 protected:
  ConformanceCase read(const std::string& json) {
    write_file(folder / "case.json", json);
    return read_case(folder / "case.json");
  }
  ConformanceOutcome run(const std::string& json) { return run_case(read(json), kRunners); }

  testing::TemporaryFolder folder;
};

TEST_F(Case, PassesWithinTolerance) {
  EXPECT_EQ(
      run(R"({"metric": "twice", "inputs": {"x": [1, 2]}, "expected": {"y": [2, 4]}})").verdict,
      CaseVerdict::passed);
  // absolute + relative * |expected| = 0.1 + 0.01 * 40 = 0.5
  const std::string text = R"({{"metric": "twice", "inputs": {{"x": 20}}, "expected": {{"y": {}}},
                              "tolerance": {{"abs": 0.1, "rel": 0.01}}}})";
  EXPECT_EQ(run(fmt::format(fmt::runtime(text), 40.4)).verdict, CaseVerdict::passed);
  EXPECT_EQ(run(fmt::format(fmt::runtime(text), 40.6)).verdict, CaseVerdict::failed);
}

TEST_F(Case, AnAlteredValueFailsWithTheFieldAndBothNumbers) {
  const auto outcome = run(
      R"({"metric": "twice", "case": "altered", "inputs": {"x": [1, 2]}, "expected": {"y": [2, 5]},
          "tolerance": {"abs": 1e-9}})");
  EXPECT_EQ(outcome.verdict, CaseVerdict::failed);
  EXPECT_EQ(outcome.name, "altered");
  EXPECT_TRUE(holds(outcome.detail, {"y[1] = 4, expected 5", "1e-09 absolute"}));
}

TEST_F(Case, ACountThatDiffersFails) {
  EXPECT_TRUE(
      holds(run(R"({"metric": "twice", "inputs": {"x": [1]}, "expected": {"y": [2, 4]}})").detail,
            {"y: 1 values, expected 2"}));
}

TEST_F(Case, AnUnknownMetricIsSkipped) {
  const auto outcome = run(R"({"metric": "thrice", "inputs": {}, "expected": {"y": 3}})");
  EXPECT_EQ(outcome.verdict, CaseVerdict::skipped);
  EXPECT_TRUE(holds(outcome.detail, {"no such metric"}));
}

TEST_F(Case, AFieldThatIsNotComputedFails) {
  EXPECT_TRUE(
      holds(run(R"({"metric": "twice", "inputs": {"x": [1]}, "expected": {"z": [2]}})").detail,
            {"z was not computed"}));
  // Unless it is named as informative.
  EXPECT_EQ(run(R"({"metric": "twice", "inputs": {"x": [1]}, "expected": {"y": 2, "remark": 7}})")
                .verdict,
            CaseVerdict::passed);
}

TEST_F(Case, SpecialValues) {
  EXPECT_EQ(run(R"({"metric": "twice", "inputs": {"x": ["nan", "inf", "-inf", null, true]},
                    "expected": {"y": ["nan", "inf", "-inf", null, 2]}})")
                .verdict,
            CaseVerdict::passed);
  // NaN does not pass for a number, nor a number for NaN or infinity.
  for (const char* pair : {R"(["nan"] 1)", R"([1] "nan")", R"([1] "inf")", R"(["inf"] "-inf")"}) {
    const std::string text = pair;
    const std::size_t space = text.find(' ');
    EXPECT_EQ(run(fmt::format(R"({{"metric": "twice", "inputs": {{"x": {}}},
                                  "expected": {{"y": {}}}}})",
                              text.substr(0, space), text.substr(space + 1)))
                  .verdict,
              CaseVerdict::failed)
        << pair;
  }
}

TEST_F(Case, AnExpectedErrorIsAnErrorOrUndefined) {
  // The runner throws: x is missing.
  EXPECT_EQ(run(R"({"metric": "twice", "inputs": {}, "expected": {"y": "ValueError"}})").verdict,
            CaseVerdict::passed);
  EXPECT_EQ(
      run(R"({"metric": "twice", "inputs": {"x": 1}, "expected": {"undefined": "ValueError"}})")
          .verdict,
      CaseVerdict::passed);
  const auto outcome =
      run(R"({"metric": "twice", "inputs": {"x": 1}, "expected": {"y": "ValueError"}})");
  EXPECT_EQ(outcome.verdict, CaseVerdict::failed);
  EXPECT_TRUE(holds(outcome.detail, {"y = 2", "ValueError or undefined"}));
}

TEST_F(Case, AnUnexpectedErrorFailsWithItsText) {
  EXPECT_TRUE(holds(run(R"({"metric": "twice", "inputs": {}, "expected": {"y": 1}})").detail,
                    {"no input \"x\""}));
}

TEST_F(Case, ArraysFromFilesKeepTheirShape) {
  write_file(folder / "x.npy", evidence::write_npy(testing::array_of(evidence::DType::float32,
                                                                     {1, 2, 3, 4, 5, 6}, {3, 2})));
  const ConformanceCase test_case = read(
      R"({"metric": "twice", "inputs": {"x": {"file": "x.npy"}, "z": [[1, 2, 3]]}, "params": {"a": 4},
          "expected": {}})");
  EXPECT_EQ(test_case.matrix("x").rows(), 3U);
  EXPECT_EQ(test_case.matrix("x")(2, 1), 6);
  EXPECT_EQ(test_case.matrix("z").cols(), 3U);
  EXPECT_EQ(test_case.integers("x").size(), 6U);
  EXPECT_EQ(test_case.parameter("a", 1), 4);
  EXPECT_EQ(test_case.parameter("b", 1), 1);
  EXPECT_EQ(test_case.name, folder.path().filename().string());
}

TEST_F(Case, BadFilesAreOneSentence) {
  for (const char* text :
       {"{", "[]", "3", R"({"metric": "twice"})", R"({"metric": 3, "inputs": {}, "expected": {}})",
        R"({"metric": "twice", "inputs": {"x": [[1, 2], [3]]}, "expected": {}})",
        R"({"metric": "twice", "inputs": {"x": {"file": 3}}, "expected": {}})",
        R"({"metric": "twice", "inputs": {"x": {"file": "no.npy"}}, "expected": {}})",
        R"({"metric": "twice", "inputs": {"x": ["high"]}, "expected": {}})",
        R"({"metric": "twice", "inputs": {}, "expected": {}, "tolerance": 3})"}) {
    EXPECT_TRUE(holds(error_of([&] { read(text); }), {folder.path().string()})) << text;
  }
}

std::vector<fs::path> cases() {
  std::vector<fs::path> found;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(VESTIGE_SOURCE_DIR) / "tests/reference")) {
    if (entry.path().filename() == "case.json") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(ReferenceCases, AllThatHaveARunnerPass) {
  std::size_t passed = 0;
  for (const fs::path& path : cases()) {
    const ConformanceCase test_case = read_case(path);
    const ConformanceOutcome outcome = run_case(test_case, core_runners());
    EXPECT_NE(outcome.verdict, CaseVerdict::failed)
        << outcome.metric << "/" << outcome.name << ": " << outcome.detail;
    passed += outcome.verdict == CaseVerdict::passed ? 1 : 0;
  }
  EXPECT_GE(passed, 1U);
}

// A runner that passes whatever is expected would be worthless: move every expected number.
TEST(ReferenceCases, NoRunnerPassesAlteredValues) {
  for (const fs::path& path : cases()) {
    ConformanceCase test_case = read_case(path);
    if (run_case(test_case, core_runners()).verdict != CaseVerdict::passed) continue;
    bool moved = false;
    for (auto& [field, array] : test_case.expected) {
      std::vector<double> values = array.doubles();
      for (double& value : values) {
        moved = true;
        const double far = 1 + 3 * test_case.absolute + 3 * test_case.relative * std::abs(value);
        value = std::isfinite(value) ? value + far : 12345;
      }
      array = evidence::Array::from_doubles(values, array.shape());
    }
    if (!moved) continue;  // the case expects an error, nothing else
    EXPECT_EQ(run_case(test_case, core_runners()).verdict, CaseVerdict::failed) << path;
  }
}

TEST(ReferenceCases, EveryRunnerHasACase) {
  for (const ConformanceRunner& runner : core_runners()) {
    EXPECT_TRUE(fs::is_directory(fs::path(VESTIGE_SOURCE_DIR) / "tests/reference" / runner.metric))
        << runner.metric;
  }
}

}  // namespace
}  // namespace vestige::audit
