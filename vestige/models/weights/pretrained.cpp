// Names of torchvision (resnet18, 34, 50, vit_b_16), timm (the same, vit_*_patch16_224) and Hugging
// Face (ViTForImageClassification) as of torchvision 0.19, timm 1.0 and transformers 4.40; older
// torchvision files call the MLP's layers linear_1, linear_2. Hugging Face keeps queries, keys and
// values apart: they are parts 0, 1 and 2 of one tensor here, "qkv.weight#0".
#include "vestige/models/weights/pretrained.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/models/weights/safetensors.h"

namespace vestige::models {
namespace {

using Tensors = std::map<std::string, torch::Tensor>;

struct Rule {
  std::regex theirs;
  std::string ours;  ///< $1, $2 as std::regex_replace has them
  int block = 0;     ///< this group counts from 0 in the file and from 1 here
};

Rule rule(const char* theirs, std::string ours, int block = 0) {
  return {std::regex(theirs), std::move(ours), block};
}

/// In both layouts: torchvision's BasicBlock and Bottleneck are timm's.
std::vector<Rule> resnet_rules() {
  std::vector<Rule> rules = {
      rule("conv1\\.weight", "stem.conv.weight"),
      rule("bn1\\.(\\w+)", "stem.norm.$1"),
      rule("fc\\.(weight|bias)", "output.$1"),
      rule("layer(\\d)\\.(\\d)\\.conv(\\d)\\.weight", "block$1_$2.conv$3.conv.weight", 2),
      rule("layer(\\d)\\.(\\d)\\.bn(\\d)\\.(\\w+)", "block$1_$2.conv$3.norm.$4", 2),
      rule("layer(\\d)\\.(\\d)\\.downsample\\.0\\.weight", "block$1_$2.shortcut.conv.weight", 2),
      rule("layer(\\d)\\.(\\d)\\.downsample\\.1\\.(\\w+)", "block$1_$2.shortcut.norm.$3", 2)};
  return rules;
}

std::vector<Rule> vit_rules() {
  const std::string layer = "encoder\\.layers\\.encoder_layer_(\\d+)\\.";
  const auto torchvision = [&](const char* theirs, const char* ours) {
    return rule((layer + theirs).c_str(), std::string("block$1.") + ours, 1);
  };
  const auto timm = [](const char* theirs, const char* ours) {
    return rule((std::string("blocks\\.(\\d+)\\.") + theirs).c_str(),
                std::string("block$1.") + ours, 1);
  };
  const auto hugging_face = [](const char* theirs, const char* ours) {
    return rule((std::string("(?:vit\\.)?encoder\\.layer\\.(\\d+)\\.") + theirs).c_str(),
                std::string("block$1.") + ours, 1);
  };
  return {
      rule("class_token|cls_token|(?:vit\\.)?embeddings\\.cls_token", "embedding.class_token"),
      rule("encoder\\.pos_embedding|pos_embed|(?:vit\\.)?embeddings\\.position_embeddings",
           "embedding.positions"),
      rule("(?:conv_proj|patch_embed\\.proj|(?:vit\\.)?embeddings\\.patch_embeddings\\.projection)"
           "\\.(\\w+)",
           "patches.$1"),
      rule("(?:encoder\\.ln|norm|(?:vit\\.)?layernorm)\\.(\\w+)", "norm.$1"),
      rule("(?:heads\\.head|head|classifier)\\.(\\w+)", "output.$1"),
      hugging_face("layernorm_before\\.(\\w+)", "norm1.$2"),
      hugging_face("layernorm_after\\.(\\w+)", "norm2.$2"),
      hugging_face("attention\\.attention\\.query\\.(\\w+)", "attention.qkv.$2#0"),
      hugging_face("attention\\.attention\\.key\\.(\\w+)", "attention.qkv.$2#1"),
      hugging_face("attention\\.attention\\.value\\.(\\w+)", "attention.qkv.$2#2"),
      hugging_face("attention\\.output\\.dense\\.(\\w+)", "attention.project.$2"),
      hugging_face("intermediate\\.dense\\.(\\w+)", "expand.$2"),
      hugging_face("output\\.dense\\.(\\w+)", "contract.$2"),
      torchvision("ln_(\\d)\\.(\\w+)", "norm$2.$3"),
      torchvision("self_attention\\.in_proj_(\\w+)", "attention.qkv.$2"),
      torchvision("self_attention\\.out_proj\\.(\\w+)", "attention.project.$2"),
      torchvision("mlp\\.(?:0|linear_1)\\.(\\w+)", "expand.$2"),
      torchvision("mlp\\.(?:3|linear_2)\\.(\\w+)", "contract.$2"),
      timm("norm(\\d)\\.(\\w+)", "norm$2.$3"),
      timm("attn\\.qkv\\.(\\w+)", "attention.qkv.$2"),
      timm("attn\\.proj\\.(\\w+)", "attention.project.$2"),
      timm("mlp\\.fc1\\.(\\w+)", "expand.$2"),
      timm("mlp\\.fc2\\.(\\w+)", "contract.$2")};
}

/// Empty if no rule fits.
std::string translated(const std::vector<Rule>& rules, const std::string& name) {
  for (const Rule& each : rules) {
    std::smatch match;
    if (!std::regex_match(name, match, each.theirs)) continue;
    std::string result = each.ours;
    for (std::size_t group = match.size() - 1; group > 0; --group) {
      const std::string place = "$" + std::to_string(group);
      const std::size_t at = result.find(place);
      if (at == std::string::npos) continue;
      std::string value = match[group].str();
      if (static_cast<int>(group) == each.block) value = std::to_string(std::stoi(value) + 1);
      result.replace(at, place.size(), value);
    }
    return result;
  }
  return {};
}

const std::vector<Rule>& rules_of(const std::string& architecture) {
  static const std::map<std::string, std::vector<Rule>> all = {{"resnet18", resnet_rules()},
                                                               {"resnet34", resnet_rules()},
                                                               {"resnet50", resnet_rules()},
                                                               {"vit", vit_rules()}};
  static const std::vector<Rule> none;
  const auto found = all.find(architecture);
  return found == all.end() ? none : found->second;
}

/// What the tensors of the last linear layer begin with.
std::string head_of(const std::string& architecture) {
  return architecture == "small_cnn" ? "linear2." : "output.";
}

/// Parameters and buffers of one copy by name, views of the network's own.
Tensors targets_of(const Network& network, std::int64_t copy) {
  Tensors targets;
  for (const auto& entry : network.named_parameters()) targets[entry.key()] = entry.value();
  for (const auto& entry : network.named_buffers()) targets[entry.key()] = entry.value();
  for (auto& [name, tensor] : targets) tensor = tensor.detach().select(0, copy);
  return targets;
}

/// Without leading ones: a class token is [1, 1, 768] in the files and [768] here.
std::vector<std::int64_t> shape_of(const torch::Tensor& tensor) {
  std::vector<std::int64_t> shape = tensor.sizes().vec();
  while (!shape.empty() && shape.front() == 1) shape.erase(shape.begin());
  return shape;
}

/// Queries, keys and values that the file keeps apart become one tensor.
void join_parts(Tensors& tensors, const std::string& file) {
  for (auto first = tensors.begin(); first != tensors.end();) {
    const std::size_t mark = first->first.find("#0");
    if (mark == std::string::npos) {
      ++first;
      continue;
    }
    const std::string name = first->first.substr(0, mark);
    std::vector<torch::Tensor> parts;
    for (const char* part : {"#0", "#1", "#2"}) {
      const auto found = tensors.find(name + part);
      require(found != tensors.end(),
              "{}: weights: {} has queries, but keys or values are missing: copy it again", file,
              name);
      parts.push_back(found->second);
    }
    for (const char* part : {"#1", "#2"}) tensors.erase(name + part);
    first = tensors.erase(first);
    tensors[name] = torch::cat(parts);
  }
}

/// The file's tensors under our names. The last file is kept: pools begin many models with one.
std::shared_ptr<const Tensors> read_weights(const std::string& architecture,
                                            const std::string& file, const Tensors& targets) {
  static std::mutex mutex;
  static std::string last;
  static std::shared_ptr<const Tensors> kept;
  const std::scoped_lock lock(mutex);
  const auto changed = std::filesystem::last_write_time(file).time_since_epoch().count();
  const std::string key = fmt::format("{}\n{}\n{}", architecture, file, changed);
  if (key == last) return kept;
  auto tensors = std::make_shared<Tensors>();
  for (const auto& [name, tensor] : from_safetensors(read_file(file), file)) {
    const std::string own = targets.contains(name) ? name : own_name(architecture, name, file);
    if (!own.empty()) (*tensors)[own] = tensor;
  }
  join_parts(*tensors, file);
  last = key;
  kept = tensors;
  return kept;
}

/// Whether the file's head is for the network's classes.
bool head_fits(const Tensors& tensors, const Tensors& targets, const std::string& head) {
  return std::all_of(targets.begin(), targets.end(), [&](const auto& target) {
    if (!target.first.starts_with(head)) return true;
    const auto found = tensors.find(target.first);
    return found != tensors.end() && found->second.sizes() == target.second.sizes();
  });
}

std::string hint(const std::string& name) {
  if (name == "stem.conv.weight") {
    return " (a 7x7 stem is stem = \"imagenet\"; the images must have as many channels as the "
           "file's)";
  }
  if (name == "embedding.positions") {
    return " (one position per patch: bring images to the size that the weights are for, "
           "resize = 224)";
  }
  if (name.starts_with("block") || name.starts_with("patches")) {
    return " (size = \"tiny\", \"small\" or \"base\" is ViT-Ti/16, ViT-S/16 or ViT-B/16)";
  }
  return "";
}

}  // namespace

std::string own_name(const std::string& architecture, const std::string& name,
                     const std::string& source) {
  // Torch counts the batches of batch norm; momentum 0.1 does not need it. Hugging Face's files may
  // hold a pooler, which its classifier does not use.
  if (name.ends_with("num_batches_tracked")) return {};
  if (architecture == "vit" && name.find("pooler.dense.") != std::string::npos) return {};
  const std::string ours = translated(rules_of(architecture), name);
  if (!ours.empty()) return ours;
  fail(
      "{}: the tensor {} is not one of {}: weights must be named as torchvision, timm, Hugging "
      "Face (vit) or this program name them (resnet18, resnet34, resnet50 and vit have such names; "
      "others only ours)",
      source, name, architecture);
}

void check_pretrained(const Network& network, const std::string& architecture,
                      const std::string& file, const std::string& where) {
  require(std::filesystem::is_regular_file(file),
          "{}: weights: there is no file {}: nothing is downloaded, put it there", where, file);
  const Tensors targets = targets_of(network, 0);
  const auto tensors = read_weights(architecture, file, targets);
  const bool vit = architecture == "vit";
  for (const auto& [name, target] : targets) {
    if (name.starts_with(head_of(architecture))) continue;
    const auto found = tensors->find(name);
    require(found != tensors->end(),
            "{}: weights: {} has no tensor for {}: it belongs to another architecture or size{}",
            where, file, name, vit ? hint(name) : "");
    require(shape_of(found->second) == shape_of(target),
            "{}: weights: {} has {} in the shape [{}], this network in [{}]{}", where, file, name,
            fmt::join(found->second.sizes().vec(), ", "), fmt::join(target.sizes().vec(), ", "),
            vit || name == "stem.conv.weight" ? hint(name) : "");
  }
  for (const auto& [name, tensor] : *tensors) {
    require(targets.count(name) > 0,
            "{}: weights: {} has a tensor for {}, which this network has not: it belongs to "
            "another architecture or size{}",
            where, file, name, vit ? hint(name) : "");
  }
}

void lay_over(Network& network, std::int64_t copy) {
  const torch::NoGradGuard no_gradient;
  const auto& [architecture, file] = network.weights();
  Tensors targets = targets_of(network, copy);
  const auto tensors = read_weights(architecture, file, targets);
  const std::string head = head_of(architecture);
  const bool with_head = head_fits(*tensors, targets, head);
  for (auto& [name, target] : targets) {
    if (name.starts_with(head) && !with_head) continue;
    target.copy_(tensors->at(name).view(target.sizes()));
  }
  if (with_head) return;
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::scoped_lock lock(mutex);
  if (!said.insert(file).second) return;
  fmt::print(stderr,
             "vestige: {}: its head is not for these {} classes: the last layer begins with drawn "
             "weights\n",
             file, targets.at(head + "bias").size(0));
}

}  // namespace vestige::models
