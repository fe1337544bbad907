// Writing the outcome of a policy.
#include "cli/gate_files.h"

#include <filesystem>

#include "vestige/base/error.h"
#include "vestige/base/file.h"

namespace vestige::cli {

practice::Policy read_given_policy(const std::string& file, const std::string& option) {
  require(!file.empty(), "{} is empty: give the name of a policy file", option);
  return practice::read_policy(file);
}

void check_gate_files(const GateFiles& files) {
  std::error_code ignored;
  for (const std::string& file : {files.junit, files.markdown}) {
    require(file.empty() || !std::filesystem::is_directory(file, ignored),
            "{} is a folder: give the name of a file", file);
  }
  require(files.junit.empty() || files.junit != files.markdown,
          "--junit and --summary both go to {}: give each its own file", files.junit);
}

void write_gate_files(const GateFiles& files, const practice::Gate& gate,
                      const report::Results& results) {
  if (!files.junit.empty()) write_file(files.junit, practice::gate_junit(gate, results));
  if (!files.markdown.empty()) write_file(files.markdown, practice::gate_markdown(gate, results));
}

}  // namespace vestige::cli
