// Finds the images first, in sorted order; then decodes them in parallel, each to its own place.
#include "vestige/data/image_folder.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <span>
#include <sstream>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/parallel.h"
#include "vestige/base/progress.h"
#include "vestige/data/files.h"
#include "vestige/data/image.h"
#include "vestige/data/image_table.h"

namespace vestige::data {
namespace fs = std::filesystem;
namespace {

constexpr const char* kAnnotations = "val_annotations.txt";

struct FolderSettings {
  fs::path path;
  std::vector<std::string> train;
  std::vector<std::string> test;
  std::int64_t size = 0;  // 0: as the images are
  std::size_t channels = 3;
  std::string csv;
  bool label_is_attribute = false;
};

struct Found {
  fs::path path;
  std::string relative;  // to the data set's folder, with slashes
  std::string folder;    // the class folder's name; empty if labels come from the CSV
};

Origin origin() {
  return {.set = "image_folder",
          .wanted =
              "folders train/CLASS/*.png or *.jpg, and test, val or valid like it if there "
              "is a test part",
          .source = "the set's own page or your own export"};
}

bool hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool is_image(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& character : ending) {
    character = static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  }
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

/// Runs `action`; a folder that cannot be read is an InputError.
template <typename Action>
void reading_folder(const fs::path& folder, const Action& action) {
  try {
    action();
  } catch (const fs::filesystem_error& error) {
    fail("cannot read {}: {}", folder.string(), error.code().message());
  }
}

std::vector<fs::path> class_folders(const fs::path& part) {
  std::vector<fs::path> folders;
  reading_folder(part, [&] {
    for (const fs::directory_entry& entry : fs::directory_iterator(part)) {
      if (entry.is_directory() && !hidden(entry.path())) folders.push_back(entry.path());
    }
  });
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// All images at any depth below `folder`, unsorted.
std::vector<Found> images_below(const fs::path& folder, const fs::path& root,
                                const std::string& class_folder) {
  std::vector<Found> images;
  reading_folder(folder, [&] {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (hidden(entry.path()) || !is_image(entry.path()) || !entry.is_regular_file()) continue;
      images.push_back(
          {entry.path(), entry.path().lexically_relative(root).generic_string(), class_folder});
    }
  });
  return images;
}

void sort_by_path(std::vector<Found>& images) {
  std::sort(images.begin(), images.end(),
            [](const Found& a, const Found& b) { return a.relative < b.relative; });
}

/// Tiny-ImageNet's val: images/NAME, and a line "NAME WNID x y x y" for each.
std::vector<Found> annotated_images(const fs::path& part, const fs::path& root) {
  std::vector<Found> images;
  for (const std::string& line : read_lines(part / kAnnotations)) {
    std::istringstream words(line);
    std::string name, folder;
    require(static_cast<bool>(words >> name >> folder),
            "{} has the line '{}': it needs a file and its class", (part / kAnnotations).string(),
            line);
    const fs::path path = part / "images" / name;
    images.push_back({path, path.lexically_relative(root).generic_string(), folder});
  }
  return images;
}

std::vector<Found> find_images(const FolderSettings& settings,
                               const std::vector<std::string>& parts) {
  std::vector<Found> all;
  for (const std::string& name : parts) {
    const fs::path part = name == "." ? settings.path : settings.path / name;
    std::error_code ignored;
    if (!fs::is_directory(part, ignored)) fail_missing(part, origin());
    std::vector<Found> images;
    if (settings.label_is_attribute) {
      images = images_below(part, settings.path, "");
      require(!images.empty(), "{} holds no PNG or JPEG images: check path", part.string());
    } else if (fs::exists(part / kAnnotations, ignored)) {
      images = annotated_images(part, settings.path);
      require(!images.empty(), "{} names no images: copy it again", (part / kAnnotations).string());
    } else {
      const std::vector<fs::path> folders = class_folders(part);
      require(!folders.empty(), "{} holds no class folders: images belong to one folder per class",
              part.string());
      for (const fs::path& folder : folders) {
        std::vector<Found> members =
            images_below(folder, settings.path, folder.filename().string());
        require(!members.empty(),
                "the class folder {} holds no PNG or JPEG images: fill or remove it",
                folder.string());
        images.insert(images.end(), members.begin(), members.end());
      }
    }
    sort_by_path(images);
    all.insert(all.end(), images.begin(), images.end());
  }
  return all;
}

std::vector<std::string> default_test(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path / "val" / kAnnotations, ignored)) return {"val"};
  for (const char* name : {"test", "val", "valid"}) {
    if (fs::is_directory(path / name, ignored)) return {name};
  }
  return {};
}

FolderSettings read_folder_settings(Options& options) {
  FolderSettings settings;
  settings.path = data_path(options, "", origin());
  settings.train = options.texts("train", {"train"});
  settings.test = options.texts("test", default_test(settings.path));
  settings.size = options.integer("size", 0);
  if (settings.size < 0 || settings.size > 4096) options.wrong("size", "it must be 0 to 4096");
  const std::int64_t channels = options.integer("channels", 3);
  if (channels != 1 && channels != 3) options.wrong("channels", "it must be 3 or 1");
  settings.channels = static_cast<std::size_t>(channels);
  settings.csv = options.text("csv", "");
  settings.label_is_attribute =
      options.choice("label", "folder", {"folder", "attribute"}) == "attribute";
  if (settings.label_is_attribute && settings.csv.empty()) {
    options.wrong("label", "an attribute comes from the CSV: give its name as csv");
  }
  if (settings.train.empty()) options.wrong("train", "it must name at least one folder");
  options.finish();
  return settings;
}

void set_labels(Dataset& dataset, const Codes& codes) {
  dataset.labels = codes.codes;
  dataset.class_names = codes.names;
  dataset.classes = static_cast<std::int64_t>(codes.names.size());
}

void label_by_folder(Dataset& dataset, const std::vector<Found>& images) {
  std::set<std::string> names;
  for (std::size_t row = 0; row < dataset.train_rows; ++row) names.insert(images[row].folder);
  dataset.class_names.assign(names.begin(), names.end());
  dataset.classes = static_cast<std::int64_t>(names.size());
  for (const Found& image : images) {
    const auto place =
        std::lower_bound(dataset.class_names.begin(), dataset.class_names.end(), image.folder);
    require(place != dataset.class_names.end() && *place == image.folder,
            "{} is of the class {}, which has no training images: remove it or choose other "
            "folders with test",
            image.path.string(), image.folder);
    dataset.labels.push_back(place - dataset.class_names.begin());
  }
}

void add_table(Dataset& dataset, const FolderSettings& settings, const std::vector<Found>& images) {
  std::vector<std::string> files;
  for (const Found& image : images) files.push_back(image.relative);
  const fs::path path = settings.path / settings.csv;
  const ImageTable table = read_image_table(path, files);
  dataset.subjects = identities(table.subjects);
  if (settings.label_is_attribute) {
    require(!table.attributes.empty(), "{} has no column attribute: labels are to come from it",
            path.string());
    set_labels(dataset, encode(table.attributes));
  } else {
    dataset.subclasses = identities(table.attributes);
  }
}

Image read_image(const Found& found, const FolderSettings& settings) {
  Image image = decode_image(read_file(found.path), found.path.string());
  const auto size = static_cast<std::size_t>(settings.size);
  return size == 0 ? image : resize_image(image, size, size);
}

void decode_all(Dataset& dataset, const FolderSettings& settings, const std::vector<Found>& images,
                const Context& context) {
  const Image first = read_image(images[0], settings);
  const std::size_t row_size = settings.channels * first.width * first.height;
  dataset.shape = {static_cast<std::int64_t>(settings.channels),
                   static_cast<std::int64_t>(first.height), static_cast<std::int64_t>(first.width)};
  allocate(dataset.bytes, images.size() * row_size, dataset.name);
  Progress progress(context.progress(), "reading images", images.size());
  parallel_for(images.size(), [&](std::size_t row) {
    const Image image = read_image(images[row], settings);
    require(image.width == first.width && image.height == first.height,
            "{} has {} x {} pixels, {} has {} x {}: set size to resize all images",
            images[row].path.string(), image.width, image.height, images[0].path.string(),
            first.width, first.height);
    write_planes(image, settings.channels,
                 std::span(dataset.bytes).subspan(row * row_size, row_size));
    progress.add();
  });
}

}  // namespace

Dataset load_image_folder(Options& options, const Context& context) {
  Dataset dataset;
  dataset.name = options.choice("name", "image_folder", {"image_folder"});
  const FolderSettings settings = read_folder_settings(options);
  std::vector<Found> images = find_images(settings, settings.train);
  dataset.train_rows = images.size();
  const std::vector<Found> test = find_images(settings, settings.test);
  images.insert(images.end(), test.begin(), test.end());
  if (!settings.label_is_attribute) label_by_folder(dataset, images);
  if (!settings.csv.empty()) add_table(dataset, settings, images);
  decode_all(dataset, settings, images, context);
  finish(dataset);
  return dataset;
}

}  // namespace vestige::data
