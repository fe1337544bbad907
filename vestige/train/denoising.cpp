// Denoising as an objective and as a question.
#include "vestige/train/denoising.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "vestige/base/interrupt.h"
#include "vestige/base/parallel.h"

namespace vestige::train {
namespace {

constexpr std::size_t kBatch = 256;
/// Streams of one step: more than a batch has rows.
constexpr std::uint64_t kPlaces = 1U << 20;

void fill_normal(float* place, std::int64_t count, Stream& stream) {
  for (float* const end = place + count; place != end; ++place) {
    *place = static_cast<float>(stream.normal());
  }
}

/// Calls body(i) for all i: on a GPU the cores are free, on a CPU they have models of their own.
void for_each(std::int64_t count, bool side_by_side, const std::function<void(std::size_t)>& body) {
  if (side_by_side) {
    parallel_for(static_cast<std::size_t>(count), body);
  } else {
    for (std::size_t index = 0; index < static_cast<std::size_t>(count); ++index) body(index);
  }
}

/// Levels and noise for rows of `sizes` [k, b, C, H, W], on the CPU.
NoiseDraw draw_noise(const std::vector<std::int64_t>& sizes,
                     const std::vector<std::uint64_t>& seeds, const std::string& purpose,
                     std::int64_t step, bool side_by_side) {
  const std::int64_t copies = sizes[0], batch = sizes[1];
  torch::Tensor sigma = torch::empty({copies, batch}, torch::kFloat32);
  torch::Tensor noise = torch::empty(sizes, torch::kFloat32);
  const std::int64_t pixels = noise.numel() / std::max<std::int64_t>(1, copies * batch);
  float* const levels = sigma.data_ptr<float>();
  float* const values = noise.data_ptr<float>();
  for_each(copies * batch, side_by_side, [&](std::size_t place) {
    const auto copy = place / static_cast<std::size_t>(batch);
    const auto row = place % static_cast<std::size_t>(batch);
    Stream stream(seeds[copy], purpose, static_cast<std::uint64_t>(step) * kPlaces + row);
    levels[place] = static_cast<float>(
        std::exp(models::kLogSigmaMean + models::kLogSigmaDeviation * stream.normal()));
    fill_normal(values + static_cast<std::int64_t>(place) * pixels, pixels, stream);
  });
  return {sigma, noise};
}

/// Noise [1, b, C, H, W] that belongs to rows of the data set.
torch::Tensor noise_of(const torch::Tensor& images, std::span<const std::int64_t> rows,
                       const std::string& purpose, std::uint64_t seed) {
  torch::Tensor noise = torch::empty(images.sizes(), torch::kFloat32);
  const std::int64_t pixels = noise.numel() / static_cast<std::int64_t>(rows.size());
  float* const values = noise.data_ptr<float>();
  for_each(static_cast<std::int64_t>(rows.size()), images.is_cuda(), [&](std::size_t place) {
    Stream stream(seed, purpose, static_cast<std::uint64_t>(rows[place]));
    fill_normal(values + static_cast<std::int64_t>(place) * pixels, pixels, stream);
  });
  return noise.to(images.device());
}

/// The level below which a share of (draw + 1/2) / draws of training's levels lies.
double level_of(std::int64_t draw, std::int64_t draws) {
  const double share = (static_cast<double>(draw) + 0.5) / static_cast<double>(draws);
  const boost::math::normal_distribution<double> levels(models::kLogSigmaMean,
                                                        models::kLogSigmaDeviation);
  return std::exp(boost::math::quantile(levels, share));
}

torch::Tensor constant_level(const torch::Tensor& images, double level) {
  return torch::full({images.size(0), images.size(1)}, level, images.options());
}

/// Calls body(clean images [1, b, ...], their rows) batch by batch, without gradients.
void over_batches(
    models::Denoiser& network, const Samples& samples, const Rows& rows,
    const std::function<void(const torch::Tensor&, std::span<const std::int64_t>)>& body) {
  const torch::NoGradGuard no_gradient;
  network.eval();
  for (std::size_t first = 0; first < rows.size(); first += kBatch) {
    check_interrupt();
    const auto some = std::span(rows).subspan(first, std::min(kBatch, rows.size() - first));
    body(network.clean(samples.batch(some).inputs), some);
  }
}

}  // namespace

torch::Tensor denoising_errors(models::Denoiser& network, const torch::Tensor& rows,
                               const torch::Tensor& targets, const NoiseDraw& draw,
                               models::Taps* taps) {
  const torch::Tensor level = draw.sigma.unsqueeze(-1).unsqueeze(-1).unsqueeze(-1);
  const torch::Tensor answer = network.denoise(rows + level * draw.noise, draw.sigma, taps);
  return models::noise_scales(draw.sigma).weight * (answer - targets).square().flatten(2).mean(2);
}

Objective denoising(std::vector<std::uint64_t> seeds, std::string purpose, Targets targets) {
  purpose += "/noise";
  return [seeds = std::move(seeds), purpose = std::move(purpose), targets = std::move(targets)](
             models::Network& network, const Batch& batch, const Step& step) {
    models::Denoiser& denoiser = *models::as_denoiser(network);
    const torch::Tensor rows = denoiser.clean(batch.inputs);
    NoiseDraw draw = draw_noise(rows.sizes().vec(), seeds, purpose, step.step, rows.is_cuda());
    draw = {draw.sigma.to(rows.device()), draw.noise.to(rows.device())};
    const torch::Tensor wanted = targets ? targets(rows, batch) : rows;
    return Losses{denoising_errors(denoiser, rows, wanted, draw).mean(1), {}};
  };
}

NoiseAhead::NoiseAhead(models::Denoiser& network, std::vector<std::uint64_t> seeds,
                       std::string purpose, torch::Device device)
    : image_(network.image()),
      seeds_(std::move(seeds)),
      purpose_(std::move(purpose) + "/noise"),
      device_(device) {}

NoiseAhead::~NoiseAhead() {
  if (next_.valid()) next_.wait();
}

NoiseDraw NoiseAhead::draw(std::int64_t step, std::int64_t size) const {
  std::vector<std::int64_t> sizes{static_cast<std::int64_t>(seeds_.size()), size};
  sizes.insert(sizes.end(), image_.begin(), image_.end());
  return draw_noise(sizes, seeds_, purpose_, step, true);
}

void NoiseAhead::put(std::int64_t step, std::int64_t size, std::int64_t next_size) {
  const NoiseDraw drawn = next_.valid() && next_step_ == step ? next_.get() : draw(step, size);
  NoiseDraw& place = placed_[size];
  if (!place.sigma.defined()) {
    const auto options = torch::TensorOptions().dtype(torch::kFloat32).device(device_);
    place = {torch::empty(drawn.sigma.sizes(), options),
             torch::empty(drawn.noise.sizes(), options)};
  }
  // From memory that is not pinned: the copy has left it when copy_ returns.
  place.sigma.copy_(drawn.sigma);
  place.noise.copy_(drawn.noise);
  if (next_size == 0) return;
  next_step_ = step + 1;
  next_ = std::async(std::launch::async,
                     [this, next = step + 1, next_size] { return draw(next, next_size); });
}

Objective NoiseAhead::objective() {
  return [this](models::Network& network, const Batch& batch, const Step&) {
    models::Denoiser& denoiser = *models::as_denoiser(network);
    const torch::Tensor rows = denoiser.clean(batch.inputs);
    return Losses{denoising_errors(denoiser, rows, rows, placed_.at(rows.size(1))).mean(1), {}};
  };
}

Objective own_objective(models::Network& network, const std::vector<std::uint64_t>& seeds,
                        const std::string& purpose) {
  return models::as_denoiser(network) != nullptr ? denoising(seeds, purpose) : cross_entropy();
}

std::vector<double> denoising_losses(models::Denoiser& network, const Samples& samples,
                                     const Rows& rows, const NoiseQuestions& questions) {
  std::vector<double> losses;
  over_batches(
      network, samples, rows, [&](const torch::Tensor& images, std::span<const std::int64_t> some) {
        torch::Tensor sum = torch::zeros({images.size(1)}, torch::kFloat64);
        for (std::int64_t draw = 0; draw < questions.draws; ++draw) {
          const NoiseDraw noise{
              constant_level(images, level_of(draw, questions.draws)),
              noise_of(images, some, fmt::format("denoising loss/{}", draw), questions.seed)};
          sum += denoising_errors(network, images, images, noise)[0].to(torch::kFloat64).cpu();
        }
        sum /= static_cast<double>(questions.draws);
        losses.insert(losses.end(), sum.data_ptr<double>(), sum.data_ptr<double>() + sum.numel());
      });
  return losses;
}

Json loss_facts(models::Denoiser& network, const Samples& samples,
                const std::map<std::string, Rows>& parts) {
  // A fact at a glance: it must not cost an epoch.
  constexpr std::size_t kMostRows = 200;
  Json facts = Json::object();
  for (const auto& [name, all] : parts) {
    const Rows rows(all.begin(),
                    all.begin() + static_cast<std::ptrdiff_t>(std::min(kMostRows, all.size())));
    double sum = 0;
    for (const double loss : denoising_losses(network, samples, rows, {.draws = 4})) sum += loss;
    facts[name] = json_number(sum / static_cast<double>(rows.size()));
  }
  return facts;
}

torch::Tensor denoiser_activations(models::Denoiser& network, const Samples& samples,
                                   const Rows& rows, const std::string& tap,
                                   const NoiseQuestions& questions) {
  std::vector<torch::Tensor> parts;
  over_batches(
      network, samples, rows, [&](const torch::Tensor& images, std::span<const std::int64_t> some) {
        models::Taps taps{{tap}, {}};
        const torch::Tensor noise = noise_of(images, some, "denoiser activations", questions.seed);
        network.denoise(images + questions.level * noise, constant_level(images, questions.level),
                        &taps);
        parts.push_back(taps.values.at(tap)[0].flatten(1).cpu());
      });
  return torch::cat(parts);
}

}  // namespace vestige::train
