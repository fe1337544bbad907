// What denoisers are trained and judged by: the weighted squared error of Karras et al. 2022 (EDM).
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "vestige/models/denoiser.h"
#include "vestige/train/loop.h"

namespace vestige::train {

/// Noise levels and standard normal noise for a batch: sigma [k, b], noise like the rows.
struct NoiseDraw {
  torch::Tensor sigma;
  torch::Tensor noise;
};

/// Mean over pixels of weight(sigma) (D(rows + sigma noise; sigma) - targets)^2, per row: [k, b].
/// Rows and targets [k, b, C, H, W] are in the network's units.
torch::Tensor denoising_errors(models::Denoiser& network, const torch::Tensor& rows,
                               const torch::Tensor& targets, const NoiseDraw& draw,
                               models::Taps* taps = nullptr);

/// Rows that a denoiser must give back in the place of `rows`, both [k, b, C, H, W] in its units.
using Targets = std::function<torch::Tensor(const torch::Tensor& rows, const Batch& batch)>;

/// Mean over the batch, one loss per copy. At every step row r of copy c has its level (ln sigma
/// normal, denoiser.h) and noise from the stream (seeds[c], purpose + "/noise", step, r), the same
/// whoever its companions are. `targets`: none for the rows themselves.
Objective denoising(std::vector<std::uint64_t> seeds, std::string purpose, Targets targets = {});

/// The same objective for a GPU: the noise of a step lies where a recorded step reads it, and that
/// of the next is drawn while the device works.
class NoiseAhead {
 public:
  NoiseAhead(models::Denoiser& network, std::vector<std::uint64_t> seeds, std::string purpose,
             torch::Device device);
  ~NoiseAhead();

  /// Puts the noise of `step`, a batch of `size` rows, in its place, and begins to draw that of the
  /// next step, a batch of `next_size` rows; 0: there is none.
  void put(std::int64_t step, std::int64_t size, std::int64_t next_size);

  /// Reads what was put last for the batch's size; lives no longer than this object.
  Objective objective();

 private:
  NoiseDraw draw(std::int64_t step, std::int64_t size) const;

  std::vector<std::int64_t> image_;
  std::vector<std::uint64_t> seeds_;
  std::string purpose_;
  torch::Device device_;
  std::map<std::int64_t, NoiseDraw> placed_;  ///< by rows per batch, on the device
  std::future<NoiseDraw> next_;
  std::int64_t next_step_ = -1;
};

/// What a network is trained by where nothing else is said: denoising for denoisers, else
/// cross-entropy.
Objective own_objective(models::Network& network, const std::vector<std::uint64_t>& seeds,
                        const std::string& purpose);

/// How a denoiser is asked about rows, so that its answers compare with another's: noise of row i
/// of the data set comes from the stream (seed, purpose, i), whatever the model.
struct NoiseQuestions {
  double level = 0.3;  ///< sigma at which activations are read; exp(-1.2), the median in training
  std::int64_t draws = 8;  ///< levels of each row's loss: quantiles (j + 1/2) / draws of training's
  std::uint64_t seed = 1;
};

/// Losses [n] of `rows`: denoising_errors averaged over the draws, in double.
std::vector<double> denoising_losses(models::Denoiser& network, const Samples& samples,
                                     const Rows& rows, const NoiseQuestions& questions = {});

/// The mean loss of each part, of at most 200 rows over 4 levels; null without rows. For a model's
/// facts.
Json loss_facts(models::Denoiser& network, const Samples& samples,
                const std::map<std::string, Rows>& parts);

/// Activations [n, d] at a tap, of rows with noise of `questions.level`, on the CPU.
torch::Tensor denoiser_activations(models::Denoiser& network, const Samples& samples,
                                   const Rows& rows, const std::string& tap,
                                   const NoiseQuestions& questions = {});

}  // namespace vestige::train
