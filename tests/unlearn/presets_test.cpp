// Every preset of every method must be readable, and be in force once it is named.
#include <gtest/gtest.h>

#include "vestige/unlearn/registry.h"

namespace vestige {
namespace {

TEST(Presets, AreReadAndInForce) {
  for (const unlearn::MethodInfo& method : unlearn::methods()) {
    for (const auto& [preset, values] : method.presets.items()) {
      const unlearn::MethodChoice choice =
          unlearn::read_choice({{"name", method.id}, {"preset", preset}}, "test");
      for (const auto& [key, value] : values.items()) {
        EXPECT_EQ(choice.options.at(key), value) << method.id << " " << preset << " " << key;
      }
    }
  }
}

}  // namespace
}  // namespace vestige
