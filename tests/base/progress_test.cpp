// Progress: the text of the line, and silence where silence is due.
#include "vestige/base/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace vestige {
namespace {

/// What one step prints when it comes after `wait`.
std::string printed(ProgressStyle style, std::chrono::milliseconds wait) {
  ::testing::internal::CaptureStderr();
  {
    Progress progress(style, "train", 4);
    std::this_thread::sleep_for(wait);
    progress.add();
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(ProgressOutput, LineSaysWhatHowFarAndHowLong) {
  Progress progress(ProgressStyle::quiet, "epsilon of finetune", 100);
  EXPECT_EQ(progress.line(3.0), "epsilon of finetune: 0 of 100 (0 %)");
  progress.add(40);
  // 40 steps in 8 s: the other 60 take 12 s.
  EXPECT_EQ(progress.line(8.0), "epsilon of finetune: 40 of 100 (40 %), 12 s left");
  progress.add(60);
  EXPECT_EQ(progress.line(20.0), "epsilon of finetune: 100 of 100 (100 %), 0 s left");
}

TEST(ProgressOutput, NothingToDoIsComplete) {
  EXPECT_EQ(Progress(ProgressStyle::quiet, "nothing", 0).line(1.0),
            "nothing: 0 of 0 (100 %), 0 s left");
}

TEST(ProgressOutput, ShortWorkIsSilent) {
  EXPECT_EQ(printed(ProgressStyle::lines, std::chrono::milliseconds(0)), "");
  EXPECT_EQ(printed(ProgressStyle::bar, std::chrono::milliseconds(0)), "");
}

TEST(ProgressOutput, LinesAfterTwoSecondsArePlainText) {
  const std::string text = printed(ProgressStyle::lines, std::chrono::milliseconds(2050));
  EXPECT_EQ(text.find("train: 1 of 4 (25 %), 6 s left\n"), 0U) << text;
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST(ProgressOutput, BarIsDrawnAndWipedAtTheEnd) {
  const std::string text = printed(ProgressStyle::bar, std::chrono::milliseconds(2050));
  EXPECT_NE(text.find("[#####...............] train: 1 of 4"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K")) << text;
}

TEST(ProgressOutput, QuietIsSilentHoweverLong) {
  EXPECT_EQ(printed(ProgressStyle::quiet, std::chrono::milliseconds(2050)), "");
}

TEST(ProgressOutput, AutomaticIsPlainLinesWhenStderrIsNoTerminal) {
  const std::string text = printed(ProgressStyle::automatic, std::chrono::milliseconds(2050));
  EXPECT_EQ(text.find("train: 1 of 4"), 0U) << text;
}

}  // namespace
}  // namespace vestige
