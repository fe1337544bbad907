// What the process asks of the system's memory beyond new and delete. Where a system lacks one of
// these, nothing is done: results do not depend on them.
#pragma once

#include <cstddef>
#include <memory>

namespace vestige::platform {

/// What the process has of its own, without mapped files; 0 where the system does not say.
std::size_t own_bytes();

/// Gives blocks that are free to the system, which the C library would keep.
void return_free_blocks();

/// The opposite, for a process that asks for the same blocks again and again: blocks of up to
/// `mapped_apart` bytes are kept when they are freed, until `kept` bytes are free.
void keep_freed_blocks(int mapped_apart, int kept);

/// These pages may be joined to large ones; `pages` begins at such a page.
void prefer_large_pages(void* pages, std::size_t bytes);

/// The first `size` bytes of an open file, read only; null if they cannot be mapped, and errno says
/// why.
std::shared_ptr<const void> map(int descriptor, std::size_t size);

}  // namespace vestige::platform
