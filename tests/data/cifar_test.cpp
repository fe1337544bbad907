// CIFAR's binary records, written here.
#include <fmt/format.h>

#include "tests/data/loader_support.h"

namespace vestige {
namespace {

using testing::holds;
using testing::Labels;
using testing::load;
using testing::load_error;
using testing::put_file;
using testing::TemporaryFolder;

// Label bytes, then red, green and blue planes; the first and last pixel differ from the rest.
std::string record(const testing::Bytes& labels, std::uint8_t red, std::uint8_t green,
                   std::uint8_t blue) {
  std::string text = testing::text_of(labels);
  for (const std::uint8_t colour : {red, green, blue}) {
    text += std::string(1024, static_cast<char>(colour));
  }
  text[labels.size()] = 1;
  text.back() = 2;
  return text;
}

class Cifar10 : public ::testing::Test {
 protected:
  Cifar10() {
    for (std::uint8_t batch = 1; batch <= 5; ++batch) {
      put_file(folder / fmt::format("data_batch_{}.bin", batch),
               record({batch}, 10, batch, 30) + record({0}, 40, 50, 60));
    }
    put_file(folder / "test_batch.bin", record({9}, 70, 80, 90));
  }
  Json table() const { return {{"name", "cifar10"}, {"path", folder.path().string()}}; }
  TemporaryFolder folder;
};

TEST_F(Cifar10, ReadsBatchesInOrder) {
  const data::Dataset set = load(table());
  EXPECT_EQ(set.labels, (Labels{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 9}));
  EXPECT_EQ(set.train_rows, 10U);
  EXPECT_EQ(set.classes, 10);
  EXPECT_EQ(set.shape, (Labels{3, 32, 32}));
  EXPECT_TRUE(set.subclasses.empty());
  const std::size_t third = 4 * 3072;  // first record of data_batch_3
  EXPECT_EQ(set.bytes[third], 1);
  EXPECT_EQ(set.bytes[third + 1], 10);
  EXPECT_EQ(set.bytes[third + 1024], 3);
  EXPECT_EQ(set.bytes[third + 3070], 30);
  EXPECT_EQ(set.bytes[third + 3071], 2);
  EXPECT_EQ(set.mean, (std::vector<float>{0.4914F, 0.4822F, 0.4465F}));
  EXPECT_EQ(set.deviation, (std::vector<float>{0.2470F, 0.2435F, 0.2616F}));
}

TEST_F(Cifar10, MayBeNormalisedAsCifar100) {
  Json as_miau = table();
  as_miau["normalise"] = "cifar100";
  const data::Dataset set = load(as_miau);  // MIAU, A.5.3
  EXPECT_EQ(set.mean, (std::vector<float>{0.5071F, 0.4865F, 0.4409F}));
  EXPECT_EQ(set.deviation, (std::vector<float>{0.2673F, 0.2564F, 0.2762F}));
}

TEST_F(Cifar10, FindsTheArchivesFolderAndClassNames) {
  const std::string whole = load(table()).sha256;
  const TemporaryFolder above;
  std::filesystem::copy(folder.path(), above / "cifar-10-batches-bin");
  put_file(above / "cifar-10-batches-bin/batches.meta.txt",
           "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n");
  const data::Dataset set = load({{"name", "cifar10"}, {"path", above.path().string()}});
  EXPECT_EQ(set.sha256, whole);
  EXPECT_EQ(set.class_names.at(9), "truck");
}

TEST_F(Cifar10, BadFiles) {
  const std::string good = read_file(folder / "data_batch_2.bin");
  put_file(folder / "data_batch_2.bin", good.substr(0, good.size() - 1));
  EXPECT_TRUE(holds(load_error(table()), {"data_batch_2.bin", "6145 bytes", "3073", "truncated"}));
  put_file(folder / "data_batch_2.bin", "");
  EXPECT_TRUE(holds(load_error(table()), {"data_batch_2.bin", "0 bytes"}));
  put_file(folder / "data_batch_2.bin", record({10}, 1, 1, 1));
  EXPECT_TRUE(holds(load_error(table()), {"record 0", "data_batch_2.bin", "label 10", "0 to 9"}));
  std::filesystem::remove(folder / "data_batch_2.bin");
  EXPECT_TRUE(holds(load_error(table()), {"data_batch_2.bin does not exist", "Krizhevsky"}));
}

class Cifar100 : public ::testing::Test {
 protected:
  Cifar100() {
    put_file(folder / "train.bin", record({11, 19}, 1, 2, 3) + record({15, 29}, 4, 5, 6));
    put_file(folder / "test.bin", record({10, 49}, 7, 8, 9));
  }
  Json table(const char* name) const { return {{"name", name}, {"path", folder.path().string()}}; }
  TemporaryFolder folder;
};

TEST_F(Cifar100, FineLabels) {
  const data::Dataset set = load(table("cifar100"));
  EXPECT_EQ(set.labels, (Labels{19, 29, 49}));
  EXPECT_EQ(set.classes, 100);
  EXPECT_TRUE(set.subclasses.empty());
  EXPECT_EQ(set.bytes[3072 + 1], 4);
  EXPECT_EQ(set.mean, (std::vector<float>{0.5071F, 0.4865F, 0.4409F}));
}

TEST_F(Cifar100, CoarseLabelsWithFineOnesAsSubclasses) {
  const data::Dataset set = load(table("cifar20"));
  EXPECT_EQ(set.labels, (Labels{11, 15, 10}));
  EXPECT_EQ(set.subclasses, (Labels{19, 29, 49}));
  EXPECT_EQ(set.classes, 20);
  EXPECT_EQ(set.train_rows, 2U);
  EXPECT_EQ(set.bytes, load(table("cifar100")).bytes);
  EXPECT_NE(set.sha256, load(table("cifar100")).sha256);
}

TEST_F(Cifar100, BadLabelsAndNames) {
  put_file(folder / "fine_label_names.txt", "apple\nbaby\n");
  EXPECT_TRUE(holds(load_error(table("cifar100")), {"fine_label_names.txt", "2", "100"}));
  put_file(folder / "train.bin", record({20, 100}, 1, 2, 3));
  EXPECT_TRUE(holds(load_error(table("cifar20")), {"train.bin", "label 20", "0 to 19"}));
  EXPECT_TRUE(holds(load_error(table("cifar100")), {"train.bin", "label 100", "0 to 99"}));
  put_file(folder / "train.bin", record({2, 100}, 1, 2, 3));
  EXPECT_TRUE(holds(load_error(table("cifar20")), {"fine label 100"}));
}

}  // namespace
}  // namespace vestige
