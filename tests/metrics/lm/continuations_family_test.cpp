// Rows of generated texts and samples, by hand.
#include "vestige/metrics/lm/continuations_family.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/metrics/support/measured.h"

namespace vestige::metrics {
namespace {

/// Two prompts; the model says the first whole and half of the second.
evidence::Evidence written() {
  evidence::Evidence evidence;
  evidence.text["forget.continuation"] = {"one two three four", "five six"};
  evidence.text["knowmem.continuation"] = {"seven"};
  evidence::Model model;
  model.role = "unlearned";
  model.method = "npo";
  model.name = "0";
  model.generated["forget"] = {"one two three four", "five nine"};
  model.generated["knowmem"] = {"eight"};
  model.generated["no_truth"] = {"ten"};
  model.samples["forget"] = {{"one two three four", "one"}, {"nine", "five six"}};
  evidence.groups.push_back({"unlearned", "npo", {model}});
  return evidence;
}

Measurements rows_of(const evidence::Evidence& evidence, Json options = Json::object()) {
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.candidate = {&evidence.groups[0].models[0]};
  Request request;
  request.options = std::move(options);
  return measured(continuations_family(), comparison, request);
}

const Row& row_of(const Measurements& all, std::string_view id, int k = 0) {
  const auto found = std::find_if(all.rows.begin(), all.rows.end(), [&](const Row& row) {
    return row.metric == id && row.settings.value("k", 0) == k;
  });
  EXPECT_NE(found, all.rows.end()) << id;
  return *found;
}

}  // namespace

TEST(continuations_family, rouge_on_every_split) {
  const evidence::Evidence evidence = written();
  EXPECT_TRUE(continuations_family().support(evidence).supported);
  const Measurements all = rows_of(evidence);
  const Row& recall = row_of(all, "continuations.rouge_l.recall.forget");
  EXPECT_DOUBLE_EQ(recall.value, 0.75);  // 1 and 1/2
  EXPECT_EQ(recall.settings["split"], "forget");
  EXPECT_EQ(recall.n, 2U);
  EXPECT_DOUBLE_EQ(row_of(all, "continuations.rouge_l.recall.other").value, 0);
  // What has no true continuation is not measured.
  EXPECT_TRUE(std::none_of(all.rows.begin(), all.rows.end(), [](const Row& row) {
    return row.settings.value("split", "") == "no_truth";
  }));
  // Nothing is said without a retrained model, of the forget set.
  ASSERT_EQ(recall.notes.size(), 1U);
  EXPECT_EQ(recall.notes[0].code, Code::no_retrained_beside);
}

TEST(continuations_family, leaks_of_samples) {
  const Measurements all = rows_of(written());
  // Each prompt has one leaking sample of two.
  EXPECT_DOUBLE_EQ(row_of(all, "continuations.leak.forget", 1).value, 0.5);
  EXPECT_DOUBLE_EQ(row_of(all, "continuations.leak.forget", 2).value, 1);
  // Recalls 1 and 1/4, 0 and 1.
  EXPECT_DOUBLE_EQ(row_of(all, "continuations.leak.expected.forget", 1).value, (0.625 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(row_of(all, "continuations.leak.expected.forget", 2).value, 1);
  EXPECT_EQ(row_of(all, "continuations.leak.forget", 1).settings["threshold"], 0.9);
  // A quarter of the words counts as a leak at this threshold.
  const Measurements low = rows_of(written(), {{"continuations.threshold", 0.25}});
  EXPECT_DOUBLE_EQ(row_of(low, "continuations.leak.forget", 1).value, 0.75);
  EXPECT_ANY_THROW(rows_of(written(), {{"continuations.threshold", 0}}));
  for (const MetricInfo& info : continuations_family().metrics)
    EXPECT_FALSE(info.speech.has_value());
}

TEST(continuations_family, without_texts_it_says_what_is_missing) {
  evidence::Evidence evidence = written();
  evidence.text.clear();
  EXPECT_FALSE(continuations_family().support(evidence).supported);
  const Measurements all = rows_of(evidence);
  ASSERT_EQ(all.rows.size(), 1U);
  EXPECT_EQ(all.rows[0].status, Status::skipped);
  EXPECT_EQ(all.rows[0].notes.at(0).code, Code::needs_continuations);
}

}  // namespace vestige::metrics
