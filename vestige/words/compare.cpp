// Texts of reasons/compare.def.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries compare_words() {
  return {
      {Code::verdict_changed,
       "{method}: {before}{-before}not there{/} -> {after}{-after}not there{/}{+answers} "
       "({answers}){/}"},
      {Code::answer_changed, "{question}: {before} -> {after}"},
      {Code::value_moved, "{subject} {metric}: {before} -> {after}"},
      {Code::status_changed, "{subject} {metric}: {before} -> {after}{+notes} ({notes}){/}"},
      {Code::no_verdict_changed, "no verdict changed"},
      {Code::some_verdicts_changed, "verdicts changed"},
      {Code::verdicts_worse, "worse than before: {methods}"},
      {Code::no_verdict_worse, "no verdict is worse than before"},
      {Code::values_moved,
       "{moved} of {compared#value} with an interval changed by more than the intervals"
       " allow"},
      {Code::values_by_seed,
       "{values#value} with an interval changed by more than the intervals allow, but a changed "
       "seed alone can do that"},
      {Code::seed_alone,
       "the input files are the same and the seed is another ({before} -> {after}): the "
       "changes below are the noise of random draws"},
      {Code::values_without_changed, "{changed} of {values#value} without an interval changed"},
      {Code::values_not_compared,
       "{values#value} without an interval {values?was/were} not compared, because the seed "
       "changed"},
      {Code::values_in_one_only,
       "{before#value} {before?is/are} only in the earlier audit, {after} only in the later one"},
      {Code::input_changed, "{file}: its content changed"},
      {Code::input_only_before, "{file}: only in the earlier audit"},
      {Code::input_only_after, "{file}: only in the later audit"},
      {Code::inputs_equal, "{files#input file}: none changed"},
      {Code::circumstance_changed, "{what}: {before}{-before}none{/} -> {after}{-after}none{/}"},
      {Code::more_in_json, "and {lines} more: --json lists all"},
      {Code::comparison_page_note,
       "Earlier to later: {audits}. Each arrow goes from one audit to the next. Pale marks are "
       "earlier audits; the last mark has its 95 % interval"},
      {Code::ledger_intact, "{ledger}: {audits#audit}, every entry has the hash of the one before"},
      {Code::method_not_in_latest, "not in the latest audit"},
      {Code::ledger_head,
       "head {head}: keep a copy of it elsewhere. --head with it shows later whether lines were "
       "removed or the ledger was replaced"},
      {Code::ledger_added, "added entry {entry}; head {head}"},
      {Code::ledger_head_found,
       "the given head is entry {entry}{+later}; {later#entry/entries} {later?was/were} added "
       "since{/}"},
      {Code::ledger_duplicate, "entry {entry} holds the same results as entry {earlier}"},
      {Code::ledger_started_earlier,
       "entry {entry} was measured at {started}, before the entry above it ({before})"},
      {Code::ledger_added_earlier,
       "entry {entry} says that it was added at {added}, before the entry above it ({before}): a "
       "clock was wrong, or the line was made up"},
      {Code::ledger_added_before_measured,
       "entry {entry} says that it was added at {added}, before it was measured ({started}): a "
       "clock was wrong, or the line was made up"},
      {Code::ledger_page_note,
       "Each point is an audit. It shows where the method lies between the retrained models (0) "
       "and the original (1), with its 95 % interval. The numbers below are entries of the "
       "ledger"},
  };
}

}  // namespace vestige::words
