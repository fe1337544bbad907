// Models that do not fit into memory together; the memory is a number here.
#include "vestige/train/memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <new>
#include <stdexcept>
#include <string>

#include "tests/support.h"
#include "vestige/base/error.h"

namespace vestige::train {
namespace {

/// Trains `room` models at most in one graph, and notes which graphs it was asked for.
struct Device {
  std::size_t room;
  std::vector<std::pair<std::size_t, std::size_t>> asked = {};

  std::vector<pool::Product> operator()(std::size_t first, std::size_t count) {
    asked.emplace_back(first, count);
    if (count > room) throw std::runtime_error("CUDA out of memory. Tried to allocate 2.00 GiB");
    std::vector<pool::Product> products(count);
    for (std::size_t copy = 0; copy < count; ++copy) {
      products[copy].files["model.safetensors"] = std::to_string(first + copy);
      products[copy].facts = Json::object();
    }
    return products;
  }
};

std::vector<pool::Product> made_by(Device& device, std::size_t count) {
  return make_within_memory(
      count, [&](std::size_t first, std::size_t size) { return device(first, size); });
}

TEST(Memory, HalvesUntilItFitsAndLosesNoModel) {
  Device device{.room = 3};
  ::testing::internal::CaptureStderr();
  const auto products = made_by(device, 10);
  const std::string said = ::testing::internal::GetCapturedStderr();
  // 10 and 5 are too many; 3 at a time are four graphs, the last with one model.
  const std::vector<std::pair<std::size_t, std::size_t>> expected = {{0, 10}, {0, 5}, {0, 3},
                                                                     {3, 3},  {6, 3}, {9, 1}};
  EXPECT_EQ(device.asked, expected);
  ASSERT_EQ(products.size(), 10U);
  for (std::size_t model = 0; model < 10; ++model) {
    EXPECT_EQ(products[model].files.at("model.safetensors"), std::to_string(model));
    EXPECT_EQ(products[model].facts.at("graph"), 3);
  }
  EXPECT_NE(said.find("for 10 models in one graph: trying 3 at a time"), std::string::npos) << said;
}

TEST(Memory, LeavesAloneWhatFitsAndWhatIsNotAboutMemory) {
  Device large{.room = 64};
  const auto products = made_by(large, 4);
  EXPECT_EQ(large.asked.size(), 1U);
  EXPECT_FALSE(products.front().facts.contains("graph"));
  Device none{.room = 0};
  EXPECT_THROW(made_by(none, 1), std::runtime_error);
  EXPECT_EQ(none.asked.size(), 1U);
  int calls = 0;
  const MakeGroup wrong = [&](std::size_t, std::size_t) -> std::vector<pool::Product> {
    ++calls;
    throw InputError("a rate that is too large");
  };
  EXPECT_THROW(make_within_memory(8, wrong), InputError);
  EXPECT_EQ(calls, 1);
}

TEST(Memory, BeginsWithFewerWhereAskedTo) {
  Device device{.room = 2};
  const auto products = make_within_memory(
      4, [&](std::size_t first, std::size_t size) { return device(first, size); }, 2);
  const std::vector<std::pair<std::size_t, std::size_t>> expected = {{0, 2}, {2, 2}};
  EXPECT_EQ(device.asked, expected);
  EXPECT_EQ(products.at(3).facts.at("graph"), 2);
  // As many as there are, or more, is what it does anyway.
  Device large{.room = 64};
  EXPECT_FALSE(make_within_memory(
                   4, [&](std::size_t first, std::size_t size) { return large(first, size); }, 8)
                   .front()
                   .facts.contains("graph"));
}

/// Bytes of address space that this process has.
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// A real limit: 300 MB more than now, where each model takes 100.
TEST(Memory, RefusedAllocationsHalveTheGraph) {
  const std::string result = vestige::testing::in_child([]() -> std::string {
    const rlimit limit{address_space() + 300'000'000, RLIM_INFINITY};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) return "no limit";
    std::string sizes;
    const auto made = make_within_memory(8, [&](std::size_t, std::size_t count) {
      sizes += std::to_string(count) + " ";
      const std::vector<char> held(count * 100'000'000);
      return std::vector<pool::Product>(held.empty() ? 0 : count);
    });
    return sizes + "made " + std::to_string(made.size());
  });
  EXPECT_EQ(result, "8 4 2 2 2 2 made 8");
}

TEST(Memory, KnowsTheWordsOfBothAllocators) {
  EXPECT_TRUE(lacks_memory(std::bad_alloc()));
  EXPECT_TRUE(lacks_memory(std::runtime_error(
      "[enforce fail at alloc_cpu.cpp:66] . DefaultCPUAllocator: can't allocate memory: you tried "
      "to allocate 8 bytes. Error code 12 (Cannot allocate memory)")));
  EXPECT_FALSE(lacks_memory(std::runtime_error("device-side assert triggered")));
}

}  // namespace
}  // namespace vestige::train
