// The sbatch script, and the times and sizes in it, calculated by hand.
#include "vestige/experiment/slurm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/experiment/estimates/measured_rates.h"

namespace vestige::experiment {
namespace {

TEST(Slurm, TimesAreWhatSbatchTakes) {
  EXPECT_EQ(slurm_time(0), "0-00:00:00");
  EXPECT_EQ(slurm_time(86400 + 2 * 3600 + 30 * 60), "1-02:30:00");
  EXPECT_EQ(slurm_time(59.2), "0-00:01:00");
  // 1.5 x 3600 s and 600 s are 6000 s: 20 times five minutes. One second more is the next five.
  EXPECT_EQ(slurm_seconds(3600), 6000);
  EXPECT_EQ(slurm_seconds(3601), 6300);
  EXPECT_EQ(slurm_seconds(0), 600);
}

TEST(Slurm, ArraysShareWhatIsShared) {
  TimeEstimate estimate;
  estimate.training = 30 * 3600;
  estimate.unlearning = 10 * 3600;
  estimate.auditing = 5 * 3600;
  estimate.jobs = 1000;
  // 40 h in parts of 4 h; the audits are one element's.
  EXPECT_EQ(array_size(estimate), 10U);
  EXPECT_DOUBLE_EQ(estimate.total(10), 9 * 3600);
  estimate.workers = 4;
  EXPECT_EQ(array_size(estimate), 3U);
  // No element without a job, at most as many as Slurm takes, at least one.
  estimate.workers = 1;
  estimate.jobs = 7;
  EXPECT_EQ(array_size(estimate), 7U);
  estimate.jobs = 1e6;
  estimate.training = 1e9;
  EXPECT_EQ(array_size(estimate), 1000U);
  EXPECT_EQ(array_size({}), 1U);
}

TEST(Slurm, ScriptAsksForWhatTheJobNeeds) {
  SlurmJob job;
  job.name = "competition-paper";
  job.command = {"/opt/vestige", "bench", "r.toml", "--set", "methods=[\"it's\"]"};
  job.folder = "/home/me/my work";
  job.elements = 8;
  job.cores = 4;
  job.gpus = 2;
  job.seconds = 3600;
  job.comments = {"counted on this"};
  const std::string script = slurm_script(job);
  for (const char* line :
       {"#!/bin/sh\n# counted on this\n", "\n#SBATCH --job-name=competition-paper\n",
        "\n#SBATCH --array=0-7\n", "\n#SBATCH --cpus-per-task=4\n", "\n#SBATCH --gpus-per-task=2\n",
        "\n#SBATCH --time=0-01:40:00\n", "\n#SBATCH --chdir=\"/home/me/my work\"\n",
        "\n#SBATCH --requeue\n", "\n#SBATCH --open-mode=append\n",
        "scontrol requeue \"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"\n",
        "\n/opt/vestige bench r.toml --set 'methods=[\"it'\\''s\"]' \\\n  --threads "
        "\"${SLURM_CPUS_PER_TASK:-4}\" &\n"}) {
    EXPECT_NE(script.find(line), std::string::npos) << line << "in\n" << script;
  }
  // sbatch reads no #SBATCH behind the first command.
  EXPECT_LT(script.rfind("#SBATCH"), script.find("again()"));
  job.gpus = 0;
  EXPECT_EQ(slurm_script(job).find("gpus"), std::string::npos);
  job.name = "two\nlines";
  EXPECT_THROW(slurm_script(job), InputError);
}

// docs/lab/gpu.md has the measured figures.
TEST(MeasuredRates, AreThoseOfTheTable) {
  const Json resnet = {{"name", "resnet18"}};
  EXPECT_EQ(measured_rate(resnet, {3, 32, 32}, "tf32", 1), 28.1e3);
  EXPECT_EQ(measured_rate({{"name", "small_cnn"}}, {1, 28, 28}, "bf16", 64), 1467e3);
  EXPECT_EQ(measured_rate({{"name", "small_cnn"}}, {1, 28, 28}, "float32", 8), 312e3);
  // Four times the pixels, a quarter of the images; images that are resized count as such.
  EXPECT_DOUBLE_EQ(measured_rate(resnet, {3, 64, 64}, "bf16", 1), 41.3e3 / 4);
  EXPECT_EQ(measured_rate({{"name", "resnet18"}, {"resize", 32}}, {1, 28, 28}, "float32", 1),
            8.5e3);
  EXPECT_TRUE(std::isnan(measured_rate({{"name", "vit"}}, {3, 32, 32}, "bf16", 1)));
  EXPECT_TRUE(
      std::isnan(measured_rate({{"name", "small_cnn"}, {"width", 64}}, {1, 28, 28}, "bf16", 1)));
}

}  // namespace
}  // namespace vestige::experiment
