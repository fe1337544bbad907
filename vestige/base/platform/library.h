// Shared libraries that are loaded when they are needed.
#pragma once

#include <string>

namespace vestige::platform {

/// Whose names a loaded library finds first: those of the program, or its own. With `own` a library
/// may bring another version of what the program is linked with.
enum class Names { of_program, own };

/// Null if it cannot be loaded; library_error() says why. Its names are seen by nobody else.
void* open_library(const std::string& file, Names first = Names::of_program);

/// The last reason why a library could not be loaded, in the system's words.
std::string library_error();

/// A function of a library; null if it has none of this name.
template <typename Function>
Function function_of(void* library, const char* name);

/// A function that any library of the program may have; null if none has.
template <typename Function>
Function loaded_function(const char* name);

void* address_of(void* library, const char* name);
void* loaded_address(const char* name);

template <typename Function>
Function function_of(void* library, const char* name) {
  return reinterpret_cast<Function>(address_of(library, name));
}

template <typename Function>
Function loaded_function(const char* name) {
  return reinterpret_cast<Function>(loaded_address(name));
}

}  // namespace vestige::platform
