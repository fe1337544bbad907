// fork, redirect, exec, wait.
#include "tests/support/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "tests/support.h"
#include "vestige/base/file.h"

namespace vestige::testing {
namespace {

int open_for_writing(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
}

}  // namespace

Finished run_program(const std::string& program, const std::vector<std::string>& arguments,
                     const ProcessOptions& options) {
  const TemporaryFolder folder;
  const std::string out = (folder / "out").string();
  const std::string err = (folder / "err").string();
  std::vector<char*> argv;
  std::string name = program;
  std::vector<std::string> copies = arguments;
  argv.push_back(name.data());
  for (std::string& copy : copies) argv.push_back(copy.data());
  argv.push_back(nullptr);
  const int binary = ::open(program.c_str(), O_RDONLY | O_CLOEXEC);
  if (binary < 0) throw std::runtime_error("there is no program " + program);

  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    const int out_file = open_for_writing(options.stdout_file.empty() ? out : options.stdout_file);
    const int err_file = open_for_writing(err);
    const int in_file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (::dup2(in_file, 0) < 0 || ::dup2(out_file, 1) < 0 || ::dup2(err_file, 2) < 0) ::_exit(126);
    if (options.in_child) options.in_child();
    ::fexecve(binary, argv.data(), environ);
    ::_exit(127);
  }
  ::close(binary);
  if (options.while_running) options.while_running(child);
  int status = 0;
  ::waitpid(child, &status, 0);
  Finished finished;
  if (WIFEXITED(status)) finished.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished.signal = WTERMSIG(status);
  if (options.stdout_file.empty()) finished.out = read_file(out);
  finished.err = read_file(err);
  return finished;
}

}  // namespace vestige::testing
