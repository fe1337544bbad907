// Texts of reasons/requests.def.
#include "vestige/words/requests.h"

#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;
using result::RequestWord;

Entries request_words() {
  return {
      {Code::requests_need_retrained,
       "requests need the outputs of a retrained model on forget and unseen test examples: add "
       "retrained/0/forget.npy, retrained/0/test.npy and their labels"},
      {Code::request_needs_outputs,
       "needs the method's outputs on forget and test examples: add "
       "unlearned/{method}/0/forget.npy and unlearned/{method}/0/test.npy"},
      {Code::requests_not_tested, "not tested: {reasons}"},
      {Code::requests_of_method,
       "{method}:{+traces} {traces#request}: traces remain.{/}{+undecided} {undecided#request}: "
       "not decided.{/}{+not_tested} {not_tested#request}: not tested.{/}{+no_trace} "
       "{no_trace#request}: no trace detected.{/}{+needed} A request needs about "
       "{needed#example} to be decided.{/}"},
      {Code::request_with_traces,
       "{request} ({examples#example}): {+share}{share:percent} of what the original memorised "
       "remains, {/}adjusted p = {p:.2g}"},
      {Code::near_duplicates_kept,
       "{examples#forget example} nearly {examples?equals/equal} a retain example and cannot be "
       "forgotten while that one stays. Rows (forget, retain): {pairs}{+more} and {more} more{/}"},
      {Code::requests_by_probability,
       "The probability of the true class, method minus retrained, is averaged over the examples "
       "of "
       "a request and ranked among draws of equally many unseen examples. p is "
       "adjusted over the requests (Benjamini and Hochberg) at the level {level}. A request "
       "without traces is not decided where the power is below {power}. requests.csv has all "
       "numbers"},
      {Code::requests_by_likelihood,
       "The mean log-probability of a token, method minus retrained, is averaged over the examples "
       "of a request and ranked among draws of equally many unseen examples. p is "
       "adjusted over the requests (Benjamini and Hochberg) at the level {level}. A request "
       "without traces is not decided where the power is below {power}. requests.csv has all "
       "numbers"},
  };
}

std::string word(RequestWord word) {
  switch (word) {
    case RequestWord::traces_remain:
      return "TRACES REMAIN";
    case RequestWord::no_trace_detected:
      return "NO TRACE DETECTED";
    case RequestWord::not_decided:
      return "NOT DECIDED";
    case RequestWord::not_tested:
      return "NOT TESTED";
  }
  return {};
}

}  // namespace vestige::words
