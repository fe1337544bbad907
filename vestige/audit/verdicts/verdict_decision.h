// From the tests of a verdict to its four answers: the same rule for one evidence and for tests
// pooled over the splits of an experiment.
#pragma once

#include "vestige/audit/verdicts/verdicts.h"

namespace vestige::audit {

inline constexpr double kSignificance = 0.05;
// Where unseen rows judge, they have four fifths of the 5 %; all other metrics share the rest.
inline constexpr double kOfUnseenRows = 0.04;
inline constexpr double kOfOthers = 0.01;
// FORGOTTEN needs examples enough to see a loss of this many utility margins.
inline constexpr double kLargestLossUnseen = 5;

/// Moved from the original by less than a tenth of what retraining moves.
bool hardly_changed(const Moved& moved);

/// The 90 % interval ends before the margin, seen towards the original and away from it.
bool no_more_than_margin(const VerdictTest& test);
bool no_less_than_margin(const VerdictTest& test);

/// Holm over the tests of each kind, then what each shows: the test's side, unless it is not
/// certain, too small, or explained by lost utility.
void read_tests(Verdict& verdict, const VerdictOptions& options);

/// What one signal of unseen rows shows stands only if all signals that can speak show the same
/// side, each by itself: where target and unseen rows are not on the same level. After read_tests.
void only_where_signals_agree(Verdict& verdict);

/// under, over, equivalent and utility_loss from the tests, by verdict.form.
void decide(Verdict& verdict);

/// Which utility test is too imprecise for FORGOTTEN, where nothing else stands in the way; empty
/// if none is.
Reason uncertain_utility(const Verdict& verdict);

}  // namespace vestige::audit
