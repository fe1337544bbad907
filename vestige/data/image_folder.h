// Images in class folders: Tiny-ImageNet, CINIC-10, MUCAC, CASIA-SURF and one's own.
#pragma once

#include "vestige/data/dataset.h"

namespace vestige::data {

/// Keys: path; train and test, lists of folders in it (default: train; and the first of test, val,
/// valid that is there, or val if it holds Tiny-ImageNet's val_annotations.txt); size, to which
/// images are resized (default: they must all have the first one's size); channels, 3 or 1; csv, a
/// file with the columns file, subject, attribute (image_table.h), relative to path; label, folder
/// (default) or attribute. A class is a folder, and all PNG and JPEG files below it belong to it;
/// classes and rows are in the bytewise order of their paths.
Dataset load_image_folder(Options& options, const Context& context);

}  // namespace vestige::data
