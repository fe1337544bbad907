// Repeats of an experiment that differ in who is forgotten alone share what they borrowed in
// memory.
#include <gtest/gtest.h>

#include "tests/train/support.h"

namespace vestige::train {
namespace {

using testing::tiny_lab;

constexpr const char* kOther =
    "shadow.data={name='synthetic', seed=7, rows=600, test_rows=10, "
    "classes=4, height=8, width=8}";

TEST(SharedBorrowedRows, RepeatsOfTheForgetDrawHaveOneCopy) {
  const auto first = tiny_lab({kOther, "forget.seed=1", "pool.shadow=2", "shadow.rows=200"});
  const auto second = tiny_lab({kOther, "forget.seed=2", "pool.shadow=2", "shadow.rows=200"});
  EXPECT_NE(first->split.part("forget"), second->split.part("forget"));
  EXPECT_EQ(first->dataset.get(), second->dataset.get());
  // The 1,200 rows of the lab and 300 borrowed ones behind them.
  EXPECT_EQ(first->data.labels.size(), 1500U);
  EXPECT_EQ(first->split.part("shadow").front(), 1200);
  const auto shadow_rows = [](const Lab& lab) {
    for (const ModelPlan& model : plan(lab)) {
      if (model.role == "shadow") return model.rows;
    }
    return SharedRows();
  };
  const SharedRows held = shadow_rows(*first);
  EXPECT_EQ(&held.list(), &shadow_rows(*second).list());
}

TEST(SharedBorrowedRows, AnotherDrawOfTheBorrowedRowsHasItsOwn) {
  const auto first = tiny_lab({kOther, "pool.shadow=2", "shadow.rows=200"});
  const auto second = tiny_lab({kOther, "seed=2", "pool.shadow=2", "shadow.rows=200"});
  EXPECT_NE(first->dataset.get(), second->dataset.get());
  EXPECT_NE(first->data.bytes, second->data.bytes);
}

TEST(SharedBorrowedRows, ShiftedRowsAreNotTakenForPlainOnes) {
  const char* shift = "shadow.shift={kind='noise', amount=0.2}";
  const auto plain = tiny_lab({"pool.shadow=1", "shadow.rows=200"});
  const auto first = tiny_lab({shift, "pool.shadow=1", "shadow.rows=200"});
  const auto second = tiny_lab({shift, "forget.seed=5", "pool.shadow=1", "shadow.rows=200"});
  EXPECT_NE(plain->dataset.get(), first->dataset.get());
  EXPECT_EQ(first->dataset.get(), second->dataset.get());
}

}  // namespace
}  // namespace vestige::train
