// Whose number a row is.
#include "vestige/study/rows.h"

#include <gtest/gtest.h>

namespace vestige::study {
namespace {

Subject of(const std::string& model) {
  metrics::Row row;
  row.model = model;
  return subject_of(row);
}

TEST(StudyRows, MethodOriginalAndRun) {
  const Subject subject = of("unlearned/finetune/3.1");
  EXPECT_EQ(subject.role, "unlearned");
  EXPECT_EQ(subject.method, "finetune");
  EXPECT_EQ(subject.original, "3");
  EXPECT_EQ(subject.run, "1");
}

TEST(StudyRows, OneRunIsRunZero) {
  EXPECT_EQ(of("unlearned/kookmin+repair:seif/12").original, "12");
  EXPECT_EQ(of("unlearned/kookmin+repair:seif/12").run, "0");
}

TEST(StudyRows, PooledRowsHaveNoOriginal) {
  EXPECT_EQ(of("unlearned/finetune").method, "finetune");
  EXPECT_EQ(of("unlearned/finetune").original, "");
  EXPECT_EQ(of("retrained").method, "retrained");
}

TEST(StudyRows, PartialKeepsItsShare) {
  EXPECT_EQ(of("partial/25/0").method, "partial/25");
  EXPECT_EQ(of("partial/25/0").original, "0");
}

}  // namespace
}  // namespace vestige::study
