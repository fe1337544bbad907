// What only some systems have is asked for in vestige/base/platform alone, so that another system
// means changes in one folder. This test reads the sources and finds such calls elsewhere.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "vestige/base/file.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;

/// Calls, headers and places that POSIX lacks, or that WebAssembly or Windows do not have.
const std::regex kOfSomeSystems(
    R"re(\b(mmap|munmap|madvise|fork|vfork|posix_spawn\w*|execv\w*|execl\w*|dlopen|dlsym|dlerror)re"
    R"re(|malloc_trim|mallopt|mallinfo2?|syncfs|pipe2?|prctl|ioctl|sysconf|getrusage)re"
    R"re(|sched_getaffinity|__builtin_cpu_supports|__builtin_cpu_is|__get_cpuid)\s*\()re"
    R"re(|\benviron\b|"/proc/)re"
    R"re(|#include <(sys/(mman|prctl|ioctl|resource|sysinfo)|dlfcn|malloc|spawn|cpuid|windows)\.h>)re");

/// The lines, as "3: text", that need one of these.
std::vector<std::string> found_in(const std::string& source) {
  std::vector<std::string> found;
  std::istringstream lines(source);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (std::regex_search(line.substr(0, line.find("//")), kOfSomeSystems)) {
      found.push_back(std::to_string(number) + ": " + line);
    }
  }
  return found;
}

TEST(PlatformSeam, CallsAreFound) {
  EXPECT_EQ(found_in("#include <sys/mman.h>\n").size(), 1U);
  EXPECT_EQ(found_in("x = ::mmap(nullptr, 1);\ny = read_file(\"/proc/self/exe\");").size(), 2U);
  EXPECT_EQ(found_in("for (char** entry = environ; ;)").size(), 1U);
  EXPECT_EQ(found_in("environment(); // mmap(2) is used by platform\npipelines(3);").size(), 0U);
}

TEST(PlatformSeam, NothingOutsideIt) {
  const fs::path root = VESTIGE_SOURCE_DIR;
  std::size_t files = 0;
  for (const char* folder : {"vestige", "cli", "launch", "python/bindings"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string name = fs::relative(entry.path(), root).string();
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".h") continue;
      if (name.starts_with("vestige/base/platform/")) continue;
      ++files;
      for (const std::string& line : found_in(read_file(entry.path()))) {
        ADD_FAILURE() << name << ":" << line << "\nput it behind vestige/base/platform";
      }
    }
  }
  EXPECT_GT(files, 500U);
}

}  // namespace
}  // namespace vestige
