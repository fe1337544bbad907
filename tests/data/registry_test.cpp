// The table of loaders: every name loads, and every loader refuses what it does not know.
#include "tests/data/loader_support.h"

namespace vestige {
namespace {

using testing::holds;
using testing::load_error;

TEST(Registry, NoNameOrAnUnknownOneIsAnErrorThatListsTheNames) {
  EXPECT_TRUE(holds(load_error({}), {"[data]", "name", "missing", "cifar10", "image_folder"}));
  EXPECT_TRUE(holds(load_error({{"name", "cifar1o"}}), {"'cifar1o'", "did you mean 'cifar10'"}));
}

TEST(Registry, EveryLoaderRefusesAnUnknownKeyAndNamesTheNearest) {
  ASSERT_GE(data::loaders().size(), 11U);
  for (const data::LoaderInfo& loader : data::loaders()) {
    EXPECT_FALSE(loader.summary.empty()) << loader.name;
    if (loader.name == "synthetic") continue;  // has no path
    EXPECT_TRUE(holds(load_error({{"name", loader.name}, {"path", "nowhere"}, {"pth", "x"}}),
                      {"'pth' is not known", "did you mean 'path'"}))
        << loader.name;
  }
}

TEST(Registry, EveryLoaderNamesTheMissingPathAndItsSource) {
  for (const data::LoaderInfo& loader : data::loaders()) {
    if (loader.name == "synthetic") continue;
    const std::string text = load_error({{"name", loader.name}, {"path", "no/where"}});
    EXPECT_TRUE(holds(text, {"no/where", "does not exist", loader.name, "from"})) << loader.name;
  }
  EXPECT_TRUE(holds(load_error({{"name", "cifar10"}}), {"path", "missing", "data_batch_1.bin"}));
  EXPECT_TRUE(holds(load_error({{"name", "cifar10"}, {"path", "no/where"}}),
                    {"no/where/data_batch_1.bin", "Krizhevsky"}));
}

}  // namespace
}  // namespace vestige
