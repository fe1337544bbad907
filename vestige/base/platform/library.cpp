// dlopen and dlsym.
#include "vestige/base/platform/library.h"

#include <dlfcn.h>

namespace vestige::platform {

void* open_library(const std::string& file, Names first) {
  int how = RTLD_NOW | RTLD_LOCAL;
#if defined(RTLD_DEEPBIND)
  if (first == Names::own) how |= RTLD_DEEPBIND;
#else
  static_cast<void>(first);  // macOS looks into a library's own names first anyway
#endif
  return ::dlopen(file.c_str(), how);
}

std::string library_error() {
  const char* why = ::dlerror();
  return why == nullptr ? "no reason given" : why;
}

void* address_of(void* library, const char* name) { return ::dlsym(library, name); }

void* loaded_address(const char* name) { return ::dlsym(RTLD_DEFAULT, name); }

}  // namespace vestige::platform
