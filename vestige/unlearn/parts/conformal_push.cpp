// The forget term beside a host's loss, timed apart from it.
#include "vestige/unlearn/parts/conformal_push.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "vestige/base/error.h"
#include "vestige/unlearn/methods/finetune.h"
#include "vestige/unlearn/parts/limits.h"
#include "vestige/unlearn/parts/random_label_phases.h"
#include "vestige/unlearn/parts/retraining.h"

namespace vestige::unlearn {
namespace {

struct PushSettings {
  PushTerm term = PushTerm::conformal;
  double lambda = 0.5;
  double delta = 0.01;
  double alpha = 0.05;
  std::int64_t calibration = 2000;
  bool each_step = true;        ///< the term acts in every step; false: in an epoch's first
  std::string renew = "epoch";  ///< the threshold is worked out anew: epoch, step or never
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

  /// Before the first step of any phase, and as often as `renew` says.
  void before_epoch(models::Network& network, bool train) {
    if (settings_.term != PushTerm::conformal) return;
    if (settings_.renew == "never" && renewed_) return;
    renew(network);
    network.train(train);
    renewed_ = true;
  }
  bool renews_each_step() const {
    return settings_.term == PushTerm::conformal && settings_.renew == "step";
  }
  bool acts_in(const train::Step& step) const {
    return settings_.each_step || step.step % step.steps_per_epoch == 0;
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
  bool renewed_ = false;
  double seconds_ = 0;
  std::int64_t rows_ = 0;
};

/// A host with its options, ready to run on `rows` of retain; the change is made to each of its
/// phases before it runs.
using Change = std::function<void(train::Phase&)>;
using Host = std::function<train::Cost(Problem&, const train::Rows& retain, const Change&)>;

Host read_finetune(Options& options) {
  const train::Phase phase = read_phase(options, finetune_defaults());
  return [phase](Problem& problem, const train::Rows& retain, const Change& change) {
    train::Phase changed = phase;
    change(changed);
    return train::run_phase(problem.network, problem.samples, retain, problem.seed, changed,
                            problem.watch);
  };
}

Host read_retrain(Options& options) {
  const double epochs = number_from(options, "epochs", 0, 0);  // 0: the original's
  return [epochs](Problem& problem, const train::Rows& retain, const Change& change) {
    return train_from_scratch(problem, retain, [&](train::Phase& phase) {
      if (epochs > 0) phase.epochs = epochs;
      change(phase);
    });
  };
}

Host read_relabelling(Options& options) {
  const RandomLabelPlan plan = read_random_label(options);
  return [plan](Problem& problem, const train::Rows& retain, const Change& change) {
    return run_random_label(problem, plan, change, &retain);
  };
}

Host read_host(Options& options, PushHost host) {
  if (host == PushHost::finetune) return read_finetune(options);
  return host == PushHost::retrain ? read_retrain(options) : read_relabelling(options);
}

/// Adds the term to the steps of a phase; what the host does before an epoch comes first.
void add_term(const std::shared_ptr<Push>& push, models::Network& network, train::Phase& phase) {
  const bool train = !phase.evaluation_mode;
  phase.before_epoch = [push, &network, train,
                        before = phase.before_epoch](const train::Step& step) {
    if (before) before(step);
    push->before_epoch(network, train);
  };
  const train::Objective host = phase.objective ? phase.objective : train::cross_entropy();
  phase.recordable = false;  // the threshold changes between steps
  phase.objective = [push, host, train](models::Network& model, const train::Batch& batch,
                                        const train::Step& step) {
    if (!push->acts_in(step)) return host(model, batch, step);
    if (push->renews_each_step()) {
      push->renew(model);
      model.train(train);
    }
    const torch::Tensor term = push->backward(model);
    train::Losses losses = host(model, batch, step);
    losses.each = losses.each + term;
    return losses;
  };
}

void add_facts(Outcome& outcome, const Push& push, const Calibration& calibration) {
  outcome.cost.samples += push.rows();
  outcome.facts["seconds_with_term"] = outcome.cost.seconds;
  outcome.facts["seconds_without_term"] = outcome.cost.seconds - push.seconds();
  if (calibration.source != "none") {
    outcome.facts["calibration"] = {{"source", calibration.source},
                                    {"rows", calibration.rows.size()}};
    outcome.facts["threshold"] = push.threshold();
  }
}

Outcome run_with_push(Problem& problem, const Host& host, const PushSettings& settings) {
  // Without weight the host has all of retain, and nothing is calibrated.
  if (settings.lambda == 0) return Outcome{host(problem, problem.retain, [](train::Phase&) {})};
  const bool conformal = settings.term == PushTerm::conformal;
  const Calibration calibration = conformal ? draw_calibration(problem, settings.calibration)
                                            : Calibration{{}, problem.retain, "none"};
  std::shared_ptr<Push> push;
  Outcome outcome{host(problem, calibration.retain, [&](train::Phase& phase) {
    if (!push) push = std::make_shared<Push>(problem, calibration, settings, phase.batch);
    add_term(push, problem.network, phase);
  })};
  add_facts(outcome, *push, calibration);
  return outcome;
}

/// `prefix` keeps the term's options apart from those of any host.
PushSettings read_push(Options& options, PushTerm term, const std::string& prefix = "") {
  PushSettings settings;
  settings.term = term;
  settings.lambda = number_from(options, prefix + "lambda", 0.5, 0);
  settings.delta = number_from(options, prefix + "delta", 0.01, 0);
  settings.each_step = options.choice(prefix + "act", "step", {"step", "epoch"}) == "step";
  if (term == PushTerm::conformal) {
    settings.alpha = share(options, prefix + "alpha", 0.05);
    settings.calibration = integer_from(options, prefix + "calibration", 2000, 1);
    settings.renew = options.choice(prefix + "renew", "epoch", {"epoch", "step", "never"});
  }
  return settings;
}

/// Any method, with the term in every phase of training that it runs.
Outcome run_around(Problem& problem, const Run& host, const PushSettings& settings,
                   const std::string& name) {
  if (settings.lambda == 0) return host(problem);
  const Calibration calibration = draw_calibration(problem, settings.calibration);
  std::shared_ptr<Push> push;
  train::Watch watch = problem.watch;
  watch.change = [&](models::Network& network, train::Phase& phase) {
    if (!push) push = std::make_shared<Push>(problem, calibration, settings, phase.batch);
    add_term(push, network, phase);
  };
  Problem changed{.network = problem.network,
                  .samples = problem.samples,
                  .retain = calibration.retain,
                  .forget = problem.forget,
                  .validation = problem.validation,
                  .seed = problem.seed,
                  .original_seed = problem.original_seed,
                  .training = problem.training,
                  .forget_options = problem.forget_options,
                  .make_network = problem.make_network,
                  .original_file = problem.original_file,
                  .watch = watch,
                  .model = problem.model};
  Outcome outcome = host(changed);
  problem.watch.looking_seconds = watch.looking_seconds;
  require(push != nullptr,
          "{} trains nothing, so that the conformal term has no step to act in: choose a method "
          "that trains, such as finetune, salun or neggrad_plus",
          name);
  add_facts(outcome, *push, calibration);
  return outcome;
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
  const Host run = read_host(options, host);
  const PushSettings settings = read_push(options, term);
  return [=](Problem& problem) { return run_with_push(problem, run, settings); };
}

Method with_conformal_term(Method host) {
  const std::string name = host.id;
  const auto prepare = host.prepare;
  host.id += "+conformal";
  host.summary += ", with the conformal forget term";
  host.prepare = [prepare, name](Options& options) -> Run {
    const Run run = prepare(options);
    const PushSettings settings = read_push(options, PushTerm::conformal, "conformal_");
    return [=](Problem& problem) { return run_around(problem, run, settings, name); };
  };
  return host;
}

std::vector<MethodPreset> push_presets(const std::vector<MethodPreset>& host) {
  std::vector<MethodPreset> presets;
  for (const MethodPreset& preset : host) {
    if (!preset.name.starts_with("conformal")) continue;
    Json values = preset.values;
    values["lambda"] = 0.5;
    values["delta"] = 0.01;
    values["alpha"] = 0.05;
    values["calibration"] = preset.name == "conformal_vit" ? 10000 : 2000;
    presets.push_back({preset.name, values});
  }
  return presets;
}

}  // namespace vestige::unlearn
