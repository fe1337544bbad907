// The small problem, trained once per test program.
#include "tests/unlearn/bench.h"

#include <map>

#include "vestige/data/synthetic.h"
#include "vestige/models/clone.h"
#include "vestige/models/weights/safetensors.h"
#include "vestige/train/training.h"
#include "vestige/train/update_log.h"
#include "vestige/unlearn/table.h"

namespace vestige::testing {

struct UnlearnBench::Parts {
  data::Dataset data;
  std::unique_ptr<train::Samples> samples;
  train::Rows train, forget, retain, validation, test;
  std::string architecture;
  train::TrainSettings settings;
  Json forget_options;
  models::NetworkPointer original, retrained;
  std::vector<models::NetworkPointer> working;
  std::string log;
  train::Watch watch;

  models::NetworkPointer network() const {
    Options options(Json{{"name", architecture}}, "test");
    return models::make(options, {data.shape, data.classes}, 1);
  }

  models::NetworkPointer trained(const train::Rows& rows, std::uint64_t seed, bool keep_log) {
    models::NetworkPointer result = network();
    models::initialise(*result, 0, seed);
    train::Phase phase;
    phase.epochs = settings.epochs;
    phase.batch = settings.batch;
    phase.optimizer = settings.optimizer;
    phase.schedule = settings.schedule;
    phase.objective = train::cross_entropy();
    train::UpdateLog updates(*result, *samples, forget);
    if (keep_log) updates.attach(phase);
    train::run_phase(*result, *samples, rows, seed, phase, watch);
    if (keep_log) log = updates.bytes();
    return result;
  }
};

namespace {

constexpr std::uint64_t kOriginalSeed = 1;
constexpr std::uint64_t kRetrainedSeed = 2;

}  // namespace

UnlearnBench::UnlearnBench(const std::string& kind, const std::string& architecture)
    : parts_(std::make_unique<Parts>()) {
  // Other tests of the program may have set another number, and sums depend on it.
  train::prepare_engine("cpu", 1);
  Parts& parts = *parts_;
  // 0.5: the training set can be learnt by heart, and unseen rows are often wrong; a test says how
  // often (UnlearnBench.HasRoomToForget).
  Options options(Json{{"name", "synthetic"},
                       {"rows", 1000},
                       {"test_rows", 500},
                       {"classes", 4},
                       {"height", 8},
                       {"width", 8},
                       {"memorise", 0.5},
                       {"seed", 3}},
                  "test");
  parts.data = data::load_synthetic(options);
  parts.architecture = architecture;
  parts.samples = std::make_unique<train::Samples>(parts.data, torch::Device("cpu"));
  parts.forget_options = Json{{"kind", kind}, {"classes", {0}}};
  for (std::int64_t row = 0; row < 800; ++row) {
    const bool forgotten =
        kind == "class" ? parts.data.labels[static_cast<std::size_t>(row)] == 0 : row < 80;
    (forgotten ? parts.forget : parts.retain).push_back(row);
    parts.train.push_back(row);
  }
  for (std::int64_t row = 800; row < 1000; ++row) parts.validation.push_back(row);
  for (std::int64_t row = 1000; row < 1500; ++row) parts.test.push_back(row);
  parts.settings.epochs = 30;
  parts.settings.batch = 32;
  parts.settings.optimizer.rate = 0.05;
  parts.settings.schedule.kind = "cosine";
  parts.original = parts.trained(parts.train, kOriginalSeed, true);
  parts.retrained = parts.trained(parts.retain, kRetrainedSeed, false);
}

UnlearnBench::~UnlearnBench() = default;

unlearn::Problem UnlearnBench::problem(std::uint64_t seed) {
  train::prepare_engine("cpu", 1);
  Parts& parts = *parts_;
  parts.working.push_back(parts.network());
  models::copy_weights(*parts.original, 0, *parts.working.back(), 0);
  return {.network = *parts.working.back(),
          .samples = *parts.samples,
          .retain = parts.retain,
          .forget = parts.forget,
          .validation = parts.validation,
          .seed = seed,
          .original_seed = kOriginalSeed,
          .training = parts.settings,
          .forget_options = parts.forget_options,
          .make_network = [&parts] { return parts.network(); },
          .original_file = [&parts](const std::string&) { return parts.log; },
          .watch = parts.watch};
}

models::Network& UnlearnBench::original() const { return *parts_->original; }
models::Network& UnlearnBench::retrained() const { return *parts_->retrained; }
const train::Samples& UnlearnBench::samples() const { return *parts_->samples; }
const train::Rows& UnlearnBench::forget() const { return parts_->forget; }
const train::Rows& UnlearnBench::retain() const { return parts_->retain; }
const train::Rows& UnlearnBench::validation() const { return parts_->validation; }
const train::Rows& UnlearnBench::test() const { return parts_->test; }

double UnlearnBench::forget_accuracy(models::Network& network) const {
  return train::accuracy(network, samples(), forget());
}
double UnlearnBench::retain_accuracy(models::Network& network) const {
  return train::accuracy(network, samples(), retain());
}
double UnlearnBench::test_accuracy(models::Network& network) const {
  return train::accuracy(network, samples(), test());
}
double UnlearnBench::forget_loss(models::Network& network) const {
  return train::mean_loss(network, samples(), forget());
}

double UnlearnBench::progress(models::Network& network) const {
  const double from = forget_loss(original()), to = forget_loss(retrained());
  return (forget_loss(network) - from) / (to - from);
}

unlearn::Outcome UnlearnBench::run(const std::string& method, const Json& options,
                                   unlearn::Problem& problem) {
  Options given(options, method);
  unlearn::Run run = unlearn::find_method(method).prepare(given);
  given.finish();
  return run(problem);
}

UnlearnBench& UnlearnBench::of(const std::string& kind, const std::string& architecture) {
  static std::map<std::string, std::unique_ptr<UnlearnBench>> benches;
  auto& bench = benches[kind + "/" + architecture];
  if (!bench) bench = std::make_unique<UnlearnBench>(kind, architecture);
  return *bench;
}

std::vector<std::string> changed(const models::Network& left, const models::Network& right) {
  std::vector<std::string> names;
  const auto others = right.named_parameters();
  for (const auto& item : left.named_parameters()) {
    if (!torch::equal(item.value(), others[item.key()])) names.push_back(item.key());
  }
  const auto other_buffers = right.named_buffers();
  for (const auto& item : left.named_buffers()) {
    if (!torch::equal(item.value(), other_buffers[item.key()])) names.push_back(item.key());
  }
  return names;
}

}  // namespace vestige::testing
