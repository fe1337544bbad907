// syncfs; other systems sync every file system.
#include "vestige/base/platform/disk.h"

#include <unistd.h>

namespace vestige::platform {

bool sync_file_system_of(int descriptor) {
#if defined(__linux__)
  return ::syncfs(descriptor) == 0;
#else
  static_cast<void>(descriptor);
  ::sync();
  return true;
#endif
}

}  // namespace vestige::platform
