// Names, whole models only, and every way in which a model on disk can be wrong.
#include "vestige/pool/store.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <fstream>

#include "tests/pool/pool_support.h"
#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/pool/process.h"

namespace vestige::pool {
namespace {

namespace fs = std::filesystem;
using testing::identity;
using testing::product;
using vestige::testing::error_of;
using vestige::testing::holds;
using vestige::testing::TemporaryFolder;

class StoreTest : public ::testing::Test {
 protected:
  /// What has() says to a fresh process, and what it prints.
  bool has_afresh(const std::string& name) {
    ::testing::internal::CaptureStderr();
    const bool answer = Store(pool_).has(name);
    warning_ = ::testing::internal::GetCapturedStderr();
    return answer;
  }

  void flip_byte(const fs::path& path, std::streamoff offset) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(offset);
    const int byte = file.get();
    file.seekp(offset);
    file.put(static_cast<char>(byte ^ 1));
  }

  /// Damage was found, told in one line, and moved aside.
  void expect_set_aside(const std::string& reason) {
    EXPECT_FALSE(has_afresh(name_));
    EXPECT_TRUE(holds(warning_, {"vestige: warning: ", name_, reason, ".damaged.1"}));
    EXPECT_EQ(std::count(warning_.begin(), warning_.end(), '\n'), 1) << warning_;
    EXPECT_FALSE(fs::exists(pool_ / name_));
    EXPECT_TRUE(fs::exists(pool_ / (name_ + ".damaged.1")));
    // It can be made again.
    Store store(pool_);
    store.put(identity(1), product(1));
    EXPECT_TRUE(has_afresh(name_));
    EXPECT_EQ(warning_, "");
  }

  TemporaryFolder folder_;
  fs::path pool_ = folder_ / "pool";
  std::string name_ = identity(1).name();
  std::string warning_;
};

TEST(Identity, NameIsTheHashOfSortedSettings) {
  // printf '{"architecture":"mlp","seed":1}' | sha256sum | cut -c1-20
  EXPECT_EQ(identity(1).name(), "2a2a496086cffc1d5246");
  const Identity turned{"another label", {{"seed", 1}, {"architecture", "mlp"}}};
  EXPECT_EQ(turned.name(), identity(1).name());
  EXPECT_NE(identity(2).name(), identity(1).name());
}

TEST(Identity, NameSurvivesAFile) {
  // The store compares a name with what entry.json holds after a round trip through text.
  const Identity odd{"odd",
                     {{"z", {0.1, 1e-300, 1.0, -0.0, 1e22, 12345678901234567890ULL, -3}},
                      {"a", {{"y", nullptr}, {"b", "ü \"\\\n"}, {"nan", std::nan("")}}}}};
  EXPECT_EQ((Identity{"odd", Json::parse(odd.what.dump())}.name()), odd.name());
}

TEST(Identity, TextThatIsNotUtf8IsTheCallersFault) {
  const Identity bad{"original/0", {{"path", "\xff"}}};
  EXPECT_TRUE(holds(error_of([&] { bad.name(); }), {"original/0", "UTF-8"}));
}

TEST_F(StoreTest, PutHasRead) {
  Store store(pool_);
  EXPECT_FALSE(store.has(name_));
  store.put(identity(1), product(1));
  EXPECT_TRUE(store.has(name_));
  EXPECT_TRUE(has_afresh(name_));
  EXPECT_EQ(store.read(name_, "model.safetensors"), "weights of 1");
  const Entry entry = store.find(name_).value();
  EXPECT_EQ(entry.label, "original/1");
  EXPECT_EQ(entry.name, name_);
  EXPECT_EQ(entry.what, identity(1).what);
  EXPECT_EQ(entry.facts["seconds"], 0.1);
  EXPECT_EQ(entry.bytes, 12U + 3U);  // "weights of 1", "[1]"
  EXPECT_EQ(vestige::testing::listing(pool_),
            (std::vector<std::string>{name_, name_ + "/entry.json", name_ + "/history.json",
                                      name_ + "/model.safetensors"}));
}

TEST_F(StoreTest, AModelThatIsThereStays) {
  Store store(pool_);
  store.put(identity(1), product(1));
  Product other = product(1);
  other.files["model.safetensors"] = "made twice";
  store.put(identity(1), other);
  EXPECT_EQ(store.read(name_, "model.safetensors"), "weights of 1");
  EXPECT_EQ(vestige::testing::listing(pool_).size(), 4U);
}

TEST_F(StoreTest, MissingModelAndFile) {
  Store store(pool_);
  EXPECT_TRUE(holds(error_of([&] { store.read(name_, "x"); }), {name_, "train it first"}));
  EXPECT_FALSE(store.find(name_).has_value());
  store.put(identity(1), product(1));
  EXPECT_TRUE(holds(error_of([&] { store.read(name_, "x"); }), {name_, "no file x"}));
}

// A reader must not take a damaged model for one that was not made yet: it is told which file is
// wrong and what to delete, and nothing is moved.
TEST_F(StoreTest, ADamagedModelIsNotAMissingOne) {
  const std::string entry = name_ + "/entry.json";
  const std::string weights = name_ + "/model.safetensors";
  const auto problem = [&](const auto& damage) {
    fs::remove_all(pool_);
    Store(pool_).put(identity(1), product(1));
    damage();
    const auto before = vestige::testing::listing(pool_);
    const std::string error = error_of([&] { (void)Store(pool_).find(name_); });
    EXPECT_EQ(vestige::testing::listing(pool_), before);
    return error;
  };
  const std::string remedy = "delete the folder " + (pool_ / name_).string();
  EXPECT_TRUE(holds(problem([&] { fs::resize_file(pool_ / weights, 5); }),
                    {(pool_ / weights).string(), "5 bytes instead of 12", remedy}));
  EXPECT_TRUE(holds(problem([&] { fs::remove(pool_ / weights); }),
                    {(pool_ / weights).string(), "No such file", remedy}));
  EXPECT_TRUE(holds(problem([&] { fs::resize_file(pool_ / entry, 20); }),
                    {(pool_ / entry).string(), "not whole", remedy}));
  EXPECT_TRUE(holds(problem([&] { fs::remove(pool_ / entry); }),
                    {(pool_ / entry).string(), "No such file", remedy}));
  EXPECT_TRUE(holds(problem([&] {
                      Json changed = Json::parse(read_file(pool_ / entry));
                      changed.erase("facts");
                      write_file(pool_ / entry, changed.dump());
                    }),
                    {(pool_ / entry).string(), "lacks a part", remedy}));
}

TEST_F(StoreTest, OneFlippedByte) {
  Store(pool_).put(identity(1), product(1));
  flip_byte(pool_ / name_ / "model.safetensors", 3);
  expect_set_aside("checksum of model.safetensors");
}

TEST_F(StoreTest, ReadVerifiesEvenWhatWasFoundSound) {
  Store store(pool_);
  store.put(identity(1), product(1));
  EXPECT_TRUE(store.has(name_));
  flip_byte(pool_ / name_ / "model.safetensors", 3);
  EXPECT_TRUE(holds(error_of([&] { store.read(name_, "model.safetensors"); }),
                    {name_, "checksum of model.safetensors"}));
  // And has() looks again from then on.
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(store.has(name_));
  EXPECT_NE(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(StoreTest, TruncatedFile) {
  Store(pool_).put(identity(1), product(1));
  fs::resize_file(pool_ / name_ / "model.safetensors", 5);
  expect_set_aside("5 bytes instead of 12");
}

TEST_F(StoreTest, MissingFile) {
  Store(pool_).put(identity(1), product(1));
  fs::remove(pool_ / name_ / "history.json");
  expect_set_aside("history.json");
}

TEST_F(StoreTest, TruncatedEntry) {
  Store(pool_).put(identity(1), product(1));
  const fs::path entry = pool_ / name_ / "entry.json";
  fs::resize_file(entry, fs::file_size(entry) / 2);
  expect_set_aside("entry.json is not whole");
}

TEST_F(StoreTest, EveryTruncationAndOddEntryIsFound) {
  Store(pool_).put(identity(1), product(1));
  const fs::path path = pool_ / name_ / "entry.json";
  const std::string whole = read_file(path);
  for (std::size_t length = 0; length + 2 < whole.size(); length += 41) {
    Store(pool_).put(identity(1), product(1));
    write_file(path, whole.substr(0, length));
    EXPECT_FALSE(has_afresh(name_)) << length;
  }
  const auto with = [&](const char* key, const Json& value) {
    Json json = Json::parse(whole);
    json[key] = value;
    return json.dump();
  };
  for (const std::string& text :
       {with("schema", 99), with("files", 3), with("what", "x"), with("label", 1),
        with("name", nullptr), with("files", {{"../x", {{"bytes", 1}, {"sha256", ""}}}}),
        with("files", {{"model.safetensors", {{"bytes", -1}, {"sha256", ""}}}}), std::string("[]"),
        std::string("{\"schema\": 1, \"label\": \"\xff\"}")}) {
    Store(pool_).put(identity(1), product(1));
    write_file(path, text);
    EXPECT_FALSE(has_afresh(name_)) << text;
    EXPECT_NE(warning_, "") << text;
  }
}

TEST_F(StoreTest, ForeignEntry) {
  // A model under the name of another, bytes in order.
  Store(pool_).put(identity(2), product(2));
  fs::rename(pool_ / identity(2).name(), pool_ / name_);
  expect_set_aside("describes another model");
}

TEST_F(StoreTest, AFileInTheWay) {
  fs::create_directories(pool_);
  write_file(pool_ / name_, "not a folder");
  expect_set_aside("entry.json");
}

TEST_F(StoreTest, HalfWrittenFolderIsIgnoredAndSweptOnceItsProcessIsDead) {
  Store store(pool_);
  const std::string dead = fmt::format(".tmp.{}.{}.{}.0", name_, machine(), testing::dead_pid());
  const std::string own = fmt::format(".tmp.{}.{}.{}.99", name_, machine(), ::getpid());
  const std::string alive = fmt::format(".tmp.{}.{}.{}.0", name_, machine(), ::getppid());
  const std::string far = fmt::format(".tmp.{}.other.host-1.1.0", name_);
  const std::string far_old = fmt::format(".tmp.{}.other.host-1.2.0", name_);
  for (const std::string& half : {dead, own, alive, far, far_old}) {
    fs::create_directories(pool_ / half);
    write_file(pool_ / half / "model.safetensors", "wei");
  }
  fs::last_write_time(pool_ / far_old, fs::file_time_type::clock::now() - std::chrono::minutes(61));
  EXPECT_FALSE(store.has(name_));
  EXPECT_TRUE(store.entries().empty());
  remove_leftovers(pool_);
  EXPECT_FALSE(fs::exists(pool_ / dead));
  EXPECT_FALSE(fs::exists(pool_ / far_old));
  EXPECT_TRUE(fs::exists(pool_ / own));
  EXPECT_TRUE(fs::exists(pool_ / alive));
  EXPECT_TRUE(fs::exists(pool_ / far));
}

TEST_F(StoreTest, EntriesAreSortedAndUnreadableOnesLeftOut) {
  Store store(pool_);
  for (const int seed : {3, 1, 2}) store.put(identity(seed), product(seed));
  write_file(pool_ / identity(2).name() / "entry.json", "{");
  ::testing::internal::CaptureStderr();
  const std::vector<Entry> entries = store.entries();
  EXPECT_TRUE(holds(::testing::internal::GetCapturedStderr(), {"warning", identity(2).name()}));
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].label, "original/1");
  EXPECT_EQ(entries[1].label, "original/3");
}

TEST_F(StoreTest, PlaceThatCannotBeWritten) {
  write_file(folder_ / "file", "");
  // Below a file, and in a file system without files to make: both refuse root too.
  for (const fs::path& place : {folder_ / "file/pool", fs::path("/proc/vestige")}) {
    Store store(place);
    EXPECT_FALSE(store.has(name_));
    EXPECT_TRUE(holds(error_of([&] { store.put(identity(1), product(1)); }),
                      {"original/1", place.string(), "finished models are kept"}));
  }
}

TEST_F(StoreTest, FileSizeLimitLeavesNothingBehind) {
  Store(pool_).put(identity(1), product(1));
  const std::string result = vestige::testing::in_child([this]() -> std::string {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{2000, 2000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Store store(pool_);
    Product big = product(2);
    big.files["model.safetensors"] = std::string(5000, 'x');
    try {
      store.put(identity(2), big);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  });
  EXPECT_TRUE(holds(result, {"original/2 was not kept", "File too large"}));
  EXPECT_EQ(vestige::testing::listing(pool_).size(), 4U);
  EXPECT_TRUE(has_afresh(name_));
}

TEST_F(StoreTest, FullDiskLeavesNothingBehind) {
  fs::create_directories(pool_);
  if (::mount("none", pool_.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "no right to mount a small file system";
  }
  {
    Store store(pool_);
    store.put(identity(1), product(1));
    Product big = product(2);
    big.files["model.safetensors"] = std::string(100000, 'x');
    EXPECT_TRUE(holds(error_of([&] { store.put(identity(2), big); }),
                      {"original/2 was not kept", "No space left"}));
    EXPECT_EQ(vestige::testing::listing(pool_).size(), 4U);
    EXPECT_TRUE(has_afresh(name_));
  }
  ::umount(pool_.c_str());
}

}  // namespace
}  // namespace vestige::pool
