// Weights in the layouts of torchvision and timm: names and shapes as these libraries have them,
// put into files by our own writer, and what a network then holds and says.
#include "vestige/models/weights/pretrained.h"

#include <gtest/gtest.h>

#include "tests/models/support.h"
#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/models/weights/safetensors.h"

namespace vestige::models {
namespace {

using testing::inputs;
using testing::largest_difference;
using testing::network;
using vestige::testing::error_of;
using vestige::testing::holds;
using vestige::testing::TemporaryFolder;

using Published = std::map<std::string, torch::Tensor>;

torch::Tensor filled(const std::vector<std::int64_t>& shape, std::uint64_t seed) {
  torch::Tensor values = torch::empty(shape, torch::kFloat32);
  Stream stream(seed, "pretrained test");
  for (std::int64_t place = 0; place < values.numel(); ++place) {
    values.data_ptr<float>()[place] = static_cast<float>(0.1 * stream.uniform());
  }
  return values;
}

void add_norm(Published& all, const std::string& name, std::int64_t channels) {
  for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
    all[name + "." + part] = filled({channels}, all.size());
  }
  all[name + ".num_batches_tracked"] = torch::zeros({}, torch::kInt64);
}

/// torchvision.models.resnet18(), 34 and 50, and timm.create_model() of them: the same names.
Published published_resnet(const std::vector<int>& blocks, bool bottleneck, std::int64_t classes) {
  Published all;
  all["conv1.weight"] = filled({64, 3, 7, 7}, 1);
  add_norm(all, "bn1", 64);
  std::int64_t in = 64;
  const std::int64_t widths[] = {64, 128, 256, 512};
  const auto add = [&](const std::string& block, int place, std::int64_t from, std::int64_t to,
                       std::int64_t kernel) {
    all[fmt::format("{}.conv{}.weight", block, place)] =
        filled({to, from, kernel, kernel}, all.size());
    add_norm(all, fmt::format("{}.bn{}", block, place), to);
  };
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const std::int64_t width = widths[stage];
    const std::int64_t out = bottleneck ? 4 * width : width;
    for (int block = 0; block < blocks[stage]; ++block) {
      const std::string name = fmt::format("layer{}.{}", stage + 1, block);
      add(name, 1, in, width, bottleneck ? 1 : 3);
      add(name, 2, width, width, 3);
      if (bottleneck) add(name, 3, width, out, 1);
      if (block == 0 && in != out) {
        all[name + ".downsample.0.weight"] = filled({out, in, 1, 1}, all.size());
        add_norm(all, name + ".downsample.1", out);
      }
      in = out;
    }
  }
  all["fc.weight"] = filled({classes, in}, all.size());
  all["fc.bias"] = filled({classes}, all.size());
  return all;
}

Published published_resnet18(std::int64_t classes) {
  return published_resnet({2, 2, 2, 2}, false, classes);
}

enum class Layout { torchvision, torchvision_old, timm };

/// torchvision's vit_b_16 and timm's vit_base_patch16_224 (and their smaller sisters).
Published published_vit(Layout layout, std::int64_t dim, std::int64_t depth, std::int64_t patch,
                        std::int64_t tokens, std::int64_t classes) {
  const bool timm = layout == Layout::timm;
  const bool old = layout == Layout::torchvision_old;
  Published all;
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    all[name] = filled(shape, all.size());
  };
  const auto add_both = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    add(name + ".weight", shape);
    add(name + ".bias", {shape[0]});
  };
  add(timm ? "cls_token" : "class_token", {1, 1, dim});
  add(timm ? "pos_embed" : "encoder.pos_embedding", {1, tokens + 1, dim});
  add_both(timm ? "patch_embed.proj" : "conv_proj", {dim, 3, patch, patch});
  for (std::int64_t block = 0; block < depth; ++block) {
    const std::string name = timm ? fmt::format("blocks.{}.", block)
                                  : fmt::format("encoder.layers.encoder_layer_{}.", block);
    add_both(name + (timm ? "norm1" : "ln_1"), {dim});
    add_both(name + (timm ? "norm2" : "ln_2"), {dim});
    if (timm) {
      add_both(name + "attn.qkv", {3 * dim, dim});
    } else {
      add(name + "self_attention.in_proj_weight", {3 * dim, dim});
      add(name + "self_attention.in_proj_bias", {3 * dim});
    }
    add_both(name + (timm ? "attn.proj" : "self_attention.out_proj"), {dim, dim});
    add_both(name + (timm ? "mlp.fc1" : old ? "mlp.linear_1" : "mlp.0"), {4 * dim, dim});
    add_both(name + (timm ? "mlp.fc2" : old ? "mlp.linear_2" : "mlp.3"), {dim, 4 * dim});
  }
  add_both(timm ? "norm" : "encoder.ln", {dim});
  add_both(timm ? "head" : "heads.head", {classes, dim});
  return all;
}

/// transformers.ViTForImageClassification ("google/vit-base-patch16-224" has dim 768, depth 12).
Published published_hugging_face(std::int64_t dim, std::int64_t depth, std::int64_t tokens,
                                 std::int64_t patch, std::int64_t classes) {
  Published all;
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    all[name] = filled(shape, all.size());
  };
  const auto add_both = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    add(name + ".weight", shape);
    add(name + ".bias", {shape[0]});
  };
  add("vit.embeddings.cls_token", {1, 1, dim});
  add("vit.embeddings.position_embeddings", {1, tokens + 1, dim});
  add_both("vit.embeddings.patch_embeddings.projection", {dim, 3, patch, patch});
  for (std::int64_t block = 0; block < depth; ++block) {
    const std::string name = fmt::format("vit.encoder.layer.{}.", block);
    for (const char* part : {"query", "key", "value"}) {
      add_both(name + "attention.attention." + part, {dim, dim});
    }
    add_both(name + "attention.output.dense", {dim, dim});
    add_both(name + "intermediate.dense", {4 * dim, dim});
    add_both(name + "output.dense", {dim, 4 * dim});
    add_both(name + "layernorm_before", {dim});
    add_both(name + "layernorm_after", {dim});
  }
  add_both("vit.layernorm", {dim});
  add_both("classifier", {classes, dim});
  return all;
}

class PretrainedTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const Published& tensors) {
    const auto path = folder_ / name;
    write_file(path, to_safetensors(tensors));
    return path.string();
  }
  TemporaryFolder folder_;
};

const Shape kImages{.input = {3, 64, 64}, .classes = 10};

TEST_F(PretrainedTest, ResNet18HasEveryTensorWhereItBelongs) {
  const Published published = published_resnet18(10);
  EXPECT_EQ(published.size(), 122U);  // len(torchvision.models.resnet18().state_dict())
  const NetworkPointer made =
      network("resnet18", {5}, kImages,
              {{"stem", "imagenet"}, {"weights", file("resnet18.safetensors", published)}});
  const auto tensors = from_safetensors(save(*made, 0), "made");
  EXPECT_EQ(tensors.size(), 102U);  // without the 20 counters
  const std::map<std::string, std::string> pairs = {
      {"stem.conv.weight", "conv1.weight"},
      {"stem.norm.running_var", "bn1.running_var"},
      {"block1_2.conv1.conv.weight", "layer1.1.conv1.weight"},
      {"block3_1.conv2.norm.bias", "layer3.0.bn2.bias"},
      {"block4_1.shortcut.conv.weight", "layer4.0.downsample.0.weight"},
      {"block4_1.shortcut.norm.running_mean", "layer4.0.downsample.1.running_mean"},
      {"output.weight", "fc.weight"},
      {"output.bias", "fc.bias"}};
  for (const auto& [ours, theirs] : pairs) {
    EXPECT_TRUE(torch::equal(tensors.at(ours), published.at(theirs))) << ours;
  }
}

TEST_F(PretrainedTest, ResNet34And50HaveEveryTensorWhereItBelongs) {
  // len(torchvision.models.resnet34().state_dict()) is 218, of which 36 are counters: 33
  // convolutions of blocks and stem and 3 shortcuts have a norm each; resnet50 has 320 with 53.
  for (const bool bottleneck : {false, true}) {
    const Published published = published_resnet({3, 4, 6, 3}, bottleneck, 10);
    EXPECT_EQ(published.size(), bottleneck ? 320U : 218U);
    const NetworkPointer made =
        network(bottleneck ? "resnet50" : "resnet34", {5}, kImages,
                {{"stem", "imagenet"}, {"weights", file("published.safetensors", published)}});
    const auto tensors = from_safetensors(save(*made, 0), "made");
    EXPECT_EQ(tensors.size(), bottleneck ? 267U : 182U);
    std::map<std::string, std::string> pairs = {
        {"block3_6.conv2.conv.weight", "layer3.5.conv2.weight"},
        {"block4_1.shortcut.norm.running_mean", "layer4.0.downsample.1.running_mean"},
        {"output.weight", "fc.weight"}};
    if (bottleneck) {
      pairs["block1_1.shortcut.conv.weight"] = "layer1.0.downsample.0.weight";
      pairs["block2_4.conv3.norm.running_var"] = "layer2.3.bn3.running_var";
      pairs["block2_4.conv3.conv.weight"] = "layer2.3.conv3.weight";
    }
    for (const auto& [ours, theirs] : pairs) {
      EXPECT_TRUE(torch::equal(tensors.at(ours), published.at(theirs))) << ours;
    }
  }
}

TEST_F(PretrainedTest, AHeadForOtherClassesIsDrawnAfreshAndSaidOnce) {
  const std::string path = file("imagenet.safetensors", published_resnet18(1000));
  ::testing::internal::CaptureStderr();
  const Json settings = {{"stem", "imagenet"}, {"weights", path}};
  const NetworkPointer made = network("resnet18", {5, 6}, kImages, settings);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(holds(said, {path, "10 classes", "drawn"}));
  EXPECT_EQ(said.find("drawn"), said.rfind("drawn"));
  // The head is that of a network without weights, the rest is the file's in both copies.
  const NetworkPointer fresh = network("resnet18", {5, 6}, kImages, {{"stem", "imagenet"}});
  EXPECT_TRUE(torch::equal(made->named_parameters()["output.weight"],
                           fresh->named_parameters()["output.weight"]));
  const torch::Tensor stem = made->named_parameters()["stem.conv.weight"];
  EXPECT_TRUE(torch::equal(stem[0], stem[1]));
  EXPECT_FALSE(torch::equal(stem, fresh->named_parameters()["stem.conv.weight"]));
}

TEST_F(PretrainedTest, LayoutsOfOneVitSayTheSame) {
  // The same numbers under three sets of names are the same network.
  const Json sizes = {{"dim", 24}, {"depth", 2}, {"heads", 3}, {"patch", 16}, {"epsilon", 1e-6}};
  std::vector<torch::Tensor> logits;
  const Published timm = published_vit(Layout::timm, 24, 2, 16, 16, 10);
  for (const Layout layout : {Layout::timm, Layout::torchvision, Layout::torchvision_old}) {
    Published named;
    for (const auto& [name, tensor] : published_vit(layout, 24, 2, 16, 16, 10)) {
      const std::string own = own_name("vit", name, "test");
      for (const auto& [other, value] : timm) {
        if (own_name("vit", other, "test") == own) named[name] = value;
      }
    }
    ASSERT_EQ(named.size(), timm.size());
    Json settings = sizes;
    settings["weights"] = file(fmt::format("{}.safetensors", logits.size()), named);
    logits.push_back(network("vit", {1}, kImages, settings)->forward(inputs(1, 2, kImages)));
  }
  EXPECT_EQ(largest_difference(logits[0], logits[1]), 0);
  EXPECT_EQ(largest_difference(logits[0], logits[2]), 0);
}

TEST_F(PretrainedTest, HuggingFacesVitIsTimmsWithQueriesKeysAndValuesJoined) {
  const std::int64_t dim = 24;
  const Published theirs = published_hugging_face(dim, 2, 16, 16, 10);
  // 200 tensors: len(ViTForImageClassification.from_pretrained(...).state_dict()) of 12 blocks.
  EXPECT_EQ(published_hugging_face(4, 12, 4, 2, 3).size(), 200U);
  Published timm = published_vit(Layout::timm, dim, 2, 16, 16, 10);
  for (auto& [name, tensor] : timm) {
    const std::string own = own_name("vit", name, "test");
    std::vector<torch::Tensor> parts;
    for (const char* part : {"", "#0", "#1", "#2"}) {
      for (const auto& [other, value] : theirs) {
        if (own_name("vit", other, "test") == own + part) parts.push_back(value);
      }
    }
    ASSERT_TRUE(parts.size() == 1 || parts.size() == 3) << name;
    tensor = torch::cat(parts).view(tensor.sizes());
  }
  Json settings = {{"dim", dim}, {"depth", 2}, {"heads", 3}, {"patch", 16}};
  settings["weights"] = file("timm.safetensors", timm);
  const torch::Tensor expected =
      network("vit", {1}, kImages, settings)->forward(inputs(1, 2, kImages));
  Published with_pooler = theirs;
  with_pooler["vit.pooler.dense.weight"] = filled({dim, dim}, 1);
  settings["weights"] = file("face.safetensors", with_pooler);
  const torch::Tensor logits =
      network("vit", {1}, kImages, settings)->forward(inputs(1, 2, kImages));
  EXPECT_EQ(largest_difference(logits, expected), 0);

  Published broken = theirs;
  broken.erase("vit.encoder.layer.1.attention.attention.key.bias");
  settings["weights"] = file("broken.safetensors", broken);
  EXPECT_TRUE(holds(error_of([&] { (void)network("vit", {1}, kImages, settings); }),
                    {"broken.safetensors", "block2.attention.qkv.bias", "keys or values"}));
}

TEST_F(PretrainedTest, PublishedSizesOfVitTakeTheirWeights) {
  // timm's vit_tiny_patch16_224: 5,717,416 parameters with 1000 classes.
  const Shape images{.input = {3, 32, 32}, .classes = 10};
  const std::string tiny =
      file("tiny.safetensors", published_vit(Layout::timm, 192, 12, 16, 196, 10));
  const NetworkPointer made = network("vit", {1}, images, {{"size", "tiny"}, {"weights", tiny}});
  EXPECT_EQ(parameter_count(*made), 5717416 - 990 * 193);
  // Our own half of it does not, and the refusal names the way out.
  EXPECT_TRUE(holds(error_of([&] {
                      Options options(
                          {{"name", "vit"}, {"patch", 16}, {"resize", 224}, {"weights", tiny}},
                          "r.toml: [model]");
                      (void)make(options, images);
                    }),
                    {"tiny.safetensors", "another architecture or size", "size = \"tiny\""}));
}

TEST_F(PretrainedTest, VitB16IsExpressible) {
  // 86,567,656 parameters with 1000 classes: torchvision's vit_b_16.
  Options options({{"name", "vit"}, {"size", "base"}}, "test");
  const NetworkPointer made = make(options, {.input = {3, 32, 32}, .classes = 1000});
  EXPECT_EQ(parameter_count(*made), 86567656);
  const auto parameters = made->named_parameters();
  EXPECT_EQ(parameters["embedding.positions"].sizes(), (std::vector<std::int64_t>{1, 197, 768}));
}

TEST_F(PretrainedTest, OurOwnCheckpointsServeEveryArchitecture) {
  for (const char* name : {"small_cnn", "mlp", "mobilenet_v2"}) {
    const NetworkPointer before = network(name, {3});
    const auto path = folder_ / (std::string(name) + ".safetensors");
    write_file(path, save(*before, 0));
    const Json settings = {{"weights", path.string()}};
    EXPECT_EQ(save(*network(name, {4}, testing::kTinyImages, settings), 0), save(*before, 0));
    // Another number of classes: all but the last layer.
    const Shape fewer{.input = {3, 32, 32}, .classes = 4};
    const auto made = from_safetensors(save(*network(name, {4}, fewer, settings), 0), name);
    std::size_t same = 0;
    for (const auto& [tensor, value] : from_safetensors(save(*before, 0), name)) {
      if (torch::equal(made.at(tensor), value)) ++same;
    }
    EXPECT_EQ(same, made.size() - 2) << name;
  }
}

TEST_F(PretrainedTest, WhatDoesNotFitIsNamed) {
  const auto refused = [&](const Json& settings, const Published& tensors) {
    Json all = settings;
    all["name"] = "resnet18";
    all["weights"] = file("bad.safetensors", tensors);
    return error_of([&] {
      Options options(all, "r.toml: [model]");
      (void)make(options, kImages);
    });
  };
  // The stem for small images is 3 x 3.
  EXPECT_TRUE(holds(refused({{"stem", "cifar"}}, published_resnet18(10)),
                    {"bad.safetensors", "stem.conv.weight", "7, 7", "3, 3", "imagenet"}));
  Published missing = published_resnet18(10);
  missing.erase("layer2.0.bn1.bias");
  EXPECT_TRUE(holds(refused({{"stem", "imagenet"}}, missing),
                    {"bad.safetensors", "no tensor", "block2_1.conv1.norm.bias"}));
  Published surplus = published_resnet18(10);
  surplus["layer1.2.conv1.weight"] = filled({64, 64, 3, 3}, 1);
  EXPECT_TRUE(holds(refused({{"stem", "imagenet"}}, surplus), {"block1_3.conv1", "has not"}));
  Published foreign = published_resnet18(10);
  foreign["features.0.weight"] = filled({3}, 1);
  EXPECT_TRUE(
      holds(refused({{"stem", "imagenet"}}, foreign), {"features.0.weight", "torchvision"}));
  EXPECT_TRUE(holds(error_of([&] {
                      Options options({{"name", "resnet18"}, {"weights", "/nowhere.safetensors"}},
                                      "r.toml: [model]");
                      (void)make(options, kImages);
                    }),
                    {"/nowhere.safetensors", "no file"}));
}

}  // namespace
}  // namespace vestige::models
