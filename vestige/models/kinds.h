// What kind of network a name stands for. No LibTorch here.
#pragma once

#include <string>

namespace vestige::models {

/// Whether the architecture takes noise away (denoiser.h); all others classify.
bool is_denoiser(const std::string& architecture);

}  // namespace vestige::models
