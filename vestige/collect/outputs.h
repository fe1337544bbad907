// What a model says about rows, as arrays: logits, activations at taps, saliency maps.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "vestige/evidence/formats/array.h"
#include "vestige/models/network.h"
#include "vestige/train/batches/samples.h"
#include "vestige/train/denoising.h"

namespace vestige::collect {

struct OutputRequest {
  std::vector<std::string> taps;
  std::string saliency = "none";  ///< none, gradient, grad_cam
  std::string grad_cam_tap;
  bool half = false;                 ///< float16 instead of float32
  train::NoiseQuestions noise = {};  ///< of denoisers
};

struct Outputs {
  evidence::Array logits;                              ///< [n, classes]; empty for denoisers
  std::vector<double> losses;                          ///< [n], of denoisers
  std::map<std::string, evidence::Array> activations;  ///< [n, d]
  evidence::Array saliency;                            ///< [n, pixels]; empty if not asked for
  bool finite = true;                                  ///< logits and activations, as written
};

/// A denoiser says a loss per row and activations at a noise level (train/denoising.h); it has no
/// saliency, which is an InputError.
/// Saliency `gradient`: |d logit of the true class / d input|, the largest over channels (Simonyan
/// et al. 2014), [n, H * W]. `grad_cam`: relu of the tap's channels weighted by their mean gradient
/// (Selvaraju et al. 2017), [n, h * w] of the tap.
Outputs outputs_of(models::Network& network, const train::Samples& samples, const train::Rows& rows,
                   const OutputRequest& request);

/// Grad-CAM maps at the size of the input images: float16 [n, height, width], the tap's map
/// enlarged bilinearly and divided by its largest value, so that each lies in [0, 1]; 0 where
/// nothing speaks for the true class.
evidence::Array grad_cam_maps(models::Network& network, const train::Samples& samples,
                              const train::Rows& rows, const std::string& tap);

/// The last tap with channels, height and width; empty if the architecture has none.
std::string last_spatial_tap(models::Network& network, const train::Samples& samples);

/// A CPU tensor [n, ...] as [n, d].
evidence::Array to_array(const torch::Tensor& tensor, bool half);

}  // namespace vestige::collect
