// A small pool in EasyDUB's layout: margins, retain sets, and every mistake.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/support/measured.h"
#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/evidence/reader.h"
#include "vestige/import/import.h"
#include "vestige/metrics/klom/klom.h"
#include "vestige/metrics/klom/klom_family.h"

namespace vestige::importing {
namespace {

using vestige::testing::error_of;
using vestige::testing::TemporaryFolder;

/// Four training examples, of which number 1 was forgotten; two models of each kind.
class MarginPool {
 public:
  MarginPool() {
    for (const int id : {2, 10}) {
      const double shift = id == 2 ? 0 : 0.5;
      put(fmt::format("margins/cifar10/pretrain/retain/resnet9/id_{}_epoch_23", id),
          {1 + shift, 2 + shift, 3 + shift, 4 + shift});
      put(fmt::format("margins/cifar10/pretrain/forget_1/resnet9/id_{}_epoch_23", id), {2 + shift});
      put(fmt::format("margins/cifar10/pretrain/val/resnet9/id_{}_epoch_23", id),
          {-1 + shift, 5 + shift});
      const std::string oracle = "margins/cifar10/oracle/forget_1/";
      put(fmt::format("{}retain/resnet9/id_{}_epoch_23", oracle, id),
          {1.25 + shift, 3.25 + shift, 4.25 + shift});
      put(fmt::format("{}forget/resnet9/id_{}_epoch_23", oracle, id), {-0.5 + shift});
      put(fmt::format("{}val/resnet9/id_{}_epoch_23", oracle, id), {-1.5 + shift, 4 + shift});
    }
    std::filesystem::create_directories(folder_ / "forget_sets/cifar10");
    write_file(folder_ / "forget_sets/cifar10/forget_set_1.npy",
               evidence::write_npy(evidence::Array::from_integers({1}, {1})));
  }
  void put(const std::string& key, std::vector<double> values) {
    const std::size_t size = values.size();
    std::filesystem::create_directories((folder_ / key).parent_path());
    write_file(folder_ / (key + ".npy"),
               evidence::write_npy(evidence::Array::from_doubles(std::move(values), {size})));
  }
  std::string fault(const ImportOptions& options = {.forget = "1"}) const {
    return error_of([&] { easydub(folder_.path(), options); });
  }
  std::filesystem::path path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

void expect_named(const std::string& text, const char* part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace

TEST(import_easydub, margins_keep_their_meaning) {
  MarginPool pool;
  const Imported imported = easydub(pool.path(), {.forget = "1"});
  imported.draft.write(pool.path() / "evidence", false);
  const evidence::Evidence evidence = evidence::load(pool.path() / "evidence", false).evidence;
  EXPECT_EQ(evidence.classes, 2U);
  const evidence::Group* original = evidence.find("original");
  ASSERT_EQ(original->models.size(), 2U);
  EXPECT_EQ(original->models[1].name, "10");  // after 2
  // The forget example is taken out of the retain margins 1, 2, 3, 4.
  const Matrix p = evidence::probabilities(original->models[0].outputs.at("retain"), evidence.kind);
  const auto& labels = *evidence.find_labels("retain");
  ASSERT_EQ(p.rows(), 3U);
  const double margins[] = {1, 3, 4};
  for (std::size_t row = 0; row < 3; ++row) {
    const double right = p(row, static_cast<std::size_t>(labels[row]));
    EXPECT_NEAR(std::log(right / (1 - right)), margins[row], 1e-12);
  }
  // Both classes occur, so that no model looks constant.
  EXPECT_EQ(labels, (std::vector<std::int64_t>{0, 1, 0}));
}

TEST(import_easydub, klom_is_that_of_the_margins) {
  MarginPool pool;
  easydub(pool.path(), {.forget = "1"}).draft.write(pool.path() / "evidence", false);
  const evidence::Evidence evidence = evidence::load(pool.path() / "evidence", false).evidence;
  metrics::Comparison comparison;
  comparison.evidence = &evidence;
  for (const auto& model : evidence.find("original")->models)
    comparison.candidate.push_back(&model);
  for (const auto& model : evidence.find("retrained")->models) {
    comparison.retrained.push_back(&model);
  }
  const metrics::Measurements out = metrics::measured(metrics::klom_family(), comparison);
  const double ours[] = {2, 2.5}, theirs[] = {-0.5, 0};
  const double expected = metrics::klom({ours, 2, 1}, {theirs, 2, 1})[0];
  const auto row = std::find_if(out.rows.begin(), out.rows.end(),
                                [](const auto& one) { return one.metric == "klom.forget"; });
  ASSERT_NE(row, out.rows.end());
  EXPECT_NEAR(row->value, expected, 1e-12);
}

TEST(import_easydub, methods_are_mapped) {
  MarginPool pool;
  for (const char* split : {"forget", "retain", "val"}) {
    std::filesystem::create_directories(pool.path() / "mine");
    std::filesystem::copy(pool.path() / "margins/cifar10/oracle/forget_1" / split,
                          pool.path() / "mine" / split, std::filesystem::copy_options::recursive);
  }
  const Imported imported =
      easydub(pool.path(), {.map = {"unlearned/noisy=mine"}, .forget = "1", .models = 1});
  EXPECT_EQ(imported.splits.size(), 9U);  // one model of each kind, three splits
  EXPECT_EQ(imported.splits.back().model, "unlearned/noisy/2");
  expect_named(pool.fault({.map = {"retrained=mine"}, .forget = "1"}), "only unlearned/METHOD");
}

TEST(import_easydub, mistakes_name_file_and_remedy) {
  MarginPool pool;
  expect_named(pool.fault({.forget = "2"}), "forget_set_2.npy does not exist");
  expect_named(pool.fault({.forget = "../1"}), "give the number of a forget set");
  expect_named(error_of([&] { easydub(pool.path() / "margins", {.forget = "1"}); }),
               "that holds margins/ and forget_sets/");
  pool.put("margins/cifar10/oracle/forget_1/val/resnet9/id_2_epoch_23", {1, 2, 3});
  expect_named(pool.fault(), "id_10_epoch_23.npy: has 2 examples, and other models have 3");
  pool.put("margins/cifar10/oracle/forget_1/val/resnet9/id_2_epoch_23", {1, NAN});
  expect_named(pool.fault(), "example 1 has the margin nan");
  pool.put("margins/cifar10/oracle/forget_1/val/resnet9/id_2_epoch_23", {1, 2});
  pool.put("margins/cifar10/oracle/forget_1/val/resnet9/id_2_epoch_24", {1, 2});
  expect_named(pool.fault(), "are both of model 2");
  MarginPool missing;
  std::filesystem::remove(missing.path() /
                          "margins/cifar10/pretrain/val/resnet9/id_10_epoch_23.npy");
  expect_named(missing.fault(), "has no model 10");
}

}  // namespace vestige::importing
