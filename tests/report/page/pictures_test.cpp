// Pictures and maps of two small images, with their bytes written out by hand.
#include "vestige/report/page/pictures.h"

#include <gtest/gtest.h>

#include "tests/support/evidence_folder.h"
#include "vestige/evidence/reader.h"

namespace vestige::report {
namespace {

using evidence::DType;
using testing::array_of;
using testing::EvidenceFolder;
using testing::EvidenceShape;

TEST(Pictures, AreBytesAndMapsInTheirOrder) {
  EvidenceFolder folder(EvidenceShape{.forget = 2});
  // Row 1 is "foobar" as 2 x 3 pixels; "Zm9vYmFy" is RFC 4648's own.
  folder.put("pictures/forget",
             array_of(DType::uint8, {0, 0, 0, 0, 0, 0, 'f', 'o', 'o', 'b', 'a', 'r'}, {2, 2, 3}));
  folder.put("original/0/grad_cam/forget",
             array_of(DType::float16, {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {2, 2, 3}));
  const evidence::Reading reading = evidence::load(folder.path());
  const std::vector<std::size_t> rows = {1, 0, 7};
  const Json json = pictures_json(reading.evidence, rows);
  ASSERT_EQ(json.size(), 2U);  // there is no row 7
  EXPECT_EQ(json[0]["row"], 1);
  EXPECT_EQ(json[0]["image"]["width"], 3);
  EXPECT_EQ(json[0]["image"]["height"], 2);
  EXPECT_EQ(json[0]["image"]["channels"], 1);
  EXPECT_EQ(json[0]["image"]["pixels"], "Zm9vYmFy");
  // 255, 0, 0, 0, 0, 255: "/wAA" and "AAD/".
  EXPECT_EQ(json[0]["maps"]["original/0"]["pixels"], "/wAAAAD/");
  EXPECT_EQ(json[0]["maps"].size(), 1U);
  EXPECT_EQ(json[1]["image"]["pixels"], "AAAAAAAA");
}

TEST(Pictures, EvidenceWithoutThemGivesNone) {
  const EvidenceFolder folder(EvidenceShape{.forget = 2});
  const std::vector<std::size_t> rows = {0};
  EXPECT_EQ(pictures_json(evidence::load(folder.path()).evidence, rows), Json::array());
}

TEST(Pictures, SheetsOfSamplesAreNamedByTheirModel) {
  EvidenceFolder folder(EvidenceShape{.forget = 2});
  folder.put("pictures/samples.original.0",
             array_of(DType::uint8, {'f', 'o', 'o', 'b', 'a', 'r'}, {1, 2, 3}));
  const Json json = samples_json(evidence::load(folder.path()).evidence);
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0]["samples"], "original.0");
  EXPECT_EQ(json[0]["image"]["width"], 3);
  EXPECT_EQ(json[0]["image"]["pixels"], "Zm9vYmFy");
}

TEST(Pictures, WrongOnesAreFindings) {
  EvidenceFolder folder(EvidenceShape{.forget = 2});
  folder.put("pictures/forget", array_of(DType::float32, {0, 0}, {2, 1, 1}));
  EXPECT_TRUE(testing::holds(testing::error_of([&] { evidence::load(folder.path()); }),
                             {"pictures/forget.npy", "uint8"}));
  folder.put("pictures/forget", array_of(DType::uint8, {0, 0, 0}, {3, 1, 1}));
  EXPECT_TRUE(testing::holds(testing::error_of([&] { evidence::load(folder.path()); }),
                             {"pictures/forget.npy", "3 rows", "labels/forget has 2"}));
}

}  // namespace
}  // namespace vestige::report
