// Forget examples with a near-duplicate in the retain set: by activations, or by texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vestige/audit/requests.h"
#include "vestige/base/matrix.h"

namespace vestige::audit {

/// Activations are nearly equal if they lie this far apart, as a share of their mean length.
inline constexpr double kNearActivations = 0.02;
/// Texts are nearly equal if they share so much of their runs of three words (Jaccard).
inline constexpr double kNearTexts = 0.8;

/// The nearest retain example of every forget example that has one nearer than kNearActivations;
/// similarity is 1 minus that distance. Activations of length 0 are left out.
std::vector<NearDuplicate> near_activations(const Matrix& forget, const Matrix& retain);

/// The same of texts: MinHash finds candidates (Broder 1997: 16 bands of 4 hashes), Jaccard's index
/// of their runs of three words decides. Letters count in small, everything else separates words.
std::vector<NearDuplicate> near_texts(const std::vector<std::string>& forget,
                                      const std::vector<std::string>& retain);

/// By the first original's (else retrained model's) activations, penultimate if there are several
/// layers, and by texts; an example is listed once, texts first.
std::vector<NearDuplicate> near_duplicates(const evidence::Evidence& evidence);

}  // namespace vestige::audit
