// Stand-ins: the sizes of the sets that they stand for, and only where files are missing.
#include "vestige/data/stand_in.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support.h"
#include "vestige/base/options.h"
#include "vestige/data/dataset.h"

namespace vestige::data {
namespace {

TEST(StandIn, HasRowsShapeAndClassesOfTheSet) {
  // Krizhevsky 2009: 50,000 and 10,000 pictures of 3 x 32 x 32; 20 coarse classes of 5 fine ones.
  Json described = stand_in_for({{"name", "cifar20"}, {"path", "nowhere"}});
  EXPECT_EQ(described.at("rows"), 50000);
  described["rows"] = 200;
  described["test_rows"] = 20;
  Options options(described, "test");
  const Dataset made = load(options);
  EXPECT_EQ(made.classes, 20);
  EXPECT_EQ(made.shape, (std::vector<std::int64_t>{3, 32, 32}));
  EXPECT_LE(*std::max_element(made.subclasses.begin(), made.subclasses.end()), 99);
  // Folders of pictures take the size that the recipe asks for; faces have subjects.
  const Json faces = stand_in_for({{"name", "image_folder"}, {"path", "d/mucac"}, {"size", 64}});
  EXPECT_EQ(faces.at("height"), 64);
  EXPECT_EQ(faces.at("classes"), 2);
  EXPECT_EQ(faces.at("rows"), 10548);  // MIAU, A.4
  EXPECT_GT(faces.at("subjects"), 0);
  // Karras et al. 2019: FFHQ is 70,000 faces and has no test part; AFHQv2 has 15,803 in two.
  const Json ffhq = stand_in_for({{"name", "image_folder"}, {"path", "data/ffhq"}, {"size", 64}});
  EXPECT_EQ(ffhq.at("rows"), 70000);
  EXPECT_EQ(ffhq.at("test_rows"), 0);
  const Json animals = stand_in_for({{"name", "image_folder"}, {"path", "data/afhqv2"}});
  EXPECT_EQ(animals.at("rows").get<int>() + animals.at("test_rows").get<int>(), 15803);
  EXPECT_EQ(stand_in_for({{"name", "purchase100"}, {"path", "x"}}).at("columns"), 600);
}

TEST(StandIn, ReplacesOnlyWhatIsMissing) {
  const vestige::testing::TemporaryFolder folder;
  Json recipe = {{"data", {{"name", "cifar10"}, {"path", (folder / "missing").string()}}},
                 {"shadow", {{"data", {{"name", "mnist"}, {"path", folder.path().string()}}}}},
                 {"model", {{"name", "vit"}, {"weights", (folder / "vit.safetensors").string()}}}};
  const std::vector<std::string> replaced = use_stand_ins(recipe);
  ASSERT_EQ(replaced.size(), 2u);
  EXPECT_EQ(replaced[0], "cifar10 in " + (folder / "missing").string());
  EXPECT_EQ(recipe.at("data").at("name"), "synthetic");
  EXPECT_EQ(recipe.at("shadow").at("data").at("name"), "mnist");
  EXPECT_FALSE(recipe.at("model").contains("weights"));
  EXPECT_TRUE(use_stand_ins(recipe).empty());
}

}  // namespace
}  // namespace vestige::data
