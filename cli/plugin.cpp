// Starting Python for audits with plug-ins.
#include "cli/plugin.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "vestige/base/error.h"
#include "vestige/base/platform/process.h"

namespace vestige::cli {
namespace {

/// What Python runs. Without the package it says so in a sentence, with exit code 2.
constexpr const char* kProgram =
    "import sys\n"
    "try:\n"
    "    from vestige._plugin import main\n"
    "except ImportError as error:\n"
    "    sys.exit(print(f'vestige: --plugin needs the Python package of Vestige for "
    "{sys.executable} "
    "'\n"
    "                   f'({error}): install it with pip install ., or name another Python in '\n"
    "                   'VESTIGE_PYTHON', file=sys.stderr) or 2)\n"
    "sys.exit(main(sys.argv[1]))\n";

}  // namespace

void audit_in_python(const std::vector<std::string>& plugins, const Json& settings) {
  for (const std::string& plugin : plugins) {
    require(std::filesystem::is_regular_file(plugin),
            "--plugin {}: there is no such file: give a Python file with @vestige.metric functions",
            plugin);
  }
  Json given = settings;
  given["plugins"] = plugins;
  const char* named = std::getenv("VESTIGE_PYTHON");
  const std::string python = named == nullptr || *named == '\0' ? "python3" : named;
  const std::string text = given.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::fflush(stdout);
  platform::become(python, {python, "-c", kProgram, text});
  fail(
      "--plugin needs {}, which cannot be started: {}: install Python, or name it in "
      "VESTIGE_PYTHON",
      python, std::strerror(errno));
}

}  // namespace vestige::cli
