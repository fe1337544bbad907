// Contexts and what is derived from them.
#include "vestige/base/context.h"

namespace vestige {

Context::Context(const ContextSettings& settings)
    : arena_(settings.threads),
      limit_(std::make_shared<MemoryLimit>(settings.memory)),
      progress_(shown_style(settings.progress)) {}

Context Context::quiet() const {
  Context copy = *this;
  copy.progress_ = ProgressStyle::quiet;
  return copy;
}

Context Context::with_memory(double gigabytes) const {
  Context copy = *this;
  copy.limit_ = std::make_shared<MemoryLimit>(gigabytes);
  return copy;
}

Context Context::with_cache() const {
  Context copy = *this;
  copy.cache_ = std::make_shared<Cache>();
  return copy;
}

}  // namespace vestige
