// The files beside the arrays: accuracy.json and text/<split>.txt.
#pragma once

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"
#include "vestige/evidence/source.h"

namespace vestige::evidence {

/// True for the files beside the arrays that are read: evidence.toml, accuracy.json, requests.csv,
/// text/*.txt, MODEL/generated/*.txt and MODEL/generated/*.samples.jsonl.
bool is_side_file(const std::string& file);

/// Reads accuracy.json and text/ into the evidence.
void read_side_files(const Source& source, Evidence& evidence, Findings& findings);

/// Reads MODEL/generated/SPLIT.txt and SPLIT.samples.jsonl into the models; those of stacked pools
/// have none. Where no model has arrays, those that have texts are the models.
void read_generated(const Source& source, Evidence& evidence, Findings& findings);

/// Every accuracy must belong to a group of models and hold one value per model.
void check_accuracy(const Evidence& evidence, Findings& findings);

}  // namespace vestige::evidence
