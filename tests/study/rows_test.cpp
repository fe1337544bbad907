// Where a row's subject stands in an experiment.
#include "vestige/study/rows.h"

#include <gtest/gtest.h>

namespace vestige::study {
namespace {

using metrics::Subject;

TEST(StudyRows, MethodOriginalAndRun) {
  const Subject subject{"unlearned", "finetune", "3.1"};
  EXPECT_EQ(method_label(subject), "finetune");
  EXPECT_EQ(original_of(subject), "3");
  EXPECT_EQ(run_of(subject), "1");
}

TEST(StudyRows, OneRunIsRunZero) {
  const Subject subject{"unlearned", "kookmin+repair:seif", "12"};
  EXPECT_EQ(original_of(subject), "12");
  EXPECT_EQ(run_of(subject), "0");
}

TEST(StudyRows, PooledRowsHaveNoOriginal) {
  EXPECT_EQ(method_label({"unlearned", "finetune", ""}), "finetune");
  EXPECT_EQ(original_of({"unlearned", "finetune", ""}), "");
  EXPECT_EQ(run_of({"unlearned", "finetune", ""}), "");
  EXPECT_EQ(method_label({"retrained", "", ""}), "retrained");
}

// Their points are no runs: "original.0.5" is what was kept of the training.
TEST(StudyRows, RolesWithSeveralGroupsKeepTheirName) {
  EXPECT_EQ(method_label({"partial", "25", "0"}), "partial/25");
  EXPECT_EQ(method_label({"checkpoint", "original.0.5", "1"}), "checkpoint/original.0.5");
  EXPECT_EQ(original_of({"checkpoint", "original.0.5", "1"}), "1");
}

}  // namespace
}  // namespace vestige::study
