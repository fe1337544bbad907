// The evidence that is spoilt, what the program says, and the page.
#include "tests/audit/misuse/misuse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/evidence/formats/npz.h"
#include "vestige/practice/gate.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/summary_plot.h"
#include "vestige/words/verdicts.h"

namespace vestige::misuse {
namespace {

using evidence::DType;
using testing::array_of;
using testing::EvidenceFolder;

struct Role {
  std::string folder;  ///< in the evidence
  std::string from;    ///< in the archive
  std::size_t first;   ///< model of the archive
};
const Role kRoles[] = {{"original", "original", 0},
                       {"retrained", "retrained", 0},
                       {"unlearned/fresh", "retrained", 3},
                       {"unlearned/untouched", "original", 3}};

std::size_t rows_of(const std::string& split) { return split == "test" ? 900 : 400; }

/// The loss of the true class, from logits.
double loss_of(std::span<const double> logits, std::size_t label) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - most);
  return std::log(sum) + most - logits[label];
}

void put_model(EvidenceFolder& folder, const std::string& path, const std::string& split,
               const evidence::Array& outputs, const std::vector<std::int64_t>& labels,
               bool losses) {
  const std::size_t rows = rows_of(split), classes = outputs.cols();
  std::vector<double> values(rows * classes), own;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<double> logits = std::span(values).subspan(row * classes, classes);
    outputs.read_row(row, logits);
    own.push_back(loss_of(logits, static_cast<std::size_t>(labels[row])));
  }
  if (losses) {
    folder.put(path + "/losses/" + split, array_of(DType::float32, own, {rows}));
  } else {
    folder.put(path + "/" + split, array_of(DType::float16, values, {rows, classes}));
  }
}

std::string in_table(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

/// Without the folder of the test, which is another one each time.
std::string without_path(std::string text, const std::string& path) {
  for (std::size_t at; (at = text.find(path)) != std::string::npos;) {
    text.replace(at, path.size(), "EVIDENCE");
  }
  return text;
}

}  // namespace

void put_known_evidence(EvidenceFolder& folder, Base base) {
  static const evidence::Npz archive(VESTIGE_SOURCE_DIR "/tests/reference/known.npz");
  for (const char* split : {"forget", "retain", "test"}) {
    std::vector<std::int64_t> labels = archive.load(std::string("labels/") + split).integers();
    labels.resize(rows_of(split));
    folder.put_labels(split, labels);
    for (const Role& role : kRoles) {
      const evidence::Array all = archive.load(role.from + "/" + split);
      for (std::size_t model = 0; model < (base == Base::one_each ? 1U : 3U); ++model) {
        put_model(folder, role.folder + "/" + std::to_string(model), split,
                  all.slice(role.first + model), labels, base == Base::losses);
      }
    }
  }
}

Answer answer_to(const Misuse& misuse) {
  EvidenceFolder folder;
  put_known_evidence(folder, misuse.base);
  misuse.change(folder);
  Answer answer;
  try {
    const report::Audited audited =
        report::run_audit(folder.path(), {.command = "audit", .options = {.metrics = {"utility"}}});
    for (const audit::Verdict& verdict : audited.results.verdicts) {
      answer.words.push_back(words::word(verdict.word));
      if (answer.why.empty()) answer.why = words::why(verdict);
    }
    answer.headline =
        report::answer(report::summary_plots(audited.results), audited.results.verdicts);
    answer.passed = practice::gate(audited.results, practice::default_policy()).passed;
  } catch (const InputError& error) {
    answer.refused = true;
    answer.why = error.what();
  }
  answer.why = without_path(answer.why, folder.path().string());
  return answer;
}

std::string misuse_page() {
  std::string page =
      "# Wrong evidence, and what the program says\n\n"
      "Each line makes one mistake in the same evidence and audits it. The evidence is that of "
      "CNNs "
      "on Fashion-MNIST with known answers: three originals, three retrained models and two "
      "methods, of 400 forget, 400 retain and 900 test examples. *fresh* holds retrained models of "
      "other seeds, so FORGOTTEN is right where nothing is wrong. *untouched* holds originals of "
      "other seeds, which forgot nothing. The last column is the reason of the first verdict, or "
      "the error. Refused evidence is not audited (exit code 2).\n\n"
      "No mistake may end in FORGOTTEN or pass the default policy. `make misuse` writes this page, "
      "and a test compares it. [Wrong recipes](misuse-recipes.md) make the same kinds of mistakes "
      "in "
      "an experiment; [Python](misuse-python.md) makes them in memory.\n";
  for (const Topic& topic : misuses()) {
    page += fmt::format(
        "\n## {}\n\n| mistake | fresh | untouched | what the program says |\n"
        "|---|---|---|---|\n",
        topic.name);
    for (const Misuse& misuse : topic.cases) {
      const Answer answer = answer_to(misuse);
      const std::string words = answer.refused ? "refused | refused"
                                : answer.words.empty()
                                    ? "- | -"
                                    : fmt::format("{}", fmt::join(answer.words, " | "));
      page += fmt::format("| {} | {} | {} |\n", misuse.what, words, in_table(answer.why));
    }
  }
  return page;
}

}  // namespace vestige::misuse
