// Paths of the evidence folder and the order of names.
#include "vestige/evidence/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/evidence/support.h"
#include "vestige/base/seed.h"

namespace vestige::evidence {
namespace {

Reason not_read(std::vector<std::string> paths) {
  return reason(Code::path_not_read, std::move(paths));
}

TEST(Layout, LabelsIdsAndSubjectsAreOneFilePerSplit) {
  EXPECT_EQ(place_of("labels/forget").part, Part::labels);
  EXPECT_EQ(place_of("labels/forget").split, "forget");
  EXPECT_EQ(place_of("ids/test").part, Part::ids);
  EXPECT_EQ(place_of("subjects/retain").part, Part::subjects);
  EXPECT_EQ(place_of("subclasses/retain").part, Part::subclasses);
  EXPECT_EQ(place_of("original/3/batches/retain").part, Part::batches);
  EXPECT_EQ(place_of("original/3/batches/retain").split, "retain");
  EXPECT_EQ(place_of("labels/a/b").part, Part::unknown);
  EXPECT_EQ(place_of("labels/a/b").why, not_read({"labels/SPLIT.npy"}));
  EXPECT_EQ(place_of("labels").part, Part::unknown);
}

TEST(Layout, OutputsOfRolesWithAndWithoutMethods) {
  const Place original = place_of("original/3/forget");
  EXPECT_EQ(original.part, Part::outputs);
  EXPECT_EQ(original.role, "original");
  EXPECT_EQ(original.method, "");
  EXPECT_EQ(original.name, "3");
  EXPECT_EQ(original.split, "forget");
  const Place unlearned = place_of("unlearned/finetune/3/retain");
  EXPECT_EQ(unlearned.method, "finetune");
  EXPECT_EQ(unlearned.name, "3");
  EXPECT_EQ(place_of("partial/25/0/forget").method, "25");
}

TEST(Layout, OneModelNeedsNoFolder) {
  EXPECT_EQ(place_of("original/forget").name, "0");
  EXPECT_EQ(place_of("original/forget").split, "forget");
  EXPECT_EQ(place_of("unlearned/ft/forget").name, "0");
  EXPECT_EQ(place_of("unlearned/ft/forget").method, "ft");
  const Place activations = place_of("original/activations/penultimate/forget");
  EXPECT_EQ(activations.part, Part::activations);
  EXPECT_EQ(activations.name, "0");
}

TEST(Layout, ActivationsSaliencyAndTokens) {
  const Place activations = place_of("unlearned/ft/0/activations/penultimate/forget");
  EXPECT_EQ(activations.part, Part::activations);
  EXPECT_EQ(activations.layer, "penultimate");
  EXPECT_EQ(activations.split, "forget");
  EXPECT_EQ(place_of("original/0/saliency/test").part, Part::saliency);
  EXPECT_EQ(place_of("original/0/tokens/forget.offsets").part, Part::tokens);
  EXPECT_EQ(place_of("original/0/tokens/forget.offsets").split, "forget.offsets");
}

TEST(Layout, CheckpointsMembersMapsAndPictures) {
  const Place checkpoint = place_of("checkpoint/graded.0.25/1/forget");
  EXPECT_EQ(checkpoint.part, Part::outputs);
  EXPECT_EQ(checkpoint.role, "checkpoint");
  EXPECT_EQ(checkpoint.method, "graded.0.25");
  EXPECT_EQ(checkpoint.name, "1");
  const Place members = place_of("membership/3/members/retain");
  EXPECT_EQ(members.part, Part::members);
  EXPECT_EQ(members.name, "3");
  EXPECT_EQ(members.split, "retain");
  EXPECT_EQ(place_of("unlearned/ft/grad_cam/forget").part, Part::grad_cam);
  EXPECT_EQ(place_of("unlearned/ft/grad_cam/forget").name, "0");
  EXPECT_EQ(place_of("pictures/forget").part, Part::pictures);
  EXPECT_EQ(place_of("pictures/forget/1").part, Part::unknown);
}

TEST(Layout, UnknownPathsSayWhatIsRead) {
  const Reason folders =
      not_read({"labels/", "ids/", "subjects/", "subclasses/", "pictures/", "digests/", "text/",
                "original/", "retrained/", "unlearned/", "partial/", "checkpoint/", "shadow/",
                "random/", "membership/", "verification/", "probed/"});
  EXPECT_EQ(place_of("orignal/0/forget").why, folders);
  EXPECT_EQ(place_of("samples").why, folders);
  EXPECT_EQ(place_of("unlearned/forget").why, not_read({"unlearned/METHOD/NAME/SPLIT.npy"}));
  EXPECT_EQ(place_of("original").why, not_read({"original/NAME/SPLIT.npy"}));
  const auto paths = std::get<std::vector<std::string>>(
      result::argument(place_of("original/0/1/2/forget").why, "paths"));
  EXPECT_EQ(paths.at(0), "MODEL/SPLIT.npy");
  EXPECT_EQ(place_of("original/0/activations/forget").part, Part::unknown);
  EXPECT_EQ(place_of("").part, Part::unknown);
  EXPECT_EQ(place_of("/").part, Part::unknown);
}

TEST(Layout, RolesAreReportedInTheirOrder) {
  std::vector<std::string> roles = {"random",    "shadow",    "partial",
                                    "unlearned", "retrained", "original"};
  std::sort(roles.begin(), roles.end(),
            [](const auto& a, const auto& b) { return role_order(a) < role_order(b); });
  EXPECT_EQ(roles, (std::vector<std::string>{"original", "retrained", "unlearned", "partial",
                                             "shadow", "random"}));
  EXPECT_GT(role_order("no such role"), role_order("random"));
  EXPECT_TRUE(has_methods("partial"));
  EXPECT_FALSE(has_methods("original"));
}

TEST(Layout, NumbersInNamesCountAsNumbers) {
  std::vector<std::string> names = {"10", "2", "run10b", "run2", "a", "", "007", "7", "08"};
  std::sort(names.begin(), names.end(), natural_less);
  EXPECT_EQ(names,
            (std::vector<std::string>{"", "2", "007", "7", "08", "10", "a", "run2", "run10b"}));
}

// A sort needs a strict weak order: never both ways, and transitive.
TEST(Layout, NaturalOrderIsAnOrder) {
  Stream stream(3, "names");
  const auto random_name = [&stream] {
    std::string name;
    for (std::uint64_t i = stream.below(6); i > 0; --i) name += "0012ab"[stream.below(6)];
    return name;
  };
  for (int trial = 0; trial < 20000; ++trial) {
    const std::string a = random_name(), b = random_name(), c = random_name();
    EXPECT_FALSE(natural_less(a, b) && natural_less(b, a)) << a << " " << b;
    if (a != b) {
      EXPECT_TRUE(natural_less(a, b) || natural_less(b, a)) << a << " " << b;
    }
    if (natural_less(a, b) && natural_less(b, c)) {
      EXPECT_TRUE(natural_less(a, c)) << a << " " << b << " " << c;
    }
  }
}

}  // namespace
}  // namespace vestige::evidence
