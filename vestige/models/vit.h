// The vision transformer (Dosovitskiy et al. 2021, "An image is worth 16x16 words").
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// Patches as tokens, a class token, learned positions, pre-norm blocks of attention and an MLP
/// with GELU. Options: patch (by the larger side: 4 up to 32 pixels, 8 up to 64, 16 above; it must
/// divide both sides), dim (192) and heads (3) of ViT-Ti, depth (6, half of it), mlp_ratio (4),
/// epsilon of the norms (1e-5), resize (pixels to which images are brought first; 0: as they are).
/// Images of at least 4 x 4. Taps block1 to block<depth> [k, batch, tokens, dim] (the class token
/// first), penultimate (the class token after the last norm), logits.
NetworkPointer vit(Options& options, const Shape& shape, std::int64_t copies);

}  // namespace vestige::models
