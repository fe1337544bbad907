// An honest dossier is never called invalid: audit, dossier and verify on 200 random sets of
// evidence of every kind.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "tests/support.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/file.h"
#include "vestige/base/seed.h"
#include "vestige/practice/dossier.h"
#include "vestige/practice/verify.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/html.h"
#include "vestige/report/page/spec_files.h"

namespace vestige::practice {
namespace {

using evidence::DType;
using testing::array_of;
using testing::EvidenceFolder;

std::vector<double> drawn(Stream& stream, std::size_t count, double from, double to) {
  std::vector<double> values(count);
  for (double& value : values) value = from + (to - from) * stream.uniform();
  return values;
}

/// Losses, or token log-probabilities, of one to three models of each role.
void put_sequences(EvidenceFolder& folder, Stream& stream, std::size_t rows, bool tokens) {
  const std::size_t models = 1 + stream.below(3);
  for (const char* role : {"original", "retrained", "unlearned/finetune", "unlearned/nothing"}) {
    for (std::size_t model = 0; model < models; ++model) {
      for (const char* split : {"forget", "retain", "test"}) {
        const std::string own = fmt::format("{}/{}/", role, model);
        if (!tokens) {
          folder.put(own + "losses/" + split,
                     array_of(DType::float32, drawn(stream, rows, 0, 6), {rows}));
          continue;
        }
        std::vector<double> offsets = {0};
        // The same lengths for all models: the sequences are the same.
        for (std::size_t row = 0; row < rows; ++row)
          offsets.push_back(offsets.back() + 3 + static_cast<double>(row % 7));
        const auto count = static_cast<std::size_t>(offsets.back());
        folder.put(own + "tokens/" + split,
                   array_of(DType::float32, drawn(stream, count, -6, 0), {count}));
        folder.put(own + "tokens/" + split + ".offsets",
                   array_of(DType::int64, offsets, {offsets.size()}));
      }
    }
  }
}

std::unique_ptr<EvidenceFolder> random_evidence(Stream& stream, std::size_t trial) {
  const std::size_t kind = trial % 5;  // 0 to 2: classifiers
  const bool large = trial % 50 == 0;
  const std::size_t rows = large ? 900 : 12 + stream.below(40);
  if (kind >= 3) {
    auto folder = std::make_unique<EvidenceFolder>();
    put_sequences(*folder, stream, rows, kind == 4);
    if (kind == 3 && stream.below(2) == 0) {
      folder->put_file("evidence.toml", "losses = \"sequence\"\n");
    }
    return folder;
  }
  auto folder = std::make_unique<EvidenceFolder>(
      testing::EvidenceShape{.classes = 2 + stream.below(4),
                             .models = 1 + stream.below(2),
                             .shadows = stream.below(3),
                             .forget = rows,
                             .retain = 12 + stream.below(60),
                             .test = large ? 900 : 12 + stream.below(60),
                             .memory = 4 * stream.uniform(),
                             .activations = stream.below(2) * 4,
                             .seed = trial + 1});
  if (kind == 1) {
    std::string lines = "row,request\n";
    for (std::size_t row = 0; row < rows; ++row) lines += fmt::format("{},r{}\n", row, row % 3);
    folder->put_file("requests.csv", lines);
  }
  return folder;
}

/// Few numbers most of the time: verifying takes as long as the results are. Of each kind of
/// evidence every fourth has more, every twentieth much more, and four have all groups of metrics.
std::vector<std::string> chosen_metrics(std::size_t trial) {
  if (trial % 100 == 7 || trial % 100 == 8) return {};
  std::vector<std::string> metrics = {"holdout_gap", "utility"};
  if (trial / 5 % 4 != 0) return metrics;
  if (trial % 5 == 4) metrics.emplace_back("lm");
  if (trial % 5 < 3) metrics.emplace_back("attacks");
  if (trial % 5 < 3 && trial / 5 % 20 == 0) {
    metrics.insert(metrics.end(), {"closeness", "conformal"});
  }
  return metrics;
}

// Verifying makes the page and the plots again from results.json and compares
// their bytes, and measures everything again from the evidence.
TEST(Reproducible, AnHonestDossierIsValid) {
  for (std::size_t trial = 0; trial < 200; ++trial) {
    Stream stream(21, "reproducible", trial);
    const auto folder = random_evidence(stream, trial);
    const report::Audited audited = report::run_audit(
        folder->path(), {"vestige audit", {chosen_metrics(trial), trial + 1, Json::object()}});
    const testing::TemporaryFolder place;
    FileSet files(place / "results", false);
    report::add_files(audited, files);
    files.commit();
    DossierOptions options;
    options.results = place / "results";
    options.evidence = folder->path();
    write_dossier(place / "dossier", options);
    const Verification found =
        verify(place / "dossier", {.evidence = folder->path(), .allow_unchecked = {"signature"}});
    ASSERT_TRUE(found.valid()) << "trial " << trial << "\n" << verification_text(found);
    // Signature apart, every part was there and was checked.
    std::set<std::string> valid;
    for (const CheckedPart& finding : found.findings) {
      if (finding.outcome == Validity::valid) valid.insert(finding.what);
    }
    for (const char* part :
         {"results.json", "report.html", "plots", "evidence", "numbers", "samples.csv"}) {
      ASSERT_TRUE(valid.contains(part)) << part << ", trial " << trial << "\n"
                                        << verification_text(found);
    }
  }
}

}  // namespace
}  // namespace vestige::practice
