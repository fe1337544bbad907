// The folders are the data flow: an include against it fails here, with file and line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support.h"
#include "vestige/base/file.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;

/// What each folder of vestige/ may include besides itself and base (docs/develop/architecture.md).
const std::map<std::string, std::set<std::string>> kAllowed = {
    {"base", {}},
    {"data", {"evidence"}},  // for the array files npy, npz, csv
    {"pool", {}},
    {"models", {"evidence"}},  // for safetensors
    {"train", {"data", "pool", "models"}},
    {"unlearn", {"data", "pool", "models", "train"}},
    {"collect", {"data", "pool", "models", "train", "unlearn", "evidence"}},
    {"evidence", {"result", "words"}},  // words: to throw a reason as an error
    {"result", {}},
    {"metrics", {"evidence", "result"}},
    {"import", {"evidence", "result", "metrics"}},
    {"audit", {"evidence", "result", "words", "metrics"}},  // words: likewise
    {"study", {"evidence", "result", "metrics", "audit"}},
    {"words", {"result", "metrics"}},  // metrics: their plain names
    {"report", {"evidence", "result", "words", "metrics", "audit", "study"}},
    {"practice", {"evidence", "result", "words", "metrics", "audit", "study", "report"}},
    {"tokenizer", {}},
    {"language",
     {"tokenizer", "data", "pool", "models", "train", "collect", "evidence", "result", "words",
      "metrics", "audit", "study", "report", "experiment"}},
    {"experiment",
     {"data", "pool", "models", "train", "unlearn", "collect", "evidence", "result", "words",
      "metrics", "audit", "study", "report"}},
};
/// Sub-folders of metrics/ that families share, and what each may include of the others; every
/// other sub-folder is a family's and may include these and itself, never another family.
const std::map<std::string, std::set<std::string>> kShared = {
    {"stats", {}},
    {"kernels", {"stats"}},
    {"learn", {"stats", "kernels"}},
    {"scores", {"stats", "learn", "kernels"}},
    {"inputs", {"stats", "learn", "kernels", "scores"}},
};
const std::set<std::string> kLab = {"models", "train", "unlearn", "collect", "language"};
/// May include all of vestige/; cli also includes launch.
const std::set<std::string> kTop = {"cli", "launch", "python"};

/// The first folders of a path: "vestige/base/x.h" -> {"vestige", "base", "x.h"}.
std::vector<std::string> parts(const fs::path& path) {
  std::vector<std::string> names;
  for (const fs::path& part : path) names.push_back(part.string());
  return names;
}

/// Why a file of metrics/ may not include another of metrics/; empty if it may. The registry names
/// every family.
std::string problem_between_families(const std::vector<std::string>& from,
                                     const std::vector<std::string>& to) {
  if (from.size() < 4) {
    const bool free = from.at(2) == "registry.cpp" || to.size() < 4 || to[2] == "stats";
    return free ? "" : "only the registry and families look into " + to[2] + "/";
  }
  if (to.size() < 4 || from[2] == to[2]) return {};
  const auto shared = kShared.find(from[2]);
  if (shared == kShared.end()) {
    return kShared.count(to[2]) > 0 ? "" : "a family may not include another, " + to[2] + "/";
  }
  return shared->second.count(to[2]) > 0 ? "" : from[2] + "/ may not include " + to[2] + "/";
}

/// Why `file` may not include `included`; empty if it may.
std::string problem(const std::string& file, const std::string& included, bool quoted) {
  const std::vector<std::string> from = parts(file);
  const std::vector<std::string> to = parts(included);
  const bool in_library = from[0] == "vestige";
  const std::string folder = in_library ? from.at(1) : from[0];
  if (included == "mpi.h" && folder != "launch") return "only launch/ may include mpi.h";
  if ((to[0] == "torch" || to[0] == "ATen" || to[0] == "c10") && kLab.count(folder) == 0) {
    return "only the lab may include torch";
  }
  if (to[0] == "tests" || to[0] == "bench") return "nothing includes tests or benchmarks";
  const bool launched = folder == "cli" && to[0] == "launch";
  if (kTop.count(to[0]) > 0 && to[0] != folder && !launched) {
    return "nothing includes " + to[0] + "/";
  }
  if (to[0] != "vestige") {
    const bool own = kTop.count(to[0]) > 0;
    return quoted && !own ? "includes of our own files start at the repository's root" : "";
  }
  if (!in_library || included == "vestige/version.h" || to.size() < 3) return {};
  if (kAllowed.count(folder) == 0) return "the folder " + folder + " is not in the table";
  if (folder == "metrics" && to[1] == folder) return problem_between_families(from, to);
  if (to[1] == folder || to[1] == "base" || kAllowed.at(folder).count(to[1]) > 0) return {};
  return folder + "/ may not include " + to[1] + "/";
}

/// What an #include line names, with its opening quote or bracket: "\"x.h", "<x.h"; else empty.
std::string included_by(std::string line) {
  std::erase_if(line, [](char each) { return each == ' ' || each == '\t'; });
  constexpr std::string_view kDirective = "#include";
  if (!line.starts_with(kDirective) || line.size() <= kDirective.size()) return {};
  const char open = line[kDirective.size()];
  if (open != '"' && open != '<') return {};
  const std::size_t end = line.find(open == '<' ? '>' : '"', kDirective.size() + 1);
  return line.substr(kDirective.size(), end - kDirective.size());
}

/// "vestige/base/x.h:3: ..." for every forbidden include below root.
std::vector<std::string> violations(const fs::path& root) {
  std::vector<std::string> found;
  for (const char* top : {"vestige", "cli", "launch", "python"}) {
    if (!fs::is_directory(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".h" && ending != ".cpp") continue;
      const std::string file = fs::relative(entry.path(), root).string();
      std::ifstream stream(entry.path());
      std::size_t number = 0;
      for (std::string line; std::getline(stream, line);) {
        ++number;
        const std::string named = included_by(line);
        if (named.size() < 2) continue;
        const std::string why = problem(file, named.substr(1), named[0] == '"');
        if (!why.empty()) {
          found.push_back(fmt::format("{}:{}: {}: {}", file, number, named.substr(1), why));
        }
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(IncludeDirection, HoldsInThisTree) {
  for (const std::string& line : violations(VESTIGE_SOURCE_DIR)) ADD_FAILURE() << line;
}

TEST(IncludeDirection, CoversEveryFolder) {
  for (const auto& entry : fs::directory_iterator(fs::path(VESTIGE_SOURCE_DIR) / "vestige")) {
    if (entry.is_directory()) {
      EXPECT_EQ(kAllowed.count(entry.path().filename().string()), 1U) << entry.path();
    }
  }
}

// The checker itself: one synthetic tree with every kind of mistake, and what is fine between them.
TEST(IncludeDirection, SeesForbiddenEdges) {
  const testing::TemporaryFolder root;
  fs::create_directories(root / "vestige/metrics/iam");
  fs::create_directories(root / "vestige/metrics/stats");
  fs::create_directories(root / "vestige/report");
  fs::create_directories(root / "vestige/odd");
  fs::create_directories(root / "cli");
  write_file(root / "vestige/metrics/bad.cpp",
             "// a comment\n"
             "#include \"vestige/metrics/bad.h\"\n"
             "#include \"vestige/audit/audit.h\"\n"
             "#include <torch/torch.h>\n"
             "  #  include \"cli/verbs.h\"\n"
             "#include \"bad.h\"\n"
             "#include <mpi.h>\n"
             "#include <vector>\n");
  write_file(root / "vestige/metrics/iam/iam_family.cpp",
             "#include \"vestige/metrics/stats/roc.h\"\n#include \"vestige/metrics/iam/iam.h\"\n"
             "#include \"vestige/metrics/family.h\"\n#include \"vestige/metrics/lm/lm.h\"\n");
  write_file(root / "vestige/metrics/stats/roc.h", "#include \"vestige/metrics/iam/iam.h\"\n");
  write_file(root / "vestige/metrics/series.h", "#include \"vestige/metrics/iam/iam.h\"\n");
  write_file(root / "vestige/metrics/registry.cpp", "#include \"vestige/metrics/iam/iam.h\"\n");
  write_file(root / "vestige/report/good.h",
             "#include <vestige/version.h>\n#include \"vestige/metrics/x.h\"\n"
             "#include \"vestige/base/x.h\"\n");
  write_file(root / "vestige/odd/x.h", "#include \"vestige/base/x.h\"\n");
  write_file(root / "cli/main.cpp",
             "#include \"vestige/report/x.h\"\n#include \"cli/verbs.h\"\n"
             "#include \"launch/launch.h\"\n"
             "#include \"tests/support.h\"\n");
  EXPECT_EQ(violations(root.path()),
            (std::vector<std::string>{
                "cli/main.cpp:4: tests/support.h: nothing includes tests or benchmarks",
                "vestige/metrics/bad.cpp:3: vestige/audit/audit.h: metrics/ may not include audit/",
                "vestige/metrics/bad.cpp:4: torch/torch.h: only the lab may include torch",
                "vestige/metrics/bad.cpp:5: cli/verbs.h: nothing includes cli/",
                "vestige/metrics/bad.cpp:6: bad.h: includes of our own files start at the "
                "repository's root",
                "vestige/metrics/bad.cpp:7: mpi.h: only launch/ may include mpi.h",
                "vestige/metrics/iam/iam_family.cpp:4: vestige/metrics/lm/lm.h: a family may not "
                "include another, lm/",
                "vestige/metrics/series.h:1: vestige/metrics/iam/iam.h: only the registry and "
                "families look into iam/",
                "vestige/metrics/stats/roc.h:1: vestige/metrics/iam/iam.h: stats/ may not include "
                "iam/",
                "vestige/odd/x.h:1: vestige/base/x.h: the folder odd is not in the table"}));
}

}  // namespace
}  // namespace vestige
