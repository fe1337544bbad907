// The program under test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace vestige::testing {

/// Without lines of progress ("sde: 16 of 17 (94 %), 1 s left"), which come after two seconds and
/// so on a slow or busy machine only.
inline std::string without_progress(const std::string& text) {
  std::string kept;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    const std::string line = text.substr(start, end - start);
    const bool counts = line.find(" of ") < line.find(" %)");
    const bool progress = counts && (line.ends_with(" s left\n") || line.ends_with(" %)\n"));
    if (!progress) kept += line;
    start = end;
  }
  return kept;
}

inline Finished vestige(const std::vector<std::string>& arguments,
                        const ProcessOptions& options = {}) {
  Finished finished = run_program(VESTIGE_BINARY_DIR "/vestige", arguments, options);
  finished.err = without_progress(finished.err);
  return finished;
}

/// Exit code 2, nothing on standard output, one sentence on standard error that holds every part.
inline ::testing::AssertionResult refuses(const Finished& finished,
                                          std::initializer_list<std::string_view> parts) {
  const auto wrong = [&finished](const std::string& what) {
    return ::testing::AssertionFailure()
           << what << "; code " << finished.code << ", signal " << finished.signal << ", stdout '"
           << finished.out << "', stderr '" << finished.err << "'";
  };
  if (finished.code != 2) return wrong("the exit code is not 2");
  if (!finished.out.empty()) return wrong("standard output is not empty");
  if (!finished.err.starts_with("vestige: ")) return wrong("no 'vestige: ' in front");
  if (std::count(finished.err.begin(), finished.err.end(), '\n') != 1 ||
      finished.err.back() != '\n') {
    return wrong("standard error is not one line");
  }
  for (const std::string_view part : parts) {
    if (finished.err.find(part) == std::string::npos) {
      return wrong("'" + std::string(part) + "' is missing");
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace vestige::testing
