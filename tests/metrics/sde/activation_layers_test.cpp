// Which layers are measured: by name, by list, by default, and what is said where one is missing.
#include "vestige/metrics/sde/activation_layers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/metrics/sde/known_activations.h"
#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

using namespace known_activations;

TEST(SdeFamily, WrongLayerNamesTheNearest) {
  const evidence::Evidence evidence = known_evidence();
  try {
    sde_of(evidence, evidence.groups[0].models[0], quick({{"sde.layer", "penultimat"}}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(contains(error.what(), "the nearest is \"penultimate\"")) << error.what();
  }
}

TEST(SdeFamily, LayersByListAndAll) {
  evidence::Evidence evidence = known_evidence();
  for (auto& group : evidence.groups) {
    auto& model = group.models[0];
    model.activations["block4"] = model.activations["penultimate"];
    model.outputs = model.activations["penultimate"];
  }
  EXPECT_EQ(layers_to_measure(evidence, quick()), (std::vector<std::string>{"penultimate"}));
  EXPECT_EQ(layers_to_measure(evidence, quick({{"sde.layer", "all"}})),
            (std::vector<std::string>{"block4", "logits", "penultimate"}));
  EXPECT_EQ(layers_to_measure(evidence, quick({{"sde.layer", "logits,block4"}})),
            (std::vector<std::string>{"logits", "block4"}));
  const Measurements two =
      sde_of(evidence, evidence.groups[0].models[0], quick({{"sde.layer", "logits,block4"}}));
  EXPECT_EQ(two.rows.size(), 12U);
}

TEST(SdeFamily, LogitsWithoutActivations) {
  evidence::Evidence evidence = known_evidence();
  for (auto& group : evidence.groups) {
    auto& model = group.models[0];
    model.outputs = model.activations["penultimate"];
    model.activations.clear();
  }
  const Row row = find(sde_of(evidence, evidence.groups[1].models[0], quick()), "sde.otr");
  EXPECT_EQ(row.settings["layer"], "logits");
  EXPECT_GT(row.value, 0.95);
  EXPECT_TRUE(sde_family().support(evidence).supported);
  EXPECT_EQ(sde_family().support(evidence).reason.code, Code::outputs_instead_of_activations);
}

// A layer that was not called penultimate was passed over for the outputs.
TEST(SdeFamily, TheOnlyLayerHasAnyName) {
  evidence::Evidence evidence = known_evidence();
  for (auto& group : evidence.groups) {
    auto& model = group.models[0];
    model.activations["avgpool"] = model.activations["penultimate"];
    model.activations.erase("penultimate");
    model.outputs = model.activations["avgpool"];
  }
  EXPECT_EQ(layers_to_measure(evidence, quick()), (std::vector<std::string>{"avgpool"}));
  EXPECT_TRUE(activation_support(evidence).reason.empty());
  for (auto& group : evidence.groups) {
    group.models[0].activations["block4"] = group.models[0].activations["avgpool"];
  }
  EXPECT_EQ(layers_to_measure(evidence, quick()), (std::vector<std::string>{"logits"}));
  EXPECT_EQ(activation_support(evidence).reason,
            reason(Code::several_layers, std::vector<std::string>{"avgpool", "block4"},
                   "--sde-layer NAME"));
}

TEST(SdeFamily, MissingLayerIsSkipped) {
  evidence::Evidence evidence = known_evidence();
  evidence.groups[0].models[0].activations["penultimate"].erase("test");
  const Row row = find(sde_of(evidence, evidence.groups[0].models[0], quick()), "sde.otr");
  EXPECT_EQ(row.status, Status::skipped);
  EXPECT_EQ(row.notes.at(0), reason(Code::needs_activations, std::vector<std::string>{"test"},
                                    "original/0/activations/penultimate/test.npy"));
  EXPECT_FALSE(sde_family().support(evidence::Evidence{}).supported);
}

}  // namespace
}  // namespace vestige::metrics
