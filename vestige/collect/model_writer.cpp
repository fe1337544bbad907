// Outputs, activations, maps and samples of one model, file by file.
#include "vestige/collect/model_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "vestige/collect/samples.h"
#include "vestige/collect/split_files.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/train/batches/fixed_batches.h"

namespace vestige::collect {

bool ModelWriter::write(const ModelSource& source, models::Network& network) {
  if (!source.calibration.empty()) {
    const OutputRequest plain{{}, "none", "", request_.half};
    const auto& rows = splits_.find("calibration");
    if (rows == splits_.end()) return true;
    const Outputs outputs = outputs_of(network, workshop_.samples(), rows->second, plain);
    if (outputs.finite) put(source.place + "/" + source.calibration, outputs.logits);
    return outputs.finite;
  }
  if (!source.pair.empty() && !write_pair(source, network)) return false;
  if (source.only_pair) return true;
  const auto wanted = [&source](const std::string& name) {
    return source.splits.empty() ||
           std::find(source.splits.begin(), source.splits.end(), name) != source.splits.end();
  };
  for (const std::string& name : settings_.splits) {
    if (wanted(name) && !write_split(source, network, name, splits_.at(name))) return false;
  }
  const auto own = splits_.find(own_split(source));
  if (own != splits_.end() && !write_split(source, network, kShadowTrain, own->second)) {
    return false;
  }
  if (settings_.pictures && source.maps) write_maps(source, network);
  if (models::Denoiser* const denoiser = models::as_denoiser(network)) {
    if (settings_.samples > 0) write_samples(source, *denoiser);
  }
  return true;
}

void ModelWriter::judge_by(models::NetworkPointer classifier) {
  const auto test = splits_.find("test");
  if (test == splits_.end()) return;
  judge_ = std::move(classifier);
  real_features_ = outputs_of(*judge_, workshop_.samples(), test->second,
                              {{"penultimate"}, "none", "", false, {}})
                       .activations.at("penultimate");
}

void ModelWriter::put(const std::string& key, const evidence::Array& array) {
  folder_.write(key + ".npy", evidence::write_npy(array));
}

bool ModelWriter::write_pair(const ModelSource& source, models::Network& network) {
  const OutputRequest plain{{}, "none", "", request_.half};
  for (const char* split : {"shadow_forget", "shadow_retain"}) {
    const train::Rows& rows = splits_.at(fmt::format("{}.{}", split, pair_name(source)));
    const Outputs outputs = outputs_of(network, workshop_.samples(), rows, plain);
    if (!outputs.finite) return false;
    put(source.place + "/" + split, outputs.logits);
  }
  return true;
}

bool ModelWriter::write_split(const ModelSource& source, models::Network& network,
                              const std::string& name, const train::Rows& rows) {
  OutputRequest request = request_;
  if (!source.inner) request = {{}, "none", "", request_.half, request_.noise};
  const Outputs outputs = outputs_of(network, workshop_.samples(), rows, request);
  if (!outputs.finite) return false;
  if (outputs.losses.empty()) {
    put(source.place + "/" + name, outputs.logits);
  } else {
    put(source.place + "/losses/" + name,
        evidence::Array::from_doubles(outputs.losses, {outputs.losses.size()}));
  }
  for (const auto& [tap, array] : outputs.activations) {
    put(fmt::format("{}/activations/{}/{}", source.place, tap, name), array);
  }
  if (request.saliency != "none") put(source.place + "/saliency/" + name, outputs.saliency);
  if (source.fixed_batch > 0 && (name == "forget" || name == "retain")) {
    const std::map<std::int64_t, std::int64_t> known =
        train::fixed_batch_of(source.rows, source.seed, source.fixed_batch);
    std::vector<std::int64_t> batches;
    for (const std::int64_t row : rows) {
      const auto found = known.find(row);
      batches.push_back(found == known.end() ? -1 : found->second);
    }
    folder_.write(fmt::format("{}/batches/{}.npy", source.place, name), npy_of(batches));
  }
  if (source.says_members(name)) {
    std::vector<std::int64_t> members;
    for (const std::int64_t row : rows) {
      members.push_back(std::binary_search(source.rows.begin(), source.rows.end(), row) ? 1 : 0);
    }
    put(source.place + "/members/" + name,
        evidence::Array::from_integers(members, {members.size()}));
  }
  return true;
}

void ModelWriter::write_samples(const ModelSource& source, models::Denoiser& network) {
  const data::Dataset& data = workshop_.lab().data;
  const torch::Tensor rows = sampled_rows(network, data, settings_.samples);
  constexpr std::int64_t kInFile = 64, kOnPage = 36;
  folder_.write(sample_file(source.place), data::encode_png(picture_sheet(rows, data, kInFile)));
  if (source.maps) {
    std::string model = source.place;
    std::replace(model.begin(), model.end(), '/', '.');
    put("pictures/samples." + model,
        sheet_array(picture_sheet(rows, data, kOnPage), data.shape[0] == 3));
  }
  if (!judge_) return;
  const std::string place = source.place + "/activations/features/";
  put(place + "generated", to_array(feature_values(*judge_, rows), false));
  put(place + "test", real_features_);
}

void ModelWriter::write_maps(const ModelSource& source, models::Network& network) {
  const auto forget = splits_.find("forget");
  if (forget == splits_.end()) return;
  const std::string tap = settings_.grad_cam_tap.empty()
                              ? last_spatial_tap(network, workshop_.samples())
                              : settings_.grad_cam_tap;
  if (tap.empty()) return;  // an architecture without maps
  put(source.place + "/grad_cam/forget",
      grad_cam_maps(network, workshop_.samples(), forget->second, tap));
}

}  // namespace vestige::collect
