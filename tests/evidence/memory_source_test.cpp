// Evidence in memory is read, checked and hashed like the folder that it would be saved as.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/evidence/reader.h"
#include "vestige/evidence/source.h"

namespace vestige::evidence {
namespace {

std::map<std::string, Array> small_arrays() {
  return {{"labels/forget", Array::from_integers({0, 1, 1}, {3})},
          {"original/0/forget", Array::from_doubles({2, 0.1, 0.3, 1.4, 0.2, 0.9}, {3, 2})},
          {"retrained/0/forget", Array::from_doubles({1, 0.2, 0.4, 1.1, 0.6, 0.5}, {3, 2})}};
}

TEST(MemorySource, GivesTheReadingOfTheSavedFolder) {
  const std::map<std::string, std::string> files{{"evidence.toml", "notes = \"by hand\"\n"}};
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "vestige_memory_source_test";
  std::filesystem::remove_all(folder);
  for (const auto& [key, array] : small_arrays()) {
    std::filesystem::create_directories((folder / key).parent_path());
    write_file(folder / (key + ".npy"), write_npy(array));
  }
  write_file(folder / "evidence.toml", files.at("evidence.toml"));

  const ReadOptions options{.with_hashes = true};
  const Reading memory = read(memory_source("by hand", small_arrays(), files), options);
  const Reading disk = read(folder, options);
  EXPECT_EQ(memory.evidence.path, "by hand");
  EXPECT_EQ(memory.evidence.notes, "by hand");
  ASSERT_EQ(memory.evidence.inputs.size(), 4U);
  for (std::size_t place = 0; place < 4; ++place) {
    EXPECT_EQ(memory.evidence.inputs[place].path, disk.evidence.inputs[place].path);
    EXPECT_EQ(memory.evidence.inputs[place].sha256, disk.evidence.inputs[place].sha256);
    EXPECT_EQ(memory.evidence.inputs[place].sha256.size(), 64U);
  }
  EXPECT_EQ(memory.findings.size(), disk.findings.size());
  EXPECT_EQ(memory.evidence.find("original")->models[0].outputs.at("forget").doubles(),
            small_arrays().at("original/0/forget").doubles());
  std::filesystem::remove_all(folder);
}

TEST(MemorySource, RefusesWhatIsEmptyOrDoesNotFit) {
  EXPECT_THROW(memory_source("nothing", {}, {}), InputError);
  std::map<std::string, Array> arrays = small_arrays();
  arrays["labels/forget"] = Array::from_integers({0, 1}, {2});
  try {
    load(memory_source("by hand", arrays, {}), {});
    FAIL() << "two labels for three rows were accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("original/0/forget.npy"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace vestige::evidence
