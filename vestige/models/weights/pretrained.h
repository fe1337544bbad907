// Beginning with weights that others trained: files in the layouts of torchvision, timm and
// Hugging Face, or ours.
#pragma once

#include <string>

#include "vestige/models/network.h"

namespace vestige::models {

/// What an architecture here calls a tensor of a published file: "layer1.0.bn1.weight" of resnet18
/// is "block1_1.conv1.norm.weight". Names of torchvision and timm for resnet18, resnet34,
/// resnet50 and vit (ViT-B/16 and the like), of Hugging Face for vit. "#0", "#1", "#2" at the end:
/// that third of the tensor's first dimension. Empty: a tensor that nothing here needs. InputError
/// for a name that is not known, with `source` in it.
std::string own_name(const std::string& architecture, const std::string& name,
                     const std::string& source);

/// InputError unless the file has every tensor of the network in its shape, and no other; only the
/// head (the last linear layer) may be for another number of classes, or be missing.
void check_pretrained(const Network& network, const std::string& architecture,
                      const std::string& file, const std::string& where);

/// Puts the file's weights into copy `copy`. A head for another number of classes is left as it is,
/// and standard error says so once.
void lay_over(Network& network, std::int64_t copy);

}  // namespace vestige::models
