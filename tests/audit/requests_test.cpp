// Verdicts per request against a plain computation, and near-duplicates made by hand.
#include "vestige/audit/requests.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "tests/support/evidence_folder.h"
#include "vestige/audit/near_duplicates.h"
#include "vestige/base/file.h"
#include "vestige/evidence/reader.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/result/codec.h"

namespace vestige::audit {
namespace {

namespace fs = std::filesystem;

testing::EvidenceShape request_shape() {
  return {.classes = 4,
          .models = 2,
          .shadows = 0,
          .forget = 200,
          .retain = 100,
          .test = 400,
          .methods = {"finetune", "nothing"}};
}

const RequestVerdict& find(const Requests& found, const std::string& method,
                           const std::string& request) {
  for (const MethodRequests& own : found.methods) {
    for (const RequestVerdict& verdict : own.requests) {
      if (own.method == method && verdict.request == request) return verdict;
    }
  }
  throw std::runtime_error("no such request");
}

/// The plain computation: differences of mean probabilities, centred by class over test rows,
/// ranked among means of draws by another generator.
double plain_p(const evidence::Evidence& evidence, const std::string& method,
               const std::vector<std::size_t>& rows) {
  const auto difference = [&](const char* split) {
    const auto mean = [&](const evidence::Group& group) {
      std::vector<double> sum;
      for (const evidence::Model& model : group.models) {
        const std::vector<double> own =
            metrics::true_class(Context(), evidence, model, {split}).probability;
        sum.resize(own.size());
        for (std::size_t i = 0; i < own.size(); ++i) {
          sum[i] += own[i] / static_cast<double>(group.models.size());
        }
      }
      return sum;
    };
    std::vector<double> values = mean(*evidence.find("unlearned", method));
    const std::vector<double> other = mean(*evidence.find("retrained"));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= other[i];
    return values;
  };
  std::vector<double> forget = difference("forget"), test = difference("test");
  std::map<std::int64_t, std::pair<double, double>> classes;
  const auto& labels = *evidence.find_labels("test");
  for (std::size_t i = 0; i < test.size(); ++i) {
    classes[labels[i]].first += test[i];
    classes[labels[i]].second += 1;
  }
  for (std::size_t i = 0; i < test.size(); ++i) {
    test[i] -= classes[labels[i]].first / classes[labels[i]].second;
  }
  double value = 0;
  for (const std::size_t row : rows) {
    const auto& own = classes[(*evidence.find_labels("forget"))[row]];
    value += (forget[row] - own.first / own.second) / static_cast<double>(rows.size());
  }
  std::mt19937 generator(5);
  std::uniform_int_distribution<std::size_t> any(0, test.size() - 1);
  const auto size = static_cast<double>(rows.size());
  int above = 0;
  constexpr int kDraws = 20000;
  for (int draw = 0; draw < kDraws; ++draw) {
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) sum += test[any(generator)];
    above += sum / size * std::sqrt(1 + size / static_cast<double>(test.size())) >= value ? 1 : 0;
  }
  return (1.0 + above) / (1.0 + kDraws);
}

TEST(RequestVerdicts, MemoryIsSeenWhereRowsSuffice) {
  const testing::EvidenceFolder folder(request_shape());
  std::string lines = "row,request\n";
  for (int row = 0; row < 100; ++row) lines += std::to_string(row) + ",many\n";
  for (int row = 100; row < 104; ++row) lines += std::to_string(row) + ",few\n";
  lines += "150,one\n";
  write_file(folder / "requests.csv", lines);
  const evidence::Reading reading = evidence::load(folder.path(), true);
  EXPECT_EQ(reading.findings.size(), 0U);
  const RequestOptions options;
  const Requests found = *judge_requests(reading.evidence, options);
  ASSERT_EQ(found.methods.size(), 2U);
  // "nothing" is the original under another name.
  const RequestVerdict& many = find(found, "nothing", "many");
  EXPECT_EQ(many.word, RequestWord::traces_remain);
  EXPECT_EQ(many.examples, 100U);
  EXPECT_GT(many.power, 0.99);
  EXPECT_NEAR(many.share, 1, 0.35);
  EXPECT_EQ(found.methods[1].requests[0].request, "many") << "worst first";
  const std::size_t needed = found.methods[1].examples_needed.value_or(0);
  EXPECT_GT(needed, 1U);
  EXPECT_LT(needed, 100U);
  const RequestVerdict& one = find(found, "nothing", "one");
  EXPECT_NE(one.word, RequestWord::no_trace_detected) << "one example excludes nothing";
  EXPECT_LT(one.power, options.power);
  // The same p as the plain computation, within four errors of both samples of draws.
  for (const char* method : {"nothing", "finetune"}) {
    const double p = find(found, method, "few").p;
    const double plain = plain_p(reading.evidence, method, {100, 101, 102, 103});
    EXPECT_NEAR(p, plain, 4 * std::sqrt(p * (1 - p) * (1e-4 + 5e-5)) + 2e-4) << method;
  }
  const Json json = result::json_of(found);
  EXPECT_EQ(json["methods"][1]["requests"][0]["word"], "traces_remain");
  EXPECT_EQ(json["level"], 0.05);
  EXPECT_EQ(json["signal"], "probability");
  EXPECT_EQ(result::json_of(result::from_json<Requests>(json)), json);
}

// A freshly retrained model in place of a method: p-values are those of chance. Of 40 disjoint
// requests more than 8 below 0.05 would come by chance in 3 of 10,000 cases.
TEST(RequestVerdicts, AFreshlyRetrainedModelIsNoFalseAlarm) {
  const testing::EvidenceFolder folder(request_shape());
  fs::remove_all(folder / "unlearned");
  fs::create_directories(folder / "unlearned/fresh");
  fs::rename(folder / "retrained/1", folder / "unlearned/fresh/0");
  std::string lines = "row,request\n";
  for (int row = 0; row < 200; ++row) {
    lines += std::to_string(row) + ",r" + std::to_string(row / 5) + "\n";
  }
  write_file(folder / "requests.csv", lines);
  const evidence::Reading reading = evidence::load(folder.path(), true);
  const Requests found = *judge_requests(reading.evidence, {});
  ASSERT_EQ(found.methods.size(), 1U);
  int below = 0;
  double sum = 0;
  for (const RequestVerdict& own : found.methods[0].requests) {
    below += own.p <= 0.05 ? 1 : 0;
    sum += own.p;
    EXPECT_NE(own.word, RequestWord::traces_remain) << own.request;
  }
  EXPECT_LE(below, 8);
  EXPECT_GT(sum / 40, 0.3);
  EXPECT_LT(sum / 40, 0.7);
}

TEST(RequestVerdicts, WithoutRetrainedModelsNothingIsJudged) {
  const testing::EvidenceFolder folder(request_shape());
  fs::remove_all(folder / "retrained");
  write_file(folder / "requests.csv", "row,request\n1,r\n");
  const Requests found = *judge_requests(evidence::load(folder.path(), true).evidence, {});
  EXPECT_TRUE(found.methods.empty());
  EXPECT_EQ(found.missing.code, result::Code::requests_need_retrained);
}

// A method without outputs on the forget set is not tested, and the others are.
TEST(RequestVerdicts, AMethodWithoutForgetOutputsIsNotTested) {
  const testing::EvidenceFolder folder(request_shape());
  write_file(folder / "requests.csv", "row,request\n1,r\n");
  const auto judged = [&] {
    return *judge_requests(evidence::load(folder.path(), true).evidence, {});
  };
  const double before = find(judged(), "finetune", "r").p;
  for (const char* model : {"0", "1"}) {
    ASSERT_TRUE(fs::remove(folder / ("unlearned/nothing/" + std::string(model) + "/forget.npy")));
  }
  const Requests found = judged();
  EXPECT_EQ(find(found, "nothing", "r").word, RequestWord::not_tested);
  EXPECT_EQ(found.methods[1].missing,
            result::reason(result::Code::request_needs_outputs, "nothing"));
  EXPECT_TRUE(std::isnan(find(found, "nothing", "r").p));
  EXPECT_EQ(find(found, "finetune", "r").p, before);
}

// What is wrong about a method's answers is wrong about those to its requests; what only its
// verdict lacks is not.
TEST(RequestVerdicts, AMethodWithoutATrustworthyAnswerIsNotTested) {
  const testing::EvidenceFolder folder(request_shape());
  write_file(folder / "requests.csv", "row,request\n1,r\n");
  const evidence::Reading reading = evidence::load(folder.path(), true);
  const RequestWord before = find(*judge_requests(reading.evidence, {}), "finetune", "r").word;
  ASSERT_NE(before, RequestWord::not_tested);
  const auto judged = [&](const auto& change) {
    result::Verdict verdict;
    verdict.method = "finetune";
    change(verdict);
    return *judge_requests(reading.evidence, {.verdicts = {verdict}});
  };
  const result::Reason why = result::reason(result::Code::message, "a copy of a retrained model");
  const result::Reason ruin = result::reason(result::Code::one_answer, 1.0, 3);
  const result::Reason order = result::reason(result::Code::split_in_other_order, "forget");
  Requests found = judged([&](auto& verdict) { verdict.obstacle = why; });
  EXPECT_EQ(find(found, "finetune", "r").word, RequestWord::not_tested);
  EXPECT_EQ(found.methods[0].missing, why);
  EXPECT_NE(find(found, "nothing", "r").word, RequestWord::not_tested);
  found = judged([&](auto& verdict) { verdict.ruin = ruin; });
  EXPECT_EQ(find(found, "finetune", "r").word, RequestWord::not_tested);
  EXPECT_EQ(found.methods[0].missing, ruin);
  found = judged([&](auto& verdict) { verdict.cautions = {order}; });
  EXPECT_EQ(find(found, "finetune", "r").word, RequestWord::not_tested);
  found = judged([&](auto& verdict) { verdict.obstacle = result::Code::no_metric_tells_original; });
  EXPECT_EQ(find(found, "finetune", "r").word, before);
}

TEST(RequestVerdicts, NoRequestsAreNoResults) {
  const testing::EvidenceFolder folder(request_shape());
  EXPECT_FALSE(judge_requests(evidence::load(folder.path()).evidence, {}));
}

// Row 1 is retain row 2 moved by 1 % of its length; row 0 is 5 % away from row 0; row 2 has no
// length.
TEST(NearDuplicates, ByActivations) {
  Matrix forget(3, 2), retain(3, 2);
  forget(0, 0) = 1;
  forget(1, 0) = 3;
  forget(1, 1) = 4.05;
  retain(0, 0) = 1.05;
  retain(1, 1) = -7;
  retain(2, 0) = 3;
  retain(2, 1) = 4;
  const std::vector<NearDuplicate> found = near_activations(forget, retain);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].forget, 1U);
  EXPECT_EQ(found[0].retain, 2U);
  // Lengths sqrt(9 + 16.4025) = 5.0401 and 5: 0.05 / 5.02004.
  EXPECT_NEAR(found[0].similarity, 1 - 0.05 / 5.020045, 1e-5);
}

// "a b c d e f" and "... f g" share the runs abc bcd cde def of five: 4 / 5.
TEST(NearDuplicates, ByTexts) {
  const std::vector<std::string> forget = {"a b c d e f", "one two three four five", "x"};
  const std::vector<std::string> retain = {"quite another text about nothing", "A, b; c d e f g!",
                                           "one two three for five", "X."};
  const std::vector<NearDuplicate> found = near_texts(forget, retain);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].retain, 1U);
  EXPECT_NEAR(found[0].similarity, 0.8, 1e-12);
  EXPECT_EQ(found[1].forget, 2U);
  EXPECT_EQ(found[1].retain, 3U);
  EXPECT_EQ(found[1].similarity, 1);
}

}  // namespace
}  // namespace vestige::audit
