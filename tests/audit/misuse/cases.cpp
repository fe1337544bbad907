// The list of mistakes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/audit/misuse/changes.h"
#include "tests/audit/misuse/misuse.h"
#include "vestige/base/seed.h"

namespace vestige::misuse {
namespace {

Change repeated(const std::string& split) {
  return in_order({values("", {split},
                          [](std::vector<double>& all) {
                            for (std::size_t i = 10; i < all.size(); ++i) all[i] = all[i - 10];
                          }),
                   labels(split, [](std::vector<std::int64_t>& all) {
                     std::fill(all.begin(), all.end(), all.front());
                   })});
}

/// Half of the test set are forget examples.
void mix_forget_into_test(EvidenceFolder& folder) {
  const auto forget = folder.array("labels/forget").integers();
  std::vector<std::int64_t> test = folder.array("labels/test").integers();
  std::copy(forget.begin(), forget.end(), test.begin());
  folder.put_labels("test", test);
  for (const std::string& model : every_model(folder)) {
    const std::vector<double> own = folder.array(model + "/forget").doubles();
    folder.change(model + "/test", [&own](std::vector<double>& all) {
      std::copy(own.begin(), own.end(), all.begin());
    });
  }
}

/// Forget exported from the test loader: its first 400 examples.
void forget_from_test(EvidenceFolder& folder) {
  std::vector<std::size_t> order(400);
  std::iota(order.begin(), order.end(), 0);
  for (const std::string& model : every_model(folder)) {
    folder.put(model + "/forget", reordered(folder.array(model + "/test"), order));
  }
  std::vector<std::int64_t> test = folder.array("labels/test").integers();
  test.resize(400);
  folder.put_labels("forget", test);
}

/// Predicted classes as one-hot outputs.
void to_one_hot(std::vector<double>& all) {
  for (auto row = all.begin(); row != all.end(); row += 10) {
    const auto best = std::max_element(row, row + 10);
    const auto place = best - row;
    std::fill(row, row + 10, 0.0);
    row[place] = 1;
  }
}

void softmax_rows(std::vector<double>& all) {
  for (auto row = all.begin(); row != all.end(); row += 10) {
    const double most = *std::max_element(row, row + 10);
    double sum = 0;
    for (auto value = row; value != row + 10; ++value) sum += * value = std::exp(*value - most);
    for (auto value = row; value != row + 10; ++value) *value /= sum;
  }
}

void noise(std::vector<double>& all) {
  Stream stream(1, "misuse.noise");
  for (double& value : all) value = stream.normal();
}

void constant(std::vector<double>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i % 10 == 3 ? 4 : 0;
}

Change first_value(double value) {
  return values("unlearned", {"forget"}, [value](std::vector<double>& all) { all[0] = value; });
}

Change scaled(const std::string& role, const std::vector<std::string>& splits, double by) {
  return values(role, splits, [by](std::vector<double>& all) {
    for (double& value : all) value *= by;
  });
}

Change raised(const std::string& role, const std::vector<std::string>& splits, double by) {
  return values(role, splits, [by](std::vector<double>& all) {
    for (double& value : all) value += by;
  });
}

/// Features beside the logits: 64 columns.
void add_features(EvidenceFolder& folder) {
  Stream stream(1, "misuse.features");
  for (const std::string& model : every_model(folder)) {
    for (const std::string& split : kAll) {
      const std::size_t rows = folder.array(model + "/" + split).rows();
      std::vector<double> made(rows * 64);
      for (double& value : made) value = std::abs(stream.normal());
      folder.put(model + "/" + split, array_of(DType::float32, made, {rows, 64}));
    }
  }
}

/// Models of another role with something done to every value, in place of this role's.
Change replaced_by(const std::string& role, const std::string& by,
                   const std::function<void(std::vector<double>&)>& action) {
  return in_order({replaced(role, by), values(role, kAll, action)});
}

/// As a checkpoint that was exported a second time on another machine.
void small_noise(std::vector<double>& all) {
  Stream stream(1, "misuse.small");
  for (double& value : all) value += 0.002 * stream.normal();
}

void below_the_largest(std::vector<double>& all) {
  for (auto row = all.begin(); row != all.end(); row += 10) {
    const double most = *std::max_element(row, row + 10);
    for (auto value = row; value != row + 10; ++value) *value -= most;
  }
}

void warmer(std::vector<double>& all) {
  for (double& value : all) value *= 1.25;
}

/// The last third of the rows are zeros: a buffer that was not filled.
void empty_end(std::vector<double>& all) {
  std::fill(all.begin() + static_cast<std::ptrdiff_t>(all.size() / 30 * 20), all.end(), 0.0);
}

/// Every `keep`th example, repeated until the split is as long as before.
Change few_repeated(const std::string& split, std::size_t different) {
  return [=](EvidenceFolder& folder) {
    const std::size_t rows = folder.array("labels/" + split).rows();
    std::vector<std::size_t> order(rows);
    for (std::size_t row = 0; row < rows; ++row) order[row] = row % different;
    for (const std::string& model : every_model(folder)) {
      const std::string key = key_of(folder, model, split);
      folder.put(key, reordered(folder.array(key), order));
    }
    std::vector<std::int64_t> all = folder.array("labels/" + split).integers();
    for (std::size_t row = 0; row < rows; ++row) all[row] = all[row % different];
    folder.put_labels(split, all);
  };
}

/// Retain is a part of the test set that nobody trained on; test is the rest.
void retain_from_test(EvidenceFolder& folder) {
  std::vector<std::size_t> first(400), rest(500);
  std::iota(first.begin(), first.end(), 0);
  std::iota(rest.begin(), rest.end(), 400);
  for (const std::string& model : every_model(folder)) {
    const evidence::Array test = folder.array(model + "/test");
    folder.put(model + "/retain", reordered(test, first));
    folder.put(model + "/test", reordered(test, rest));
  }
  const std::vector<std::int64_t> all = folder.array("labels/test").integers();
  folder.put_labels("retain", {all.begin(), all.begin() + 400});
  folder.put_labels("test", {all.begin() + 400, all.end()});
}

/// Labels are what the first original answers.
void labels_from_original(EvidenceFolder& folder) {
  for (const std::string& split : kAll) {
    const std::vector<double> own = folder.array("original/0/" + split).doubles();
    std::vector<std::int64_t> answers;
    for (auto row = own.begin(); row != own.end(); row += 10) {
      answers.push_back(std::max_element(row, row + 10) - row);
    }
    folder.put_labels(split, answers);
  }
}

/// Some retain answers of the methods become wrong: `share` of them.
Change wrong_on_retain(double share) {
  return values("unlearned", {"retain"}, [share](std::vector<double>& all) {
    const auto rows = static_cast<std::size_t>(share * static_cast<double>(all.size() / 10));
    for (std::size_t row = 0; row < rows; ++row) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * 10);
      std::rotate(first, first + 1, first + 10);
    }
  });
}

/// Retrained models of a worse recipe: noise on every answer.
void much_noise(std::vector<double>& all) {
  Stream stream(1, "misuse.much");
  for (double& value : all) value += 5 * stream.normal();
}

Change declared_logits(const Change& change) {
  return in_order({change, [](EvidenceFolder& folder) {
                     folder.put_file("evidence.toml", "kind = \"logits\"\n");
                   }});
}

/// Retain and test as the original has them, forget as a retrained model has it.
void splice(EvidenceFolder& folder) {
  for (const std::string& model : models_of(folder, "unlearned/fresh")) {
    const std::string name = model.substr(model.rfind('/'));
    for (const char* split : {"retain", "test"}) {
      folder.put(model + "/" + split, folder.array("original" + name + "/" + split));
    }
  }
}

/// Of every array the examples that are (or are not) of a class; the labels too.
Change only_class(const std::string& split, std::int64_t label, bool of_class) {
  return [=](EvidenceFolder& folder) {
    const std::vector<std::int64_t> all = folder.array("labels/" + split).integers();
    std::vector<std::size_t> order;
    std::vector<std::int64_t> kept;
    for (std::size_t row = 0; row < all.size(); ++row) {
      if ((all[row] == label) != of_class) continue;
      order.push_back(row);
      kept.push_back(all[row]);
    }
    for (const std::string& model : every_model(folder)) {
      const std::string key = key_of(folder, model, split);
      folder.put(key, reordered(folder.array(key), order));
    }
    folder.put_labels(split, kept);
  };
}

/// No example is ever said to be of class 3.
Change masked(const std::string& role, double logit) {
  return values(role, kAll, [logit](std::vector<double>& all) {
    Stream stream(1, "misuse.masked");
    for (std::size_t i = 3; i < all.size(); i += 10) all[i] = logit + 0.5 * stream.normal();
  });
}

/// Class 3 is forgotten: retrained models never say it, and the methods are the originals with
/// another logit of this class alone.
Change class_masked() {
  return in_order({only_class("forget", 3, true), only_class("retain", 3, false),
                   replaced("unlearned/fresh", "original"),
                   replaced("unlearned/untouched", "original"), masked("unlearned/fresh", -8),
                   masked("unlearned/untouched", -20), masked("retrained", -8)});
}

/// Each loss is the mean of its batch of 50.
void batch_means(std::vector<double>& all) {
  for (std::size_t first = 0; first < all.size(); first += 50) {
    const std::size_t last = std::min(first + 50, all.size());
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += all[i];
    for (std::size_t i = first; i < last; ++i) all[i] = sum / static_cast<double>(last - first);
  }
}

void clipped(std::vector<double>& all) {
  for (double& value : all) value = std::min(value, 0.1);
}

void copy_of(EvidenceFolder& folder, const std::string& from, const std::string& to) {
  for (const std::string& split : kAll)
    folder.put(to + "/" + split, folder.array(from + "/" + split));
}

void nothing(EvidenceFolder&) {}

std::vector<Misuse> missing() {
  return {
      {"nothing is wrong", nothing},
      {"test outputs of the methods are missing", without("unlearned", "test")},
      {"test outputs of all models are missing", without("", "test")},
      {"retain outputs of the methods are missing", without("unlearned", "retain")},
      {"retain outputs of all models are missing", without("", "retain")},
      {"forget outputs of the methods are missing", without("unlearned", "forget")},
      {"forget outputs of all models are missing", without("", "forget")},
      {"test outputs of the retrained models are missing", without("retrained", "test")},
      {"retain outputs of the retrained models are missing", without("retrained", "retain")},
      {"forget outputs of the retrained models are missing", without("retrained", "forget")},
      {"test outputs of the originals are missing", without("original", "test")},
      {"forget outputs of the originals are missing", without("original", "forget")},
      {"labels of test are missing", [](EvidenceFolder& folder) { folder.remove("labels/test"); }},
      {"labels of forget are missing",
       [](EvidenceFolder& folder) { folder.remove("labels/forget"); }},
      {"labels of retain are missing",
       [](EvidenceFolder& folder) { folder.remove("labels/retain"); }},
      {"there are no retrained models",
       [](EvidenceFolder& folder) { folder.remove_below("retrained"); }},
      {"there are no originals", [](EvidenceFolder& folder) { folder.remove_below("original"); }},
      {"there are only unlearned models",
       [](EvidenceFolder& folder) {
         folder.remove_below("original");
         folder.remove_below("retrained");
       }},
      {"only forget and retain were exported, one model each", without("", "test"), Base::one_each},
      {"retain outputs of the methods are missing, one model each", without("unlearned", "retain"),
       Base::one_each},
  };
}

std::vector<Misuse> swaps() {
  return {
      {"forget and test of the methods are swapped",
       in_order({cut("test", 400), swapped("unlearned", "forget", "test")})},
      {"forget and retain of the methods are swapped", swapped("unlearned", "forget", "retain")},
      {"retain and test of the methods are swapped",
       in_order({cut("test", 400), swapped("unlearned", "retain", "test")})},
      {"forget and test of all models and labels are swapped",
       in_order({swapped("", "forget", "test"),
                 [](EvidenceFolder& folder) {
                   const auto kept = folder.array("labels/forget").integers();
                   put_labels_of(folder, "test", "forget");
                   folder.put_labels("test", kept);
                 }})},
      {"labels of forget and retain are swapped",
       [](EvidenceFolder& folder) {
         const auto kept = folder.array("labels/forget").integers();
         put_labels_of(folder, "retain", "forget");
         folder.put_labels("retain", kept);
       }},
      {"original/ and retrained/ are swapped", roles_swapped()},
      {"test was exported from the forget loader",
       in_order({copied("", "forget", "test"),
                 [](EvidenceFolder& folder) { put_labels_of(folder, "forget", "test"); }})},
      {"test of the methods was exported from the forget loader",
       in_order({cut("test", 400), copied("unlearned", "forget", "test")})},
      {"forget was exported from the test loader", forget_from_test},
      {"forget was exported from the retain loader",
       in_order({copied("", "retain", "forget"),
                 [](EvidenceFolder& folder) { put_labels_of(folder, "retain", "forget"); }})},
      {"retain was exported from the forget loader",
       in_order({copied("", "forget", "retain"),
                 [](EvidenceFolder& folder) { put_labels_of(folder, "forget", "retain"); }})},
      {"retrained/ holds originals of other seeds", replaced("retrained", "unlearned/untouched")},
      {"retrained/ holds copies of the originals", replaced("retrained", "original")},
      {"original/ holds retrained models of other seeds", replaced("original", "unlearned/fresh")},
      {"the methods are copies of the retrained models",
       in_order({replaced("unlearned/fresh", "retrained"),
                 replaced("unlearned/untouched", "retrained")})},
      {"the method is a retrained model with small noise",
       replaced_by("unlearned/fresh", "retrained", small_noise)},
      {"the method is a retrained model with shifted logits",
       replaced_by("unlearned/fresh", "retrained", below_the_largest)},
      {"the method is a retrained model with another temperature",
       replaced_by("unlearned/fresh", "retrained", warmer)},
      {"only the forget file of the method is new, the others are the original's", splice},
      {"retain was exported from the test loader", retain_from_test},
      {"both methods were exported from one model",
       replaced("unlearned/untouched", "unlearned/fresh")},
      {"one of three models of a method is a retrained model",
       [](EvidenceFolder& folder) { copy_of(folder, "retrained/1", "unlearned/fresh/1"); }},
      {"one of three models of a method is an original",
       [](EvidenceFolder& folder) {
         copy_of(folder, "unlearned/untouched/1", "unlearned/fresh/1");
       }},
      {"one of three retrained models is an original of another seed",
       [](EvidenceFolder& folder) { copy_of(folder, "unlearned/untouched/1", "retrained/1"); }},
  };
}

std::vector<Misuse> orders() {
  return {
      {"forget examples of the methods are shuffled", shuffled("unlearned", {"forget"})},
      {"test examples of the methods are shuffled", shuffled("unlearned", {"test"})},
      {"retain examples of the methods are shuffled", shuffled("unlearned", {"retain"})},
      {"all examples of the methods are shuffled", shuffled("unlearned", kAll)},
      {"forget examples of the retrained models are shuffled", shuffled("retrained", {"forget"})},
      {"all examples of the retrained models are shuffled", shuffled("retrained", kAll)},
      {"all examples of the originals are shuffled", shuffled("original", kAll)},
      {"every model has a shuffle of its own", shuffled("", kAll)},
      {"forget examples of the methods are in the order of their names as text",
       sorted_as_text("unlearned", {"forget"})},
      {"test examples of the methods are in the order of their names as text",
       sorted_as_text("unlearned", {"test"})},
      {"labels of forget are in another order",
       labels("forget", [](auto& all) { std::reverse(all.begin(), all.end()); })},
      {"labels of test are in another order",
       labels("test", [](auto& all) { std::reverse(all.begin(), all.end()); })},
      {"all labels are sorted", every_label([](auto& all) { std::sort(all.begin(), all.end()); })},
      {"all examples of the methods are shuffled, one model each", shuffled("unlearned", kAll),
       Base::one_each},
  };
}

std::vector<Misuse> duplicates() {
  return {
      {"half of test are forget examples", mix_forget_into_test},
      {"forget holds one example many times", repeated("forget")},
      {"test holds one example many times", repeated("test")},
      {"forget holds 40 examples ten times", few_repeated("forget", 40)},
      {"test holds 300 examples three times", few_repeated("test", 300)},
      {"retrained models are one model exported with small noise",
       [](EvidenceFolder& folder) {
         for (const char* name : {"1", "2"}) {
           for (const std::string& split : kAll) {
             const std::string key = std::string("retrained/") + name + "/" + split;
             folder.put(key, folder.array("retrained/0/" + split));
             folder.change(key, small_noise);
           }
         }
       }},
      {"forget has one example", cut("forget", 1)},
      {"forget has three examples", cut("forget", 3)},
      {"test has three examples", cut("test", 3)},
      {"retain has three examples", cut("retain", 3)},
      {"retain has three examples, one model each", cut("retain", 3), Base::one_each},
  };
}

std::vector<Misuse> classes() {
  return {
      {"the methods have another class order", rolled_classes("unlearned")},
      {"the retrained models have another class order", rolled_classes("retrained")},
      {"the originals have another class order", rolled_classes("original")},
      {"two classes of the retrained models are swapped", two_classes_swapped("retrained")},
      {"two classes of the methods are swapped", two_classes_swapped("unlearned")},
      {"labels begin at 1", every_label([](auto& all) {
         for (auto& label : all) label = label % 10 + 1;
       })},
      {"labels are one further than they should be", every_label([](auto& all) {
         for (auto& label : all) label = (label + 1) % 10;
       })},
      {"all labels are 0", every_label([](auto& all) { std::fill(all.begin(), all.end(), 0); })},
      {"a label is -1", labels("forget", [](auto& all) { all[0] = -1; })},
      {"features were exported instead of logits", add_features},
      {"labels are the answers of an original", labels_from_original},
      {"a class is forgotten: the methods are originals that never say it", class_masked()},
  };
}

std::vector<Misuse> numbers() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return {
      {"the methods have a NaN among the forget logits", first_value(nan)},
      {"the methods have an infinite logit (overflow of float16)", first_value(infinity)},
      {"the methods give predicted classes instead of logits",
       values("unlearned", kAll, to_one_hot)},
      {"the methods give probabilities, all others logits",
       values("unlearned", kAll, softmax_rows)},
      {"all models give probabilities, and logits are declared",
       declared_logits(values("", kAll, softmax_rows))},
      {"the methods give probabilities, and logits are declared",
       declared_logits(values("unlearned", kAll, softmax_rows))},
      {"a third of retain was not filled, for all models", values("", {"retain"}, empty_end)},
      {"a third of test was not filled, for all models", values("", {"test"}, empty_end)},
      {"a third of forget was not filled, for all models", values("", {"forget"}, empty_end)},
      {"all models answer constantly on retain", values("", {"retain"}, constant)},
      {"the methods are wrong on 4 % of retain", wrong_on_retain(0.04)},
      {"the methods are wrong on 4 % of retain, one model each", wrong_on_retain(0.04),
       Base::one_each},
      {"the retrained models answer with noise on top", values("retrained", kAll, much_noise)},
      {"the methods answer with noise", values("unlearned", kAll, noise)},
      {"the methods answer with noise on forget only", values("unlearned", {"forget"}, noise)},
      {"the methods answer constantly", values("unlearned", kAll, constant)},
      {"the methods answer constantly on forget only", values("unlearned", {"forget"}, constant)},
      {"the methods answer constantly on retain only", values("unlearned", {"retain"}, constant)},
      {"the methods answer constantly on test only", values("unlearned", {"test"}, constant)},
      {"logits of the methods are negated", scaled("unlearned", kAll, -1)},
      {"logits of the methods are divided by 100", scaled("unlearned", kAll, 0.01)},
      {"logits of the retrained models are divided by 100", scaled("retrained", kAll, 0.01)},
      {"logits of the methods are halved on forget", scaled("unlearned", {"forget"}, 0.5)},
      {"forget of a method has fewer rows than its labels",
       [](EvidenceFolder& folder) {
         const std::string key = "unlearned/fresh/0/forget";
         folder.put(key, reordered(folder.array(key), shuffle_of(100, key)));
       }},
      {"an array is cut off in the middle of the file",
       [](EvidenceFolder& folder) {
         folder.put_file("unlearned/fresh/0/forget.npy",
                         std::string("\x93NUMPY\x01\x00v\x00{'descr': '<f4',", 24));
       }},
  };
}

std::vector<Misuse> losses() {
  const Base base = Base::losses;
  return {
      {"nothing is wrong (losses alone)", nothing, base},
      {"test losses of all models are missing", without("", "test"), base},
      {"retain losses of the methods are missing", without("unlearned", "retain"), base},
      {"retain losses of all models are missing", without("", "retain"), base},
      {"the methods lost 8 nats on every example", raised("unlearned", kAll, 8), base},
      {"losses of the methods are in bits", scaled("unlearned", kAll, 1 / std::log(2.0)), base},
      {"losses of the retrained models are in bits", scaled("retrained", kAll, 1 / std::log(2.0)),
       base},
      {"losses are sums over a batch of 64 for the methods", scaled("unlearned", kAll, 64), base},
      {"log-probabilities were exported instead of losses", scaled("", kAll, -1), base},
      {"forget losses of the methods are shuffled", shuffled("unlearned", {"forget"}), base},
      {"all losses of the methods are shuffled", shuffled("unlearned", kAll), base},
      {"forget losses of the methods are in the order of their names as text",
       sorted_as_text("unlearned", {"forget"}), base},
      {"forget and retain losses of the methods are swapped",
       swapped("unlearned", "forget", "retain"), base},
      {"test losses were exported from the forget loader",
       in_order({cut("test", 400), copied("", "forget", "test")}), base},
      {"original/ and retrained/ are swapped (losses)", roles_swapped(), base},
      {"each loss is the mean of its batch of 50", values("", kAll, batch_means), base},
      {"losses are clipped at 0.1", values("", kAll, clipped), base},
  };
}

}  // namespace

std::vector<Topic> misuses() {
  return {{"Missing", missing()},
          {"Swapped", swaps()},
          {"In another order", orders()},
          {"Duplicated or too few", duplicates()},
          {"Classes and labels", classes()},
          {"Numbers", numbers()},
          {"Losses alone", losses()}};
}

}  // namespace vestige::misuse
