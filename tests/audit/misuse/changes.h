// Changes of evidence that mistakes are made of.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/evidence_folder.h"
#include "vestige/base/seed.h"

namespace vestige::misuse {

using evidence::DType;
using testing::array_of;
using testing::EvidenceFolder;

inline const std::vector<std::string> kAll = {"forget", "retain", "test"};

/// Folders of the models below "unlearned" (all methods), "retrained" or "original".
inline std::vector<std::string> models_of(const EvidenceFolder& folder, const std::string& role) {
  std::vector<std::string> found;
  for (const auto& [key, array] : folder.arrays()) {
    const std::size_t end =
        key.find(key.find("/losses/") == std::string::npos ? "/forget" : "/losses/forget");
    if (key.starts_with(role + "/") && end != std::string::npos)
      found.push_back(key.substr(0, end));
  }
  return found;
}

inline std::vector<std::string> every_model(const EvidenceFolder& folder) {
  std::vector<std::string> all;
  for (const char* role : {"original", "retrained", "unlearned"}) {
    for (std::string& model : models_of(folder, role)) all.push_back(std::move(model));
  }
  return all;
}

inline std::vector<std::string> named(const EvidenceFolder& folder, const std::string& role) {
  return role.empty() ? every_model(folder) : models_of(folder, role);
}

inline std::string key_of(const EvidenceFolder& folder, const std::string& model,
                          const std::string& split) {
  const std::string loss = model + "/losses/" + split;
  return folder.arrays().contains(loss) ? loss : model + "/" + split;
}

using Change = std::function<void(EvidenceFolder&)>;

/// Every array of a role ("": of all models) on some splits.
inline Change each(const std::string& role, const std::vector<std::string>& splits,
                   const std::function<void(EvidenceFolder&, const std::string& key)>& action) {
  return [=](EvidenceFolder& folder) {
    for (const std::string& model : named(folder, role)) {
      for (const std::string& split : splits) action(folder, key_of(folder, model, split));
    }
  };
}

inline Change without(const std::string& role, const std::string& split) {
  return each(role, {split},
              [](EvidenceFolder& folder, const std::string& key) { folder.remove(key); });
}

inline Change values(const std::string& role, const std::vector<std::string>& splits,
                     const std::function<void(std::vector<double>&)>& action) {
  return each(role, splits, [action](EvidenceFolder& folder, const std::string& key) {
    folder.change(key, action);
  });
}

inline Change swapped(const std::string& role, const std::string& left, const std::string& right) {
  return [=](EvidenceFolder& folder) {
    for (const std::string& model : named(folder, role)) {
      const std::string one = key_of(folder, model, left), two = key_of(folder, model, right);
      const evidence::Array kept = folder.array(one);
      folder.put(one, folder.array(two));
      folder.put(two, kept);
    }
  };
}

inline Change copied(const std::string& role, const std::string& from, const std::string& to) {
  return [=](EvidenceFolder& folder) {
    for (const std::string& model : named(folder, role)) {
      folder.put(key_of(folder, model, to), folder.array(key_of(folder, model, from)));
    }
  };
}

inline void put_labels_of(EvidenceFolder& folder, const std::string& from, const std::string& to) {
  folder.put_labels(to, folder.array("labels/" + from).integers());
}

/// The rows of an array in another order: row i becomes row order[i].
inline evidence::Array reordered(const evidence::Array& array,
                                 const std::vector<std::size_t>& order) {
  const std::size_t width = array.size() / array.rows();
  const std::vector<double> old = array.doubles();
  std::vector<double> fresh;
  for (const std::size_t row : order) {
    const auto first = old.begin() + static_cast<std::ptrdiff_t>(row * width);
    fresh.insert(fresh.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  std::vector<std::size_t> shape = array.shape();
  shape[0] = order.size();
  return array_of(width == 1 && shape.size() == 1 ? DType::float32 : DType::float16, fresh, shape);
}

inline std::vector<std::size_t> shuffle_of(std::size_t rows, const std::string& purpose) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  Stream stream(1, "misuse." + purpose);
  for (std::size_t i = rows; i > 1; --i) std::swap(order[i - 1], order[stream.below(i)]);
  return order;
}

/// Each model by a shuffle of its own, as a loader with shuffle=True does.
inline Change shuffled(const std::string& role, const std::vector<std::string>& splits) {
  return each(role, splits, [](EvidenceFolder& folder, const std::string& key) {
    const evidence::Array& array = folder.array(key);
    folder.put(key, reordered(array, shuffle_of(array.rows(), key)));
  });
}

/// "0", "1", "10", "100", "101", ...: files listed by name.
inline Change sorted_as_text(const std::string& role, const std::vector<std::string>& splits) {
  return each(role, splits, [](EvidenceFolder& folder, const std::string& key) {
    const evidence::Array& array = folder.array(key);
    std::vector<std::size_t> order(array.rows());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [](std::size_t left, std::size_t right) {
      return std::to_string(left) < std::to_string(right);
    });
    folder.put(key, reordered(array, order));
  });
}

/// The first rows only, of arrays and labels of a split.
inline Change cut(const std::string& split, std::size_t rows) {
  return [=](EvidenceFolder& folder) {
    std::vector<std::size_t> order(rows);
    std::iota(order.begin(), order.end(), 0);
    for (const std::string& model : every_model(folder)) {
      const std::string key = key_of(folder, model, split);
      folder.put(key, reordered(folder.array(key), order));
    }
    std::vector<std::int64_t> labels = folder.array("labels/" + split).integers();
    labels.resize(rows);
    folder.put_labels(split, labels);
  };
}

/// Every class one further: another order of classes.
inline Change rolled_classes(const std::string& role) {
  return values(role, kAll, [](std::vector<double>& all) {
    for (auto row = all.begin(); row != all.end(); row += 10) std::rotate(row, row + 1, row + 10);
  });
}

inline Change two_classes_swapped(const std::string& role) {
  return values(role, kAll, [](std::vector<double>& all) {
    for (std::size_t row = 0; row < all.size(); row += 10) std::swap(all[row], all[row + 9]);
  });
}

/// Models of another role under this one's names.
inline Change replaced(const std::string& role, const std::string& by) {
  return [=](EvidenceFolder& folder) {
    const std::vector<std::string> to = models_of(folder, role), from = models_of(folder, by);
    for (std::size_t i = 0; i < to.size(); ++i) {
      for (const std::string& split : kAll) {
        folder.put(key_of(folder, to[i], split), folder.array(key_of(folder, from[i], split)));
      }
    }
  };
}

inline Change roles_swapped() {
  return [](EvidenceFolder& folder) {
    for (const std::string& model : models_of(folder, "original")) {
      const std::string other = "retrained" + model.substr(model.find('/'));
      for (const std::string& split : kAll) {
        const evidence::Array kept = folder.array(key_of(folder, model, split));
        folder.put(key_of(folder, model, split), folder.array(key_of(folder, other, split)));
        folder.put(key_of(folder, other, split), kept);
      }
    }
  };
}

inline Change in_order(std::vector<Change> changes) {
  return [changes = std::move(changes)](EvidenceFolder& folder) {
    for (const Change& change : changes) change(folder);
  };
}

inline Change labels(const std::string& split,
                     const std::function<void(std::vector<std::int64_t>&)>& to) {
  return [=](EvidenceFolder& folder) {
    std::vector<std::int64_t> all = folder.array("labels/" + split).integers();
    to(all);
    folder.put_labels(split, all);
  };
}

inline Change every_label(const std::function<void(std::vector<std::int64_t>&)>& to) {
  return in_order({labels("forget", to), labels("retain", to), labels("test", to)});
}

}  // namespace vestige::misuse
