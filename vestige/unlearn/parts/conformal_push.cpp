// The forget term beside a host's loss, timed apart from it.
#include "vestige/unlearn/parts/conformal_push.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "vestige/base/error.h"
#include "vestige/train/from_scratch.h"
#include "vestige/unlearn/parts/gradients.h"
#include "vestige/unlearn/parts/limits.h"

namespace vestige::unlearn {
namespace {

struct PushSettings {
  PushTerm term = PushTerm::conformal;
  double lambda = 0.5;
  double delta = 0.01;
  double alpha = 0.05;
  std::int64_t calibration = 2000;
};

/// The term as part of a phase: its gradient is taken by itself, so that its time can be told.
class Push {
 public:
  Push(Problem& problem, Calibration calibration, const PushSettings& settings, std::int64_t batch)
      : samples_(problem.samples),
        calibration_(std::move(calibration)),
        settings_(settings),
        forget_(problem.samples, problem.forget, batch, problem.seed, "pushed/forget") {}

  /// The threshold of eq. 9 on the calibration rows.
  void renew(models::Network& network) {
    const Timer timer(*this);
    const torch::Tensor labels =
        samples_.labels().index_select(0, samples_.index(calibration_.rows));
    const torch::Tensor p =
        torch::softmax(train::logits_of(network, samples_, calibration_.rows)[0], -1)
            .gather(1, labels.unsqueeze(1))
            .squeeze(1);
    threshold_ = calibration_quantile(1 - p, settings_.alpha);
  }

  /// Adds the term's gradient to the parameters' and returns its value [1].
  torch::Tensor backward(models::Network& network) {
    const Timer timer(*this);
    const train::Batch batch = forget_.next();
    rows_ += batch.labels.size(1);
    const torch::Tensor p = torch::softmax(network.forward(batch.inputs)[0], -1);
    const torch::Tensor term =
        settings_.lambda * (settings_.term == PushTerm::conformal
                                ? conformal_term(p, batch.labels[0], threshold_, settings_.delta)
                                : carlini_wagner_term(p, batch.labels[0], settings_.delta));
    term.backward();
    return term.detach().unsqueeze(0);
  }

  double seconds() const { return seconds_; }
  double threshold() const { return threshold_; }
  std::int64_t rows() const { return rows_; }

 private:
  /// Adds the seconds of a scope; a GPU works behind the program's back, so it is waited for.
  class Timer {
   public:
    explicit Timer(Push& push) : push_(push) {
      wait();
      start_ = std::chrono::steady_clock::now();
    }
    ~Timer() {
      wait();
      push_.seconds_ +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    void wait() const {
      if (push_.samples_.device().is_cuda()) torch::cuda::synchronize();
    }
    Push& push_;
    std::chrono::steady_clock::time_point start_;
  };

  const train::Samples& samples_;
  Calibration calibration_;
  PushSettings settings_;
  train::Cycle forget_;
  double threshold_ = 1;
  double seconds_ = 0;
  std::int64_t rows_ = 0;
};

Outcome run_with_push(Problem& problem, const train::Rows& rows, train::Phase phase,
                      const Calibration& calibration, const PushSettings& settings) {
  models::Network& network = problem.network;
  auto push = std::make_shared<Push>(problem, calibration, settings, phase.batch);
  const bool conformal = settings.term == PushTerm::conformal;
  if (settings.lambda > 0) {
    if (conformal) {
      phase.before_epoch = [push, &network, train = !phase.evaluation_mode](const train::Step&) {
        push->renew(network);
        network.train(train);
      };
    }
    const train::Objective host = phase.objective ? phase.objective : train::cross_entropy();
    phase.objective = [push, host](models::Network& model, const train::Batch& batch,
                                   const train::Step& step) {
      const torch::Tensor term = push->backward(model);
      train::Losses losses = host(model, batch, step);
      losses.each = losses.each + term;
      return losses;
    };
  }
  Outcome outcome{run_phase(network, problem.samples, rows, problem.seed, phase, problem.watch)};
  outcome.cost.samples += push->rows();
  outcome.facts["seconds_with_term"] = outcome.cost.seconds;
  outcome.facts["seconds_without_term"] = outcome.cost.seconds - push->seconds();
  if (conformal) {
    outcome.facts["calibration"] = {{"source", calibration.source},
                                    {"rows", calibration.rows.size()}};
    outcome.facts["threshold"] = push->threshold();
  }
  return outcome;
}

/// Labels [n] of all rows with those of forget drawn at random, from all classes.
torch::Tensor random_labels(const Problem& problem) {
  Stream stream(problem.seed, "pushed/labels");
  torch::Tensor drawn =
      torch::empty({static_cast<std::int64_t>(problem.forget.size())}, torch::kInt64);
  for (std::int64_t index = 0; index < drawn.numel(); ++index) {
    drawn.data_ptr<std::int64_t>()[index] = static_cast<std::int64_t>(
        stream.below(static_cast<std::uint64_t>(problem.samples.classes())));
  }
  return problem.samples.labels().index_copy(0, problem.samples.index(problem.forget),
                                             drawn.to(problem.samples.device()));
}

Outcome run_host(Problem& problem, PushHost host, train::Phase phase,
                 const PushSettings& settings) {
  const Calibration calibration = settings.term == PushTerm::conformal
                                      ? draw_calibration(problem, settings.calibration)
                                      : Calibration{{}, problem.retain, "none"};
  train::Rows rows = calibration.retain;
  if (host == PushHost::retrain) {
    models::initialise(problem.network, 0, problem.seed);
    const double epochs = phase.epochs;
    phase = train::phase_of(problem.training, problem.samples, {rows});
    if (epochs > 0) phase.epochs = epochs;
  } else if (host == PushHost::random_label) {
    rows.insert(rows.end(), problem.forget.begin(), problem.forget.end());
    phase.objective = [labels = random_labels(problem)](
                          models::Network& network, const train::Batch& batch, const train::Step&) {
      const torch::Tensor logits = network.forward(batch.inputs);
      return train::Losses{row_losses(logits, labels.take(batch.rows)).mean(1), logits};
    };
  }
  return run_with_push(problem, rows, std::move(phase), calibration, settings);
}

}  // namespace

torch::Tensor conformal_term(const torch::Tensor& probabilities, const torch::Tensor& labels,
                             double q, double delta) {
  const torch::Tensor p = probabilities.gather(1, labels.unsqueeze(1)).squeeze(1);
  return (q - (1 - p)).clamp_min(-delta).mean();
}

torch::Tensor carlini_wagner_term(const torch::Tensor& probabilities, const torch::Tensor& labels,
                                  double delta) {
  const torch::Tensor place = labels.unsqueeze(1);
  const torch::Tensor p = probabilities.gather(1, place).squeeze(1);
  const torch::Tensor other = probabilities.scatter(1, place, -1.0).amax(1);
  return (p - other).clamp_min(-delta).mean();
}

double calibration_quantile(const torch::Tensor& scores, double alpha) {
  const std::int64_t count = scores.numel();
  const auto rank =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(count + 1) * (1 - alpha) - 1e-9));
  if (rank > count) return 1;
  return std::get<0>(scores.reshape({-1}).kthvalue(rank)).item<double>();
}

Calibration draw_calibration(const Problem& problem, std::int64_t count) {
  const bool held_out = !problem.validation.empty();
  const train::Rows& from = held_out ? problem.validation : problem.retain;
  const torch::Tensor in_retain = problem.samples.class_counts(problem.retain).gt(0).cpu();
  const torch::Tensor labels =
      problem.samples.labels().index_select(0, problem.samples.index(from)).cpu();
  std::vector<train::Rows> by_class(static_cast<std::size_t>(problem.samples.classes()));
  for (std::size_t index = 0; index < from.size(); ++index) {
    const auto label = static_cast<std::size_t>(labels.data_ptr<std::int64_t>()[index]);
    if (in_retain.data_ptr<bool>()[label]) by_class[label].push_back(from[index]);
  }
  const auto classes = static_cast<std::size_t>(in_retain.sum().item<std::int64_t>());
  const std::size_t each =
      std::max<std::size_t>(1, static_cast<std::size_t>(count) / std::max<std::size_t>(1, classes));
  Calibration result;
  result.source = held_out ? "validation" : "retain";
  for (std::size_t label = 0; label < by_class.size(); ++label) {
    const train::Rows& rows = by_class[label];
    Stream stream(problem.seed, "pushed/calibration", label);
    const std::size_t most = held_out ? rows.size() : rows.size() / 2;
    for (const std::size_t index : stream.sample(rows.size(), std::min(each, most))) {
      result.rows.push_back(rows[index]);
    }
  }
  require(!result.rows.empty(),
          "there are no rows to calibrate a threshold with: give [split] validation a number");
  std::sort(result.rows.begin(), result.rows.end());
  if (held_out) {
    result.retain = problem.retain;
  } else {
    for (const std::int64_t row : problem.retain) {
      if (!std::binary_search(result.rows.begin(), result.rows.end(), row)) {
        result.retain.push_back(row);
      }
    }
  }
  return result;
}

Run conformal_push(Options& options, PushHost host, PushTerm term) {
  // Appendix B: everything but the epochs is as for the original, SGD at .1 in batches of 64.
  train::Phase phase;
  if (host == PushHost::retrain) {
    phase.epochs = number_from(options, "epochs", 0, 0);  // 0: the original's
  } else {
    phase = read_phase(options, {.epochs = host == PushHost::finetune ? 20.0 : 10.0,
                                 .batch = 64,
                                 .rate = 0.1,
                                 .weight_decay = 0,
                                 .schedule = "cosine"});
  }
  PushSettings settings;
  settings.term = term;
  settings.lambda = number_from(options, "lambda", 0.5, 0);
  settings.delta = number_from(options, "delta", 0.01, 0);
  if (term == PushTerm::conformal) {
    settings.alpha = share(options, "alpha", 0.05);
    settings.calibration = integer_from(options, "calibration", 2000, 1);
  }
  return [=](Problem& problem) { return run_host(problem, host, phase, settings); };
}

std::vector<MethodPreset> lambda_presets() {
  return {{"lambda_0.2", {{"lambda", 0.2}}},
          {"lambda_0.5", {{"lambda", 0.5}}},
          {"lambda_1", {{"lambda", 1}}}};
}

}  // namespace vestige::unlearn
