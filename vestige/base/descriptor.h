// An open file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace vestige {

class Descriptor {
 public:
  Descriptor() = default;
  /// Takes over `number`; -1 is none.
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int get() const { return number_; }

 private:
  int number_ = -1;
};

}  // namespace vestige
