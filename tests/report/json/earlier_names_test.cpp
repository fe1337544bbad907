// Keys of results.json before schema 3, and of the key file of an experiment's folder.
#include "vestige/report/json/earlier_names.h"

#include <gtest/gtest.h>

namespace vestige::report {
namespace {

TEST(EarlierNames, AreReplacedAtAnyDepth) {
  Json json = {{"arms", {{"a-0", {{"seed", 1}}}}},
               {"methods", {{{"arm", "a"}, {"method", "arm"}}}},
               {"metrics", {{{"arms", {"a"}}, {"failed_arms", {"b"}}}}},
               {"checks", {{{"over", "arm"}, {"finding", "arm"}}}}};
  use_present_names(json);
  EXPECT_EQ(json, (Json{{"variants", {{"a-0", {{"seed", 1}}}}},
                        {"methods", {{{"variant", "a"}, {"method", "arm"}}}},
                        {"metrics", {{{"variants", {"a"}}, {"failed_variants", {"b"}}}}},
                        {"checks", {{{"over", "variant"}, {"finding", "arm"}}}}}));
}

TEST(EarlierNames, OfSettingsAndFacts) {
  Json json = {{"settings", {{"probe", "int8"}}},
               {"facts", {{"room", 0.5}, {"rows_a_side", 3}, {"test", {{"room", 1}}}}},
               {"room", 2}};
  use_present_names(json);
  EXPECT_EQ(json, (Json{{"settings", {{"recovery_test", "int8"}}},
                        {"facts",
                         {{"original_retrained_difference", 0.5},
                          {"examples_per_group", 3},
                          {"test", {{"room", 1}}}}},
                        {"room", 2}}));
}

TEST(EarlierNames, OfControls) {
  Json json = {{"results",
                {{{"control", "collapsed"}, {"subject", {{"role", "collapsed"}}}},
                 {{"control", "floor"}, {"model", "retrained/0"}},
                 {{"control", "collapsed"}, {"model", "collapsed/0"}}}},
               {"methods",
                {{{"control", true}, {"role", "collapsed"}, {"method", "collapsed"}},
                 {{"control", true}, {"role", "ceiling"}, {"method", "original"}},
                 {{"control", false}, {"role", ""}, {"method", "collapsed"}}}}};
  use_present_names(json);
  EXPECT_EQ(json,
            (Json{{"results",
                   {{{"control", "constant"}, {"subject", {{"role", "constant_predictor"}}}},
                    {{"control", "retrained"}, {"model", "retrained/0"}},
                    {{"control", "constant"}, {"model", "constant_predictor/0"}}}},
                  {"methods",
                   {{{"control", true}, {"role", "constant"}, {"method", "constant_predictor"}},
                    {{"control", true}, {"role", "original"}, {"method", "original"}},
                    {{"control", false}, {"role", ""}, {"method", "collapsed"}}}}}));
}

}  // namespace
}  // namespace vestige::report
