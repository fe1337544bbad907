// Scores of a CSV file: values, order, direction, and every mistake.
#include <gtest/gtest.h>

#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/evidence/reader.h"
#include "vestige/import/import.h"

namespace vestige::importing {
namespace {

using vestige::testing::error_of;
using vestige::testing::TemporaryFolder;

const char kHeader[] = "model,split,example,score\n";

std::string fault_of(const std::string& lines) {
  TemporaryFolder folder;
  write_file(folder / "judge.csv", lines);
  return error_of([&] { scores(folder / "judge.csv", "judge", "lower"); });
}

TEST(import_scores, examples_are_in_numeric_order_and_the_direction_is_declared) {
  TemporaryFolder folder;
  write_file(folder / "judge.csv", std::string(kHeader) +
                                       "original,forget,10,0.9\noriginal,forget,2,0.5\n"
                                       "retrained/1,forget,2,0.25\nretrained/1,forget,10,0.125\n");
  const Imported imported = scores(folder / "judge.csv", "judge", "lower");
  EXPECT_EQ(imported.splits.size(), 2U);
  imported.draft.write(folder / "evidence", false);
  const evidence::Evidence evidence = evidence::load(folder / "evidence", false).evidence;
  EXPECT_EQ(evidence.score_directions.at("judge"), "lower");
  const auto values = [&](const char* role) {
    return evidence.find(role)->models[0].scores.at("judge").at("forget").doubles();
  };
  EXPECT_EQ(values("original"), (std::vector<double>{0.5, 0.9}));
  EXPECT_EQ(values("retrained"), (std::vector<double>{0.25, 0.125}));
  // Nothing is overwritten.
  EXPECT_NE(error_of([&] { imported.draft.write(folder / "evidence", false); }), "");
}

/// Losses of two models, and the scores that are added to them.
class Added {
 public:
  explicit Added(const std::string& toml) {
    Draft draft;
    draft.put("original/0/losses/forget", std::vector<double>{1, 2});
    draft.put("retrained/0/losses/forget", std::vector<double>{3, 4});
    draft.write(folder_ / "evidence", false);
    write_file(folder_ / "evidence/evidence.toml", toml);
  }
  void add(const std::string& lines, const char* name, bool force = false) {
    write_file(folder_ / "judge.csv", kHeader + lines);
    scores(folder_ / "judge.csv", name, "lower").draft.add(folder_ / "evidence", force);
  }
  std::string toml() const { return read_file(folder_ / "evidence/evidence.toml"); }
  evidence::Evidence read() const { return evidence::load(folder_ / "evidence", false).evidence; }

 private:
  TemporaryFolder folder_;
};

const char kTwo[] = "original,forget,0,0.5\nretrained,forget,0,0.25\n";

TEST(import_scores, are_added_to_evidence_that_exists) {
  Added evidence("# mine\nlosses = \"sequence\"\n");
  evidence.add(kTwo, "judge");
  EXPECT_EQ(evidence.toml(), "# mine\nlosses = \"sequence\"\n\n[scores]\n\"judge\" = \"lower\"\n");
  evidence.add(kTwo, "fluency");
  const evidence::Evidence read = evidence.read();
  EXPECT_TRUE(read.sequence_losses);
  EXPECT_EQ(read.score_directions.size(), 2U);
  const evidence::Model& original = read.find("original")->models[0];
  EXPECT_EQ(original.losses.at("forget").doubles(), (std::vector<double>{1, 2}));
  EXPECT_EQ(original.scores.at("fluency").at("forget").doubles(), std::vector<double>{0.5});
}

TEST(import_scores, adding_replaces_nothing_unasked) {
  const auto expect = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  Added evidence("");
  evidence.add(kTwo, "judge");
  expect(error_of([&] { evidence.add(kTwo, "judge"); }), "exists: give --force");
  evidence.add("original,forget,0,0.75\nretrained,forget,0,0.25\n", "judge", true);
  EXPECT_EQ(evidence.read().find("original")->models[0].scores.at("judge").at("forget").doubles(),
            std::vector<double>{0.75});
  // A misspelt model would otherwise be a new one.
  expect(error_of([&] { evidence.add("unlearned/NP0,forget,0,1\n", "other"); }),
         "has no model unlearned/NP0/0");
  Added contrary("[scores]\njudge = \"higher\"\n");
  expect(error_of([&] { contrary.add(kTwo, "judge"); }), "judge is \"higher\" there");
  EXPECT_EQ(contrary.toml(), "[scores]\njudge = \"higher\"\n");
}

TEST(import_scores, evidence_without_a_direction_is_refused) {
  Added evidence("");
  evidence.add(kTwo, "judge");
  const std::string toml = evidence.toml();
  EXPECT_NE(toml.find("judge"), std::string::npos);
  TemporaryFolder folder;
  Draft draft;
  draft.put("original/0/scores/judge/forget", std::vector<double>{1, 2});
  draft.write(folder / "evidence", false);
  EXPECT_NE(error_of([&] { evidence::load(folder / "evidence", false); }).find("has no direction"),
            std::string::npos);
}

TEST(import_scores, mistakes_name_line_and_remedy) {
  const std::string header = kHeader;
  const auto expect = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(fault_of("model,split,score\n"), "no column 'example'");
  expect(fault_of(header), "has no scores");
  expect(fault_of(header + "original,forget,0,nan\n"), "line 2: score is 'nan'");
  expect(fault_of(header + "somebody,forget,0,1\n"), "line 2: model is 'somebody'");
  expect(fault_of(header + "original,forget,0,1\noriginal,forget,0,2\n"), "given twice");
  expect(fault_of(header + "original,forget,0,1\nretrained,forget,1,2\n"),
         "score the same examples of every model");
}

}  // namespace
}  // namespace vestige::importing
