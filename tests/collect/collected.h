// A tiny recipe whose models are trained and then collected.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support.h"
#include "tests/train/support.h"
#include "vestige/collect/collect.h"
#include "vestige/evidence/reader.h"
#include "vestige/pool/run.h"
#include "vestige/train/training.h"
#include "vestige/words/words.h"

namespace vestige::collect {

/// What reading finds, but for models at chance, which say one class only or look like rows in
/// another order: these were trained for a moment.
inline std::string complaints(const evidence::Findings& findings) {
  std::string text;
  for (const evidence::Finding& finding : findings) {
    const bool at_chance = finding.code == "W-COLLAPSED" || finding.code == "W-ORDER";
    if (!at_chance) text += words::text(evidence::about(finding)) + "\n";
  }
  return text;
}

class Collected : public ::testing::Test {
 protected:
  Collected() : store_(folder_ / "pool") {
    const auto jobs = train::training_jobs(lab_, train::plan(*lab_));
    pool::run(store_, jobs, {.progress = false});
  }
  CollectSettings settings() const {
    CollectSettings settings;
    settings.out = folder_ / "evidence";
    return settings;
  }
  CollectSummary collect(const CollectSettings& settings, bool force = false) {
    return collect::collect(lab_, train::plan(*lab_), {}, store_, settings, force);
  }

  testing::TemporaryFolder folder_;
  std::shared_ptr<const train::Lab> lab_ =
      testing::tiny_lab({"train.checkpoints=[0.5]", "pool.random=1", "train.epochs=2"});
  pool::Store store_;
};

}  // namespace vestige::collect
