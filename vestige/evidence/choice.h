// Which models are read: methods that were asked for, and models left out because of an error.
#pragma once

#include <string>
#include <vector>

#include "vestige/evidence/layout.h"
#include "vestige/evidence/reader.h"
#include "vestige/evidence/source.h"

namespace vestige::evidence {

/// The unlearned methods that --methods and --exclude leave.
class MethodChoice {
 public:
  /// InputError if the options name a method that the source does not hold, or leave none.
  MethodChoice(const Source& source, const ReadOptions& options);

  bool has(const std::string& method) const;
  /// Whether an array is read: one of a method that was left out is not, nor of its probed models.
  bool has(const Place& place) const;
  /// Takes what evidence.toml and accuracy.json say about the other methods out of the evidence.
  void forget_others(Evidence& evidence) const;

 private:
  std::vector<std::string> others_;  ///< methods that are there and not wanted
};

/// Removes every model that an error is about; the error becomes a warning that says so. Errors
/// that are about no single model stay. accuracy.json lists values by place, so those of a group
/// that lost a model are not used.
void leave_out_broken(Reading& reading);

}  // namespace vestige::evidence
