// exec for verbs that people ask for; a child with a pipe where its answer is needed here.
#include "cli/lab_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

#include "vestige/base/blas_kernels.h"
#include "vestige/base/error.h"
#include "vestige/base/platform/process.h"

namespace vestige::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLabProgram = "vestige-lab";
constexpr int kNoLab = 2;

constexpr LabVerb kLabVerbs[] = {
    {"split", "Show who a recipe trains on, forgets and holds out; write it"},
    {"train", "Train the models that a recipe needs and its pool lacks; go on where it stopped"},
    {"unlearn", "Run unlearning methods on a recipe's originals; train first what is missing"},
    {"methods", "List the unlearning methods"},
    {"recover", "Apply recovery tests to a recipe's models: does what was forgotten come back?"},
    {"collect", "Write what a recipe's models say about its data as evidence, ready to audit"},
    {"models", "List the models of a pool: what each is, its accuracy and size"},
    {"bench", "Run a whole experiment: train, unlearn, collect, audit, compare, report"},
    {"tune", "Try options of methods on a split of its own; the best by a metric win"},
};

bool can_run(const fs::path& path) { return ::access(path.c_str(), X_OK) == 0; }

/// All that comes out of `from` until it is closed.
std::string read_all(int from) {
  std::string text;
  std::array<char, 65536> piece;
  for (;;) {
    const ssize_t count = ::read(from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

const char* const kHowToGetLab = "make build builds it, and the package vestige-lab installs it";

std::span<const LabVerb> lab_verbs() { return kLabVerbs; }

bool is_lab_command(int argc, char** argv) {
  if (argc < 2) return false;
  const std::string_view verb = argv[1];
  if (verb == "demo") {
    return std::none_of(argv + 2, argv + argc,
                        [](const char* word) { return std::string_view(word) == "--evidence"; });
  }
  return std::ranges::any_of(kLabVerbs, [verb](const LabVerb& lab) { return verb == lab.name; });
}

std::optional<fs::path> find_lab() {
  const fs::path own = platform::own_program();
  const fs::path beside = own.parent_path() / kLabProgram;
  if (!own.empty() && can_run(beside)) return beside;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / kLabProgram;
    if (can_run(candidate)) return candidate;
  }
  return std::nullopt;
}

int start_lab(char** argv) {
  const std::optional<fs::path> lab = find_lab();
  std::string why = "is neither beside this program nor on the PATH";
  if (lab) {
    std::string program = lab->string();
    argv[0] = program.data();
    choose_blas_kernels();
    platform::become(program, argv);
    why = fmt::format("in {} cannot be started: {}", program, std::strerror(errno));
  }
  std::fputs(fmt::format("vestige: {} is a verb of {}, which {}: {}\n", argv[1], kLabProgram, why,
                         kHowToGetLab)
                 .c_str(),
             stderr);
  return kNoLab;
}

std::string output_of_lab(const fs::path& lab, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), lab.string());
  choose_blas_kernels();
  std::optional<platform::Pipe> pipe = platform::make_pipe();
  if (!pipe) fail("cannot make a pipe to {}: {}", lab.string(), std::strerror(errno));
  const platform::Started started =
      platform::start({.program = lab, .arguments = arguments, .output_to = pipe->write.get()});
  pipe->write = Descriptor();  // the child has the other one
  require(started.error == 0, "cannot start {}: {}", lab.string(), std::strerror(started.error));
  const std::string text = read_all(pipe->read.get());
  require(platform::wait_for(started.child) <= 1,
          "{} {} did not finish: run it by itself to see why", lab.string(), arguments[1]);
  return text;
}

}  // namespace vestige::cli
