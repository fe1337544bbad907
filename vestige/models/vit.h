// The vision transformer (Dosovitskiy et al. 2021, "An image is worth 16x16 words").
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// Patches as tokens, a class token, learned positions, pre-norm blocks of attention and an MLP
/// with GELU. Option size: "own" (patch by the larger side: 4 up to 32 pixels, 8 up to 64, 16
/// above; dim 192 and heads 3 of ViT-Ti, depth 6, half of it; norms with epsilon 1e-5; images as
/// they are), or the published "tiny", "small", "base" (ViT-Ti/16, ViT-S/16, ViT-B/16: dim 192,
/// 384, 768, heads 3, 6, 12, depth 12, patch 16, epsilon 1e-6, resize 224), for which weights
/// exist. Each of patch (must divide both sides), dim, heads, depth, mlp_ratio (4), epsilon and
/// resize (pixels to which images are brought first; 0: as they are) can be given besides. Images
/// of at least 4 x 4. Taps block1 to block<depth> [k, batch, tokens, dim] (the class token first),
/// penultimate (the class token after the last norm), logits.
NetworkPointer vit(Options& options, const Shape& shape, std::int64_t copies);

}  // namespace vestige::models
