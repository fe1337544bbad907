// Writes what one model says into an evidence folder.
#pragma once

#include <string>

#include "vestige/collect/chosen_rows.h"
#include "vestige/collect/collect.h"
#include "vestige/collect/folder.h"
#include "vestige/collect/outputs.h"
#include "vestige/collect/sources.h"
#include "vestige/evidence/formats/array.h"
#include "vestige/models/denoiser.h"
#include "vestige/models/network.h"
#include "vestige/train/workshop.h"

namespace vestige::collect {

/// Writes what one model says.
class ModelWriter {
 public:
  ModelWriter(Folder& folder, train::Workshop& workshop, const CollectSettings& settings,
              const Splits& splits)
      : folder_(folder),
        workshop_(workshop),
        settings_(settings),
        splits_(splits),
        request_{settings.taps,
                 settings.saliency,
                 settings.grad_cam_tap,
                 settings.dtype == "float16",
                 {.level = settings.noise_level, .draws = settings.noise_draws}} {}

  /// False if the model says NaN or infinity somewhere; it may have written something by then.
  bool write(const ModelSource& source, models::Network& network);

  /// Samples are looked at through this classifier, beside the test rows.
  void judge_by(models::NetworkPointer classifier);

 private:
  void put(const std::string& key, const evidence::Array& array);
  bool write_pair(const ModelSource& source, models::Network& network);
  bool write_split(const ModelSource& source, models::Network& network, const std::string& name,
                   const train::Rows& rows);
  void write_samples(const ModelSource& source, models::Denoiser& network);
  void write_maps(const ModelSource& source, models::Network& network);

  Folder& folder_;
  train::Workshop& workshop_;
  const CollectSettings& settings_;
  const Splits& splits_;
  OutputRequest request_;
  models::NetworkPointer judge_;  ///< the classifier of [features]; may be missing
  evidence::Array real_features_;
};

}  // namespace vestige::collect
