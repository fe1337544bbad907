// What holds for every method of the table, so that a new one is checked without new code: a page
// whose recipe is readable, defaults that run, the same bytes for the same seed.
#include "vestige/unlearn/registry.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/support.h"
#include "tests/unlearn/bench.h"
#include "vestige/base/file.h"
#include "vestige/unlearn/table.h"

namespace vestige::unlearn {
namespace {

using testing::error_of;
using testing::holds;
using testing::UnlearnBench;

/// The first ```toml block of a page; empty if there is none.
std::string toml_block(const std::string& page) {
  const std::string open = "```toml\n";
  const std::size_t begin = page.find(open);
  if (begin == std::string::npos) return {};
  const std::size_t end = page.find("```", begin + open.size());
  return page.substr(begin + open.size(), end - begin - open.size());
}

class EveryMethod : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, HasAPageWithARecipe) {
  const std::filesystem::path path =
      std::filesystem::path(VESTIGE_SOURCE_DIR) / "docs/methods" / (GetParam() + ".md");
  ASSERT_TRUE(std::filesystem::exists(path)) << path;
  const Json table = parse_toml(toml_block(read_file(path)), path.string());
  ASSERT_TRUE(table.contains("methods")) << "the page shows no methods = [...]";
  std::set<std::string> shown;
  for (const Json& entry : table.at("methods")) {
    shown.insert(read_choice(entry, path.string()).name);
  }
  EXPECT_EQ(shown.count(GetParam()), 1U);
}

TEST_P(EveryMethod, RunsWithItsDefaultsAndRepeatsItself) {
  if (GetParam() == "external") GTEST_SKIP() << "needs a command";
  const Method method = find_method(GetParam());
  if (method.needs.denoiser) GTEST_SKIP() << "needs a denoiser: methods/denoisers_test.cpp";
  UnlearnBench& bench = UnlearnBench::of(method.needs.class_forgetting ? "class" : "random");
  Problem first = bench.problem(5), second = bench.problem(5);
  for (Problem* problem : {&first, &second}) bench.run(GetParam(), Json::object(), *problem);
  EXPECT_TRUE(testing::changed(first.network, second.network).empty());
  for (const torch::Tensor& parameter : first.network.parameters()) {
    EXPECT_TRUE(torch::isfinite(parameter).all().item<bool>());
  }
  if (GetParam() != "identity") {
    EXPECT_FALSE(testing::changed(first.network, bench.original()).empty());
  }
}

TEST_P(EveryMethod, PresetsAreReadableAndUnknownOptionsAreNot) {
  const Method method = find_method(GetParam());
  for (const MethodPreset& preset : method.presets) {
    EXPECT_NO_THROW(read_choice(Json{{"name", GetParam()}, {"preset", preset.name}}, "test"));
  }
  EXPECT_TRUE(holds(error_of([&] {
                      read_choice(Json{{"name", GetParam()}, {"no_such_option", 1}}, "test");
                    }),
                    "no_such_option"));
}

std::vector<std::string> all_ids() {
  std::vector<std::string> ids;
  for (const Method& method : table()) ids.push_back(method.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryMethod, ::testing::ValuesIn(all_ids()),
                         [](const auto& method) { return method.param; });

TEST(Methods, HoldsEveryIdOfTheSpecification) {
  const std::vector<std::string> ids = all_ids();
  const std::set<std::string> known(ids.begin(), ids.end());
  EXPECT_EQ(known.size(), ids.size());
  for (const char* id : {"retrain",
                         "partial_retrain",
                         "finetune",
                         "gradient_ascent",
                         "neggrad_plus",
                         "random_label",
                         "random_targets",
                         "salun",
                         "l1_sparse",
                         "scrub",
                         "ssd",
                         "amnesiac",
                         "amnesiac_log",
                         "bad_teacher",
                         "unroll",
                         "sfron",
                         "conformal_retrain",
                         "conformal_finetune",
                         "conformal_random_label",
                         "cw",
                         "fisher",
                         "forsaken",
                         "lcodec",
                         "boundary_shrink",
                         "boundary_expand",
                         "fanchuan",
                         "kookmin",
                         "seif",
                         "sebastian",
                         "amnesiacs",
                         "sun",
                         "forget",
                         "identity",
                         "collapse",
                         "external"}) {
    EXPECT_EQ(known.count(id), 1U) << id;
  }
}

TEST(Methods, OldNamesGetTheNewOnes) {
  for (const std::string rest : {"finetune", "random_label", "retrain"}) {
    EXPECT_TRUE(holds(error_of([&] { read_choice(Json("cpu_" + rest), "r"); }),
                      {"'cpu_" + rest + "'", "'conformal_" + rest + "'"}));
  }
}

TEST(Methods, UnknownNamesGetTheNearest) {
  EXPECT_TRUE(holds(error_of([] { read_choice(Json("finetun"), "r"); }), "'finetune'"));
  EXPECT_TRUE(holds(error_of([] {
                      read_choice(Json{{"name", "finetune"}, {"label", "a/b"}}, "r");
                    }),
                    "plain folder name"));
  EXPECT_TRUE(holds(error_of([] { read_choice(Json("finetune+repair:seif"), "r"); }), "hosts are"));
}

}  // namespace
}  // namespace vestige::unlearn
