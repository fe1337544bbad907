// Many short texts in one piece of memory: a million strings of their own would take several times
// as much.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::metrics {

class PackedTexts {
 public:
  PackedTexts() = default;
  PackedTexts(std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts) push_back(text);
  }

  void push_back(std::string_view text) {
    all_ += text;
    ends_.push_back(all_.size());
  }
  /// Gives back what growing took in advance.
  void shrink_to_fit() {
    all_.shrink_to_fit();
    ends_.shrink_to_fit();
  }

  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  /// Lives as long as the texts.
  std::string_view operator[](std::size_t index) const {
    const std::size_t start = index == 0 ? 0 : ends_[index - 1];
    return std::string_view(all_).substr(start, ends_[index] - start);
  }

 private:
  std::string all_;
  std::vector<std::size_t> ends_;
};

}  // namespace vestige::metrics
