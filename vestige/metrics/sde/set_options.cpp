// Options of sets: their names, limits and words.
#include "vestige/metrics/sde/set_options.h"

#include <charconv>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/option_bounds.h"

namespace vestige::metrics {

SigmaRule sigma_rule(const std::string& text) {
  if (text == "sqrt_dim" || text == "median" || text == "separating") return {text, 0};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  require(error == std::errc() && end == text.data() + text.size() && number > 0 &&
              std::isfinite(number),
          "sde.sigma is {}: give sqrt_dim, median, separating or a number above 0", text);
  return {"number", number};
}

std::string_view name(KernelShape kernel) {
  switch (kernel) {
    case KernelShape::laplace:
      return "laplace";
    case KernelShape::linear:
      return "linear";
    default:
      return "rbf";
  }
}

const OptionTable<SetOptions>& set_option_table() {
  static const auto rows = [](const Json& value) -> std::string {
    const auto size = value.get<std::size_t>();
    return size == 0 || size >= 4 ? "" : "a set needs at least 4 examples, 2 in each half";
  };
  static const auto bandwidth = [](const Json& value) -> std::string {
    try {
      sigma_rule(value.get<std::string>());
      return {};
    } catch (const InputError&) {
      return "give sqrt_dim, median, separating or a number above 0";
    }
  };
  static const OptionTable<SetOptions> table =
      OptionTable<SetOptions>("sde")
          .text(
              "layer",
              "Layers, separated by commas, or all (default: penultimate, else the only one, else "
              "logits)",
              [](SetOptions & s) -> auto& { return s.layer; })
          .text(
              "sigma",
              "Bandwidth of the kernel: sqrt_dim, median, separating (the one that tells reference "
              "sets apart best) or a number",
              [](SetOptions & s) -> auto& { return s.sigma; }, {}, bandwidth)
          .choice(
              "kernel", "What compares two examples of a set; linear has no bandwidth",
              [](SetOptions & s) -> auto& { return s.kernel; },
              std::vector<std::pair<std::string, KernelShape>>{{"rbf", KernelShape::rbf},
                                                               {"laplace", KernelShape::laplace},
                                                               {"linear", KernelShape::linear}})
          .count(
              "landmarks",
              "Rows that stand for a half of a set in Nystroem features, which are for large sets; "
              "0: the exact kernel",
              [](SetOptions & s) -> auto& { return s.landmarks; })
          .text(
              "in", "Split of the reference sets that the model was trained on",
              [](SetOptions & s) -> auto& { return s.in; })
          .text(
              "out", "Split of the reference sets that the model never saw",
              [](SetOptions & s) -> auto& { return s.out; })
          .choice(
              "divergence", "What compares H of two sets",
              [](SetOptions & s) -> auto& { return s.divergence; },
              std::vector<std::pair<std::string, SetDivergence>>{
                  {"jsd", SetDivergence::jsd},
                  {"kl", SetDivergence::kl},
                  {"wasserstein", SetDivergence::wasserstein}})
          .count(
              "reference_draws", "Pairs of reference sets; 1 is the paper's form",
              [](SetOptions & s) -> auto& { return s.reference_draws; }, within(1, 1000))
          .count(
              "subsets", "Sets drawn from the forget set",
              [](SetOptions & s) -> auto& { return s.subsets; }, within(2, 10'000))
          .count(
              "shuffles", "Shuffles of the second half of a set",
              [](SetOptions & s) -> auto& { return s.shuffles; }, within(20, 100'000))
          .count(
              "bandwidths",
              "Number of bandwidths at which to give F1, from 1 to the larger of sqrt_dim and "
              "median",
              [](SetOptions & s) -> auto& { return s.bandwidths; }, within(0, 1000))
          .text("bandwidths_to",
                "distance: as sde.bandwidths says, in equal steps; dimension: to the dimension, in "
                "equal "
                "ratios",
                [](SetOptions & s) -> auto& { return s.bandwidths_to; }, {"distance", "dimension"})
          .count(
              "size", "Examples per set; 0: 2000, 1000 or 400, at most half of the forget set",
              [](SetOptions & s) -> auto& { return s.size; }, rows);
  return table;
}

SetOptions set_options(const Request& request) {
  SetOptions options = set_option_table().read(request.options);
  require(options.kernel != KernelShape::linear ||
              (options.sigma == SetOptions().sigma && options.bandwidths == 0),
          "sde.kernel is linear, which has no bandwidth: leave out sde.sigma and sde.bandwidths");
  require(options.kernel != KernelShape::linear || options.landmarks == 0,
          "sde.kernel is linear, which needs no landmarks: leave out sde.landmarks");
  require(!options.in.empty() && !options.out.empty() && options.in != options.out &&
              options.in != "forget" && options.out != "forget",
          "sde.in is \"{}\" and sde.out is \"{}\": name two splits other than forget", options.in,
          options.out);
  return options;
}

std::size_t subset_size(std::size_t rows) {
  for (const std::size_t size : {2000U, 1000U, 400U}) {
    if (2 * size <= rows) return size;
  }
  return rows / 2;
}

}  // namespace vestige::metrics
