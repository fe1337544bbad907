// Every metric family, in the order of the report. Adding a metric adds one line here.
#include <cassert>
#include <deque>
#include <vector>

#include "vestige/metrics/addition.h"
#include "vestige/metrics/attacks/attacks_family.h"
#include "vestige/metrics/closeness/closeness_family.h"
#include "vestige/metrics/conformal/conformal_family.h"
#include "vestige/metrics/entropy/entropy_family.h"
#include "vestige/metrics/epsilon/epsilon_family.h"
#include "vestige/metrics/epsilon/mia_gap_family.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/generation/generation_family.h"
#include "vestige/metrics/holdout_gap/holdout_gap_family.h"
#include "vestige/metrics/iam/iam_family.h"
#include "vestige/metrics/imported/imported_family.h"
#include "vestige/metrics/kernel_test/kernel_test_family.h"
#include "vestige/metrics/klom/klom_family.h"
#include "vestige/metrics/lm/continuations_family.h"
#include "vestige/metrics/lm/lm_family.h"
#include "vestige/metrics/mia/mia_family.h"
#include "vestige/metrics/mia_protocol/mia_protocol_family.h"
#include "vestige/metrics/miau/miau_family.h"
#include "vestige/metrics/multiple_choice/multiple_choice_family.h"
#include "vestige/metrics/one_run/one_run_family.h"
#include "vestige/metrics/representation/representation_family.h"
#include "vestige/metrics/returns/returns_family.h"
#include "vestige/metrics/score_ui/score_ui_family.h"
#include "vestige/metrics/sde/sde_family.h"
#include "vestige/metrics/smi/smi_family.h"
#include "vestige/metrics/ulira/ulira_family.h"
#include "vestige/metrics/utility/utility.h"
#include "vestige/metrics/verification/verification_family.h"
#include "vestige/metrics/zrf/zrf_family.h"

namespace vestige::metrics {
namespace {

std::vector<Family>& table() {
  // A line each, so that branches that add one do not meet.
  // clang-format off
  static std::vector<Family> all = {
      utility_family(),
      holdout_gap_family(),
      closeness_family(),
      entropy_family(),
      epsilon_family(),
      klom_family(),
      ulira_family(),
      mia_gap_family(),
      miau_family(),
      mia_family(),
      zrf_family(),
      conformal_family(),
      attacks_family(),
      iam_family(),
      score_ui_family(),
      mia_protocol_family(),
      representation_family(),
      sde_family(),
      mmd_family(),
      wasserstein_family(),
      generation_family(),
      lm_family(),
      losses_family(),
      kernel_test_family(),
      smi_family(),
      verification_family(),
      one_run_family(),
      returns_family(),
      imported_family(),
      multiple_choice_family(),
      continuations_family(),
  };
  // clang-format on
  return all;
}

}  // namespace

std::span<const Family> families() { return table(); }

std::span<const Addition> additions() {
  static const std::vector<Addition> all = {returns_addition()};
  return all;
}

const Addition* find_addition(std::string_view metric) {
  for (const Addition& addition : additions()) {
    if (addition.metric == metric) return &addition;
  }
  return nullptr;
}

AddedFamily::AddedFamily(Family family) : name_(family.name) {
  table().push_back(std::move(family));
}
AddedFamily::~AddedFamily() {
  std::erase_if(table(), [this](const Family& family) { return family.name == name_; });
}

}  // namespace vestige::metrics
