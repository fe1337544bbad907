// Tables of numbers: Purchase-100 and any other, from npz or CSV.
#pragma once

#include "vestige/data/dataset.h"

namespace vestige::data {

/// `name` table or purchase100 (100 classes, 600 columns, which is checked). Keys: path, the file
/// (purchase100: or a folder with purchase100.npz or dataset_purchase); classes (default: one more
/// than the largest label); label, the CSV's label column by name or number from 0 (default 0);
/// first_label, 0 or 1, what the first class is called in the file (default: 1 if no label is 0 and
/// the largest is the class count); train_rows, how many rows are the training part (default: all,
/// or those without _test). An npz holds features [n, columns] and labels [n] or one-hot
/// [n, classes], and features_test and labels_test if there is a test part.
Dataset load_table(Options& options);

}  // namespace vestige::data
