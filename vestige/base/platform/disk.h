// What was written is on disk.
#pragma once

namespace vestige::platform {

/// Everything written so far to the file system of an open file is on disk afterwards. False if
/// that failed; errno says why.
bool sync_file_system_of(int descriptor);

}  // namespace vestige::platform
