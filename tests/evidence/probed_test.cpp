// Probed models in evidence: paths, pairs, choices of methods, warnings.
#include "vestige/evidence/probed.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/evidence/support.h"
#include "tests/support/evidence_folder.h"
#include "vestige/evidence/layout.h"
#include "vestige/evidence/reader.h"

namespace vestige::evidence {
namespace {

using testing::EvidenceFolder;
using testing::EvidenceShape;

TEST(Probed, PathsNameTheProbeAndTheModel) {
  const Place original = place_of("probed/int8/original/3/forget");
  EXPECT_EQ(original.part, Part::outputs);
  EXPECT_EQ(original.role, "probed");
  EXPECT_EQ(original.method, "int8/original");
  EXPECT_EQ(original.name, "3");
  EXPECT_EQ(original.split, "forget");
  EXPECT_EQ(model_id(original), "probed/int8/original/3");
  const Place method = place_of("probed/relearn.8/unlearned/finetune/0/members/forget");
  EXPECT_EQ(method.part, Part::members);
  EXPECT_EQ(method.method, "relearn.8/unlearned/finetune");
  EXPECT_EQ(place_of("probed/int8/unlearned/finetune/forget").name, "0");
  EXPECT_EQ(place_of("probed/int8/retrained/activations/penultimate/forget").layer, "penultimate");
}

const Reason kPathsOfTests =
    reason(Code::path_not_read, testing::Texts{"probed/TEST/original/NAME/SPLIT.npy",
                                               "probed/TEST/retrained/NAME/SPLIT.npy",
                                               "probed/TEST/unlearned/METHOD/NAME/SPLIT.npy"});

TEST(Probed, OtherPathsAreNotRead) {
  for (const char* key : {"probed/forget", "probed/int8/forget", "probed/int8/original",
                          "probed/int8/shadow/0/forget", "probed/int8/unlearned/finetune"}) {
    const Place place = place_of(key);
    EXPECT_EQ(place.part, Part::unknown) << key;
    EXPECT_EQ(place.why, kPathsOfTests) << key;
  }
}

TEST(Probed, GroupsComeApartAndTogether) {
  const ProbedGroup group = probed_group("relearn.8/unlearned/finetune");
  EXPECT_EQ(group.probe, "relearn.8");
  EXPECT_EQ(group.role, "unlearned");
  EXPECT_EQ(group.method, "finetune");
  EXPECT_EQ(probed_method(group), "relearn.8/unlearned/finetune");
  EXPECT_EQ(probed_method(probed_group("int8/original")), "int8/original");
}

TEST(Probed, StagesEndInAWholeNumber) {
  ASSERT_TRUE(stage_of("relearn.16"));
  EXPECT_EQ(stage_of("relearn.16")->probe, "relearn");
  EXPECT_EQ(stage_of("relearn.16")->steps, 16U);
  for (const char* none : {"int8", "relearn.", "relearn.0", "relearn.x", ".4", "relearn.4a"}) {
    EXPECT_FALSE(stage_of(none)) << none;
  }
}

struct ProbedFolder : EvidenceFolder {
  ProbedFolder();
};

ProbedFolder::ProbedFolder()
    : EvidenceFolder(EvidenceShape{.models = 1, .shadows = 0, .methods = {"a", "b"}}) {
  for (const char* id : {"original", "retrained", "unlearned/a", "unlearned/b"}) {
    for (const char* split : {"forget", "test"}) {
      const std::string key = std::string(id) + "/0/" + split;
      put("probed/int8/" + key, array(key));
      put("probed/relearn.16/" + key, array(key));
      put("probed/relearn.2/" + key, array(key));
    }
  }
}

TEST(Probed, AreReadAsGroups) {
  const ProbedFolder folder;
  const Reading reading = load(folder.path());
  EXPECT_EQ(probes(reading.evidence),
            (std::vector<std::string>{"int8", "relearn.2", "relearn.16"}));
  const Group* group = find_probed(reading.evidence, "int8", "unlearned", "b");
  ASSERT_NE(group, nullptr);
  EXPECT_NE(find_named(group, "0"), nullptr);
  EXPECT_EQ(find_named(group, "1"), nullptr);
  EXPECT_EQ(group->models.front().id(), "probed/int8/unlearned/b/0");
  EXPECT_EQ(reading.evidence.unlearned().size(), 2U);
  for (const Finding& finding : reading.findings) {
    EXPECT_FALSE(finding.file.starts_with("probed")) << testing::said(finding);
  }
}

TEST(Probed, MethodsThatAreLeftOutTakeTheirProbedModelsAlong) {
  const ProbedFolder folder;
  const Reading reading = load(folder.path(), ReadOptions{.methods = {"a"}});
  EXPECT_NE(find_probed(reading.evidence, "int8", "unlearned", "a"), nullptr);
  EXPECT_EQ(find_probed(reading.evidence, "int8", "unlearned", "b"), nullptr);
  EXPECT_NE(find_probed(reading.evidence, "int8", "retrained", ""), nullptr);
}

TEST(Probed, AModelWithoutItsOriginIsWarnedOf) {
  ProbedFolder folder;
  folder.put("probed/int8/unlearned/a/7/forget", folder.array("unlearned/a/0/forget"));
  folder.put("probed/int8/partial/25/0/forget", folder.array("unlearned/a/0/forget"));
  const Reading reading = read(folder.path());
  const auto found = [&](const std::string& code, const Reason& why) {
    return std::any_of(
        reading.findings.begin(), reading.findings.end(),
        [&](const Finding& finding) { return finding.code == code && finding.reason == why; });
  };
  EXPECT_TRUE(found("W-NOT-USED", reason(Code::recovery_without_model, "unlearned/a/7")));
  EXPECT_TRUE(found("W-NOT-READ", kPathsOfTests));
}

}  // namespace
}  // namespace vestige::evidence
