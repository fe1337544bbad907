// What the seam to the system answers here, against what the system says by other ways.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support.h"
#include "vestige/base/descriptor.h"
#include "vestige/base/file.h"
#include "vestige/base/platform/disk.h"
#include "vestige/base/platform/library.h"
#include "vestige/base/platform/memory.h"
#include "vestige/base/platform/process.h"
#include "vestige/base/platform/processor.h"
#include "vestige/base/platform/terminal.h"

namespace vestige::platform {
namespace {

namespace fs = std::filesystem;

#if defined(__linux__) && defined(__x86_64__)
TEST(Platform, TheProcessorIsTheOneThatTheSystemNames) {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> flags;
  std::string vendor;
  for (std::string line; std::getline(file, line) && flags.empty();) {
    std::istringstream words(line.substr(std::min(line.find(':') + 1, line.size())));
    if (line.starts_with("vendor_id")) words >> vendor;
    if (line.starts_with("flags")) {
      for (std::string word; words >> word;) flags.insert(word);
    }
  }
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo says nothing";
  const auto has = [&](std::initializer_list<const char*> all) {
    return std::all_of(all.begin(), all.end(),
                       [&](const char* one) { return flags.contains(one); });
  };
  EXPECT_EQ(processor().intel, vendor == "GenuineIntel");
  EXPECT_EQ(processor().avx2, has({"avx2", "fma"}));
  EXPECT_EQ(processor().avx512, has({"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}));
  EXPECT_EQ(processor().f16c, has({"avx", "f16c"}));
}
#endif

TEST(Platform, TheOwnProgramIsThisOne) {
  EXPECT_TRUE(own_program().filename().string().find("test") != std::string::npos) << own_program();
  EXPECT_EQ(fs::file_size(own_program()), read_file(own_program_bytes()).size());
}

TEST(Platform, TheEnvironmentIsWhatIsSetNow) {
  ::setenv("VESTIGE_OF_THIS_TEST", "a=b", 1);
  std::vector<std::string> found = environment();
  EXPECT_EQ(std::count(found.begin(), found.end(), "VESTIGE_OF_THIS_TEST=a=b"), 1);
  ::unsetenv("VESTIGE_OF_THIS_TEST");
  found = environment();
  EXPECT_EQ(std::count(found.begin(), found.end(), "VESTIGE_OF_THIS_TEST=a=b"), 0);
}

TEST(Platform, AChildHasItsFilesFolderAndEnvironment) {
  const testing::TemporaryFolder own;
  const fs::path& folder = own.path();
  write_file(folder / "in.txt", "read\n");
  Launch launch{.program = "/bin/sh",
                .arguments = {"sh", "-c", "cat; echo $NAME; pwd -P; echo error >&2; exit 7"},
                .environment = {"NAME=value"},
                .input = folder / "in.txt",
                .output = folder / "out.txt",
                .errors_to_output = true,
                .folder = folder};
  write_file(folder / "out.txt", "before\n");  // output goes to its end
  const Started started = start(launch);
  ASSERT_EQ(started.error, 0);
  EXPECT_EQ(wait_for(started.child), 7);
  EXPECT_EQ(read_file(folder / "out.txt"),
            "before\nread\nvalue\n" + fs::canonical(folder).string() + "\nerror\n");
}

TEST(Platform, AChildThatASignalEnded) {
  const Started started = start({.program = "/bin/sh", .arguments = {"sh", "-c", "kill -9 $$"}});
  ASSERT_EQ(started.error, 0);
  EXPECT_EQ(wait_for(started.child), 128 + SIGKILL);
}

TEST(Platform, AProcessGoesOnAsAnother) {
  EXPECT_EXIT(become("sh", std::vector<std::string>{"sh", "-c", "exit 6"}),
              ::testing::ExitedWithCode(6), "");
  become("/nowhere/at/all", std::vector<std::string>{"all"});
  EXPECT_EQ(errno, ENOENT);
}

TEST(Platform, AProgramThatIsNotThere) {
  const Started started = start({.program = "/nowhere/at/all", .arguments = {"all"}});
  EXPECT_EQ(started.error, ENOENT);
  EXPECT_EQ(started.child, -1);
}

TEST(Platform, APipeBringsWhatAChildPrintsAndIsNotInherited) {
  std::optional<Pipe> pipe = make_pipe();
  ASSERT_TRUE(pipe);
  for (const int end : {pipe->read.get(), pipe->write.get()}) {
    EXPECT_NE(::fcntl(end, F_GETFD) & FD_CLOEXEC, 0);
  }
  const Started started = start(
      {.program = "/bin/echo", .arguments = {"echo", "told"}, .output_to = pipe->write.get()});
  ASSERT_EQ(started.error, 0);
  pipe->write = Descriptor();
  std::string text(16, '\0');
  const ssize_t count = ::read(pipe->read.get(), text.data(), text.size());
  EXPECT_EQ(wait_for(started.child), 0);
  ASSERT_GT(count, 0);
  EXPECT_EQ(text.substr(0, static_cast<std::size_t>(count)), "told\n");
}

TEST(Platform, AMappedFileHasItsBytes) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder / "file";
  write_file(path, "some bytes");
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::shared_ptr<const void> pages = map(file.get(), 10);
  ASSERT_NE(pages, nullptr);
  EXPECT_EQ(std::string(static_cast<const char*>(pages.get()), 10), "some bytes");
  EXPECT_EQ(map(-1, 10), nullptr);
  EXPECT_EQ(errno, EBADF);
}

TEST(Platform, ALibraryAndItsFunctions) {
  EXPECT_EQ(open_library("libvestige-of-nobody.so"), nullptr);
  EXPECT_NE(library_error().find("libvestige-of-nobody.so"), std::string::npos);
  void* maths = open_library("libm.so.6");
  if (maths == nullptr) GTEST_SKIP() << "no libm.so.6";
  const auto cosine = function_of<double (*)(double)>(maths, "cos");
  ASSERT_NE(cosine, nullptr);
  EXPECT_EQ(cosine(0.0), 1.0);
  EXPECT_EQ(function_of<void (*)()>(maths, "vestige_of_nobody"), nullptr);
  EXPECT_NE(loaded_function<void (*)(void*)>("free"), nullptr);
  EXPECT_EQ(loaded_function<void (*)()>("vestige_of_nobody"), nullptr);
}

TEST(Platform, SyncsWhatIsOpenAlone) {
  const testing::TemporaryFolder own;
  const Descriptor folder(::open(own.path().c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(sync_file_system_of(folder.get()));
#if defined(__linux__)
  EXPECT_FALSE(sync_file_system_of(-1));
  EXPECT_GT(own_bytes(), 0U);
  EXPECT_FALSE(process_space().empty());
  EXPECT_TRUE(processes_are_shown());
#endif
}

TEST(Platform, AFileIsNoTerminal) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder / "out";
  const int kept = ::dup(STDOUT_FILENO);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  ::dup2(file.get(), STDOUT_FILENO);
  const bool terminal = output_is_terminal();
  const std::size_t width = terminal_width();
  ::dup2(kept, STDOUT_FILENO);
  ::close(kept);
  EXPECT_FALSE(terminal);
  EXPECT_EQ(width, 0U);
}

}  // namespace
}  // namespace vestige::platform
