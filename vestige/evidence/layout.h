// Which array of the evidence a path is: "unlearned/finetune/0/activations/penultimate/forget".
#pragma once

#include <string>
#include <string_view>

#include "vestige/result/reason.h"

namespace vestige::evidence {

enum class Part {
  labels,
  ids,
  digests,
  subjects,
  subclasses,
  pictures,
  outputs,
  activations,
  saliency,
  tokens,
  losses,
  generated,
  scores,
  choices,
  members,
  batches,
  grad_cam,
  unknown
};

/// A path of the evidence folder taken apart.
struct Place {
  Part part = Part::unknown;
  std::string role;    ///< "original"; empty for labels, ids and the like
  std::string method;  ///< "finetune"; only unlearned, partial, checkpoint; probed: "int8/original"
  std::string name;    ///< "0"
  std::string layer;   ///< activations; of scores their name
  std::string split;   ///< "forget"; tokens and losses keep their suffix: "forget.offsets"
  result::Reason why;  ///< for unknown: what is wrong with the path
};

/// `key` is the path without its ending, with '/'. A model folder may be left out when there is one
/// model: "original/forget" is "original/0/forget", "unlearned/ft/forget" is
/// "unlearned/ft/0/forget".
Place place_of(std::string_view key);

/// "unlearned/finetune/0": the id of the model (or of the stacked pool) that an array belongs to;
/// empty for labels, ids and the like.
std::string model_id(const Place& place);

/// True for the roles whose models are grouped by a method: unlearned, partial, checkpoint and
/// probed (evidence/probed.h).
bool has_methods(std::string_view role);

/// Position of a role in reports: original, retrained, unlearned, partial, checkpoint, shadow,
/// random, membership, verification, probed.
int role_order(std::string_view role);

/// Names with digits in numeric order: "2" before "10".
bool natural_less(std::string_view left, std::string_view right);

}  // namespace vestige::evidence
