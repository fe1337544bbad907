// Running models over sequences.
#include "vestige/language/answers.h"

#include <algorithm>

#include "vestige/base/interrupt.h"
#include "vestige/language/loop.h"

namespace vestige::language {
namespace {

/// A GPU waits for its commands unless each brings many sequences; a CPU's cache holds few.
std::size_t sequences_at_once(torch::Device device) { return device.is_cuda() ? 256 : 32; }

/// Calls body(batch, first, last) for consecutive sequences.
template <typename Body>
void each_batch(const std::vector<Sequence>& sequences, torch::Device device, const Body& body) {
  const std::size_t at_once = sequences_at_once(device);
  for (std::size_t first = 0; first < sequences.size(); first += at_once) {
    check_interrupt();
    const std::size_t last = std::min(sequences.size(), first + at_once);
    std::vector<const Sequence*> chosen;
    for (std::size_t row = first; row < last; ++row) chosen.push_back(&sequences[row]);
    body(make_batch(chosen, device), first, last);
  }
}

}  // namespace

Arrays token_answers(const Network& network, const std::vector<Sequence>& sequences, bool whole) {
  const torch::NoGradGuard no_gradient;
  std::map<std::string, std::vector<torch::Tensor>> pieces;
  std::vector<std::int64_t> offsets = {0};
  each_batch(sequences, network.values().device(),
             [&](const Batch& batch, std::size_t first, std::size_t last) {
               const torch::Tensor all = torch::log_softmax(network.logits(batch.inputs), -1);
               const torch::Tensor own = all.gather(2, batch.targets.unsqueeze(2));
               // Rows one after the other, padding left out.
               const torch::Tensor scored = batch.scored > 0;
               const auto keep = [&](const char* name, const torch::Tensor& values) {
                 pieces[name].push_back(values.masked_select(scored).cpu());
               };
               // Rounding must not make a logarithm of a probability positive.
               keep("", own.squeeze(2).clamp_max(0.0));
               if (whole) {
                 const torch::Tensor shares = all.exp();
                 const torch::Tensor mean = (shares * all).sum(-1);
                 keep(".mean", mean);
                 keep(".std", (shares * (all - mean.unsqueeze(2)).square()).sum(-1).sqrt());
                 keep(".entropy", -mean);
                 keep(".rank", (all > own).sum(-1));
               }
               for (std::size_t row = first; row < last; ++row) {
                 offsets.push_back(offsets.back() +
                                   static_cast<std::int64_t>(sequences[row].scored_tokens()));
               }
             });
  Arrays arrays;
  for (const auto& [name, parts] : pieces) arrays[name] = torch::cat(parts);
  arrays[".offsets"] = torch::tensor(offsets, torch::kInt64);
  return arrays;
}

torch::Tensor gradient_norms(Network& network, const std::vector<Sequence>& sequences) {
  std::vector<float> norms;
  for (const Sequence& sequence : sequences) {
    check_interrupt();
    network.gradients().zero_();
    cross_entropy(network, make_batch({&sequence}, network.values().device())).backward();
    norms.push_back(network.gradients().norm().item<float>());
  }
  network.gradients().zero_();
  return torch::tensor(norms, torch::kFloat32);
}

std::vector<std::vector<int>> greedy(const Network& network, const std::vector<Sequence>& sequences,
                                     const std::vector<std::size_t>& known, std::int64_t tokens) {
  const torch::NoGradGuard no_gradient;
  std::vector<std::vector<int>> said(sequences.size());
  const std::size_t at_once = sequences_at_once(network.values().device());
  for (std::size_t first = 0; first < sequences.size(); first += at_once) {
    const std::size_t last = std::min(sequences.size(), first + at_once);
    std::vector<Sequence> growing;
    for (std::size_t row = first; row < last; ++row) {
      const std::vector<int>& whole = sequences[row].tokens;
      growing.push_back(
          {{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(known[row])}, 1});
    }
    for (std::int64_t step = 0; step < tokens; ++step) {
      check_interrupt();
      std::vector<const Sequence*> chosen;
      std::vector<std::size_t> rows;
      for (std::size_t row = 0; row < growing.size(); ++row) {
        std::vector<int>& own = growing[row].tokens;
        const bool full =
            network.context() > 0 && own.size() >= static_cast<std::size_t>(network.context());
        if (full || (step > 0 && own.back() == kEnd)) continue;
        own.push_back(0);  // to be chosen: batches hold all but the last token
        chosen.push_back(&growing[row]);
        rows.push_back(row);
      }
      if (chosen.empty()) break;
      const Batch batch = make_batch(chosen, network.values().device());
      const torch::Tensor best = network.logits(batch.inputs).argmax(-1).cpu();
      for (std::size_t place = 0; place < rows.size(); ++place) {
        std::vector<int>& own = growing[rows[place]].tokens;
        const auto at = static_cast<std::int64_t>(own.size()) - 2;
        own.back() =
            static_cast<int>(best[static_cast<std::int64_t>(place)][at].item<std::int64_t>());
      }
    }
    for (std::size_t row = first; row < last; ++row) {
      const std::vector<int>& own = growing[row - first].tokens;
      std::vector<int>& out = said[row];
      out.assign(own.begin() + static_cast<std::ptrdiff_t>(known[row]), own.end());
      if (!out.empty() && out.back() == kEnd) out.pop_back();
    }
  }
  return said;
}

}  // namespace vestige::language
