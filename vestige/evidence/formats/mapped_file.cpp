// Mapping with errors in words.
#include "vestige/evidence/formats/mapped_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "vestige/base/error.h"
#include "vestige/base/platform/memory.h"

namespace vestige::evidence {

MappedFile map_file(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer for ever.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const int code = errno;
    require(code != ENOENT, "{} does not exist: check the name", path.string());
    fail("cannot read {}: {}; check its permissions", path.string(), std::strerror(code));
  }
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  const bool regular = known && S_ISREG(status.st_mode);
  const bool folder = known && S_ISDIR(status.st_mode);
  const auto size = regular ? static_cast<std::size_t>(status.st_size) : 0;
  std::shared_ptr<const void> pages;
  int code = 0;
  if (size > 0) {
    pages = platform::map(descriptor, size);
    code = errno;
  }
  ::close(descriptor);
  require(!folder, "{} is a folder, where a file is needed", path.string());
  require(regular, "{} is not a regular file: copy its content into one", path.string());
  require(size > 0, "{} is empty: export it again", path.string());
  require(pages != nullptr, "cannot map {}: {}", path.string(), std::strerror(code));
  return {{static_cast<const std::byte*>(pages.get()), size}, pages};
}

}  // namespace vestige::evidence
