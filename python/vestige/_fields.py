"""Types of results.json; made by tests/python/make_stubs.py from docs/reference/results.md.

Undefined numbers are None, infinities the texts "inf" and "-inf".
"""

from __future__ import annotations

from typing import Literal, TypedDict


class Reason(TypedDict):
    """What is said: programs read code and arguments, people the text."""

    code: str
    arguments: dict
    text: str


class Results(TypedDict, total=False):
    """results.json as a whole; requests, gate, bench and lines are there where an audit has them."""

    schema: int
    tool: dict
    run: Run
    evidence: dict
    inputs: list[dict]
    remarks: list[Remark]
    skipped: list[Skipped]
    results: list[Row]
    lines: list[dict]
    series: list[Series]
    verdicts: list[Verdict]
    remembered: RememberedRows
    correlations: dict
    samples: SampleFile
    requests: Requests
    gate: Gate
    bench: Experiment


class Row(TypedDict):
    metric: str  #: id of the metric
    subject: Subject  #: the model or group of models
    value: float | None  #: the measured value; null where undefined
    lower: float | None  #: lower end of the 95 % interval
    upper: float | None  #: upper end of the 95 % interval
    interval: Reason | None  #: kind of the interval; null without one
    n: int  #: number of examples or models behind the value
    direction: Literal["lower", "higher", "match"]  #: which way is good: lower, higher or match (the reference)
    ideal: float | None  #: the ideal value; null where only the reference says
    reference: float | None  #: the same metric on the retrained models
    status: Literal["ok", "undefined", "skipped", "unreliable"]  #: ok, undefined, skipped or unreliable
    notes: list[Reason]  #: what to know about this number
    control: Literal["", "retrained", "original", "constant", "graded", "checkpoint"]  #: which control the subject is; empty for a method
    settings: dict  #: how it was measured; rows compare only where these agree
    facts: dict  #: further facts about the number
    seed: int  #: root seed of its random draws


class Subject(TypedDict):
    role: str  #: role of the model: original, retrained, unlearned, ...
    method: str  #: unlearning method; empty for roles without methods
    name: str  #: name of the model; empty for all models of the group


class Series(TypedDict):
    kind: str  #: kind of plot: roc, sorted, histogram, curve, ...
    metric: str  #: the id, or the beginning of ids, that it belongs to
    subject: Subject  #: the model or group of models
    group: str  #: whose points these are; may be empty
    params: dict  #: settings of the plot
    control: Literal["", "retrained", "original", "constant", "graded", "checkpoint"]  #: which control the subject is; empty for a method
    columns: dict[str, list[float | None]]  #: columns of equal length, by name


class Remark(TypedDict):
    cause: Literal["", "evidence", "cannot_tell", "wrong_way", "constant_as_good", "difference", "unreliable", "care"]  #: why the remark is made
    metrics: list[str]  #: metrics or metric group that it is about; may be empty
    reason: Reason | None  #: what was found


class Skipped(TypedDict):
    group: str  #: the metric group
    reason: Reason | None  #: why it was not measured, and what it would need
    cost: bool  #: left out because it would take too long


class Verdict(TypedDict):
    variant: str  #: variant of the experiment; empty in an audit
    method: str  #: unlearning method
    subject: Subject  #: the group of models
    word: Literal["forgotten", "traces_remain", "over_forgotten", "mixed", "collapsed", "not_decided", "not_tested"]  #: the verdict in a word
    under: Literal["shown", "excluded", "undecided", "not_tested"]  #: are traces shown?
    over: Literal["shown", "excluded", "undecided", "not_tested"]  #: is over-forgetting shown?
    equivalent: Literal["shown", "excluded", "undecided", "not_tested"]  #: is equivalence with retraining shown?
    utility_loss: Literal["shown", "excluded", "undecided", "not_tested"]  #: is a loss of utility shown?
    form: Literal["", "unseen_examples", "models", "model_alone"]  #: what the method was compared with
    margin: float | None  #: declared equivalence margin, as a share of the original-retrained difference
    hardly_changed: bool  #: moved from the original by less than a tenth of what retraining moves
    moved: Moved  #: how far answers on forget examples moved from the original's
    signals_must_agree: bool  #: whether a difference counts only if every signal shows it
    same_as: str  #: the model whose values it repeats; or empty
    uneven: bool  #: more confident than retrained on some forget examples and less on others, by more than the margin
    measurable_within_margin: float | None  #: share of the original-retrained difference that is measurable inside the margin, towards the original; null if none is
    obstacle: Reason | None  #: why nothing could be tested
    utility_missing: Reason | None  #: what utility was not measured on; FORGOTTEN needs it
    ruin: Reason | None  #: what shows that the model is destroyed
    cautions: list[Reason]  #: what must be said beside the verdict
    limits: list[Reason]  #: what this evidence cannot show
    tests: list[VerdictTest]  #: the tests behind the verdict
    additions: list[VerdictAddition]  #: what metrics add to the verdict
    earlier_reason: str  #: reason as an earlier version wrote it
    earlier_sentence: str  #: sentence as an earlier version wrote it


class Moved(TypedDict):
    method: float | None  #: mean change of the method's answers
    retrained: float | None  #: mean change of the retrained models' answers


class VerdictTest(TypedDict):
    metric: str  #: id of the metric
    quantity: Literal["gap", "value", "value_beyond_unseen", "utility", "own_gap"]  #: which quantity is compared
    difference: Difference  #: method minus retrained
    margin: float | None  #: equivalence margin in the metric's unit
    smallest_effect: float | None  #: smallest difference that counts, in the metric's unit
    reference_difference: float | None  #: original-retrained difference by this test
    holm: float | None  #: p-value adjusted over the tests of this kind
    level: float | None  #: significance level of this kind of test
    method: float | None  #: mean over the method's models
    retrained: float | None  #: mean over the retrained models
    original: float | None  #: mean over the original models
    examples: int  #: examples behind a utility test; 0 for others
    unseen: bool  #: whether it compares with unseen examples
    side: Literal["", "under", "over", "utility_loss"]  #: what it would show: under or over
    core: bool  #: whether it must lie within the margin for FORGOTTEN
    within: bool  #: whether the 90 % interval lies within the margin
    shows: Literal["", "under", "over", "utility_loss"]  #: what it shows: under, over, utility_loss or nothing
    not_read: Reason | None  #: why a certain difference does not count


class Difference(TypedDict):
    estimate: float | None  #: method minus retrained
    lower: float | None  #: lower end of the 95 % interval
    upper: float | None  #: upper end of the 95 % interval
    lower90: float | None  #: lower end of the 90 % interval, for equivalence
    upper90: float | None  #: upper end of the 90 % interval, for equivalence
    p: float | None  #: two-sided p-value of no difference
    how: Reason | None  #: how interval and p-value were made


class VerdictAddition(TypedDict):
    metric: str  #: id of the metric
    word: str  #: word for policies
    words: str  #: words before the setting
    what: str  #: value of the setting
    value: float | None  #: the metric's value
    lower: float | None  #: lower end of the 95 % interval
    upper: float | None  #: upper end of the 95 % interval


class Requests(TypedDict):
    signal: Literal["", "probability", "likelihood"]  #: what was compared: probability or likelihood
    missing: Reason | None  #: why nothing could be tested
    level: float | None  #: declared share of false alarms
    power: float | None  #: declared power
    methods: list[MethodRequests]  #: verdicts by method
    near_duplicates: list[NearDuplicate]  #: forget examples that nearly equal a retain example


class MethodRequests(TypedDict):
    method: str  #: unlearning method
    examples_needed: int | None  #: examples that a request needs for the declared power; null where not known
    missing: Reason | None  #: why nothing could be tested
    requests: list[RequestVerdict]  #: one verdict per request, worst first


class RequestVerdict(TypedDict):
    request: str  #: name of the request
    subject: str  #: person that it is about; may be empty
    date: str  #: date of the request; may be empty
    examples: int  #: number of forget examples of the request
    word: Literal["traces_remain", "no_trace_detected", "not_decided", "not_tested"]  #: the verdict in a word
    difference: float | None  #: mean of method minus retrained, minus the same on unseen examples
    share: float | None  #: the difference as a share of the original-retrained difference
    p: float | None  #: one-sided p-value of no trace
    adjusted: float | None  #: p-value adjusted over the requests (Benjamini and Hochberg)
    power: float | None  #: probability that a fully remembered request of this size is detected


class NearDuplicate(TypedDict):
    forget: int  #: row of the forget example
    retain: int  #: row of the retain example
    similarity: float | None  #: similarity; 1 means equal
    by: Literal["text", "activations"]  #: what is similar: text or activations
    layer: str  #: layer of the activations; empty for texts


class Gate(TypedDict):
    policy: str  #: name of the policy file, default, or --fail-on
    sha256: str  #: SHA-256 of the policy; empty for --fail-on
    title: str  #: title of the policy
    passed: bool  #: whether every check passed
    checks: list[PolicyCheck]  #: one entry per rule and method


class PolicyCheck(TypedDict):
    rule: Reason | None  #: the rule of the policy
    method: str  #: unlearning method; empty for the evidence as a whole
    passed: bool  #: whether the rule is kept
    findings: list[Reason]  #: what was found


class Experiment(TypedDict):
    recipe: str  #: name of the recipe
    size: str  #: size that was asked for
    notes: str  #: notes of the recipe
    shown: str  #: variant and split whose evidence stands for the others
    variants: list[ExperimentVariant]  #: the variants
    costs: list[MethodCost]  #: what methods cost
    histories: list[History]  #: models during training; may be empty
    findings: list[CheckResult]  #: one entry per check of the recipe
    methods: list[MethodResult]  #: means of every method and control
    controls: list[ControlRow]  #: one entry per measure and variant that has controls
    failed_controls: list[Reason]  #: metrics that failed their controls, and metrics that need care
    failed_runs: list[FailedRuns]  #: methods of which runs failed
    comparison: MethodComparison  #: which method is better
    variance: list[VarianceRow]  #: where the noise comes from


class ExperimentVariant(TypedDict):
    name: str  #: name of the variant
    split_seed: int  #: seed of its split
    factors: dict  #: what sets it apart from the others
    recipe: dict  #: its recipe
    split: str  #: SHA-256 of its split
    models: dict  #: number of models: by role, or all together
    methods: int | None  #: number of methods; null where unknown
    runs: int | None  #: number of runs of methods; null where unknown


class MethodCost(TypedDict):
    method: str  #: name of the method
    seconds: float | None  #: mean seconds of a run
    retraining_seconds: float | None  #: mean seconds of a retraining
    ratio: float | None  #: seconds over those of retraining
    steps: float | None  #: mean number of optimiser steps
    samples: float | None  #: mean number of examples seen
    n: int  #: runs


class History(TypedDict):
    variant: str  #: variant of the experiment
    model: str  #: role of the model, or name of the method
    parts: dict[str, EpochCurve]  #: curves by the examples: train, validation, retain, ...


class EpochCurve(TypedDict):
    accuracy: list[float | None]  #: accuracy after each epoch
    loss: list[float | None]  #: loss after each epoch; empty for methods


class CheckResult(TypedDict):
    finding: str  #: the claim, as the recipe states it
    source: str  #: where it was made
    control: bool  #: about the program or a guarantee, not a paper's
    outcome: Literal["held", "did not hold", "inconclusive"]  #: held, did not hold or inconclusive
    reasons: list[Reason]  #: the numbers, and how they were compared
    value: float | None  #: the value; null where undefined
    lower: float | None  #: lower end of the 95 % interval
    upper: float | None  #: upper end of the 95 % interval
    n: int  #: replicates behind it
    how: Reason | None  #: kind of interval or test


class MethodResult(TypedDict):
    metric: str  #: id of the metric
    setting: str  #: settings that make values comparable: alpha=0.05;
    audit: str  #: name of the audit
    variant: str  #: variant of the experiment
    method: str  #: name of the method, or role of a control
    control: bool  #: a control, not a method
    role: Literal["", "retrained", "original", "constant", "graded", "checkpoint"]  #: which control: retrained, original, ...; empty for a method
    n: int  #: blocks behind the mean
    value: float | None  #: the value; null where undefined
    lower: float | None  #: lower end of the 95 % interval
    upper: float | None  #: upper end of the 95 % interval
    interval: Reason | None  #: kind of the interval; null without one
    reference: float | None  #: mean of the retrained values beside it
    direction: Literal["lower", "higher", "match"]  #: which way is good
    unreliable: float | None  #: share of its rows that audits called so
    controls_failed: bool  #: the metric failed its controls in this variant: it says nothing about methods
    runs: int  #: planned runs, where some failed; else 0
    failed_runs: int  #: runs that failed


class ControlRow(TypedDict):
    metric: str  #: id of the metric
    setting: str  #: settings that make values comparable: alpha=0.05;
    audit: str  #: name of the audit
    variant: str  #: variant of the experiment
    direction: Literal["lower", "higher", "match"]  #: which way is good
    replicates: int  #: blocks
    retrained: Estimate  #: the retrained models
    original: Estimate  #: the original models
    constant: Estimate  #: the constant predictor
    graded: Graded  #: models retrained with part of the forget set removed
    power: float | None  #: share of (original, retrained) pairs in which the original is worse
    pairs: int  #: number of these pairs
    d_prime: float | None  #: difference of the means over the spread within roles
    unreliable: float | None  #: share of audits that called it unreliable
    fooled_by_constant: bool  #: a constant predictor is as good as a retrained model
    verdict: Literal["passed", "failed", "not testable"]  #: passed, failed or not testable
    reason: Reason | None  #: why


class Estimate(TypedDict):
    value: float | None  #: the value; null where undefined
    lower: float | None  #: lower end of the 95 % interval
    upper: float | None  #: upper end of the 95 % interval


class Graded(TypedDict):
    values: list[GradedValue]  #: values by share removed, ascending
    steps: list[GradeStep]  #: from the original over the grades to retrained
    between: list[GradeStep]  #: the same for every two grades
    in_order: bool | None  #: every step gains in the means; null without grades
    ordered_replicates: int  #: replicates in which all steps gain
    replicates: int  #: replicates that have all grades


class GradedValue(TypedDict):
    name: str  #: name of the models: partial/25
    removed: float | None  #: per cent of the forget set that was removed
    n: int  #: replicates
    value: float | None  #: the value; null where undefined
    lower: float | None  #: lower end of the 95 % interval
    upper: float | None  #: upper end of the 95 % interval


GradeStep = TypedDict("GradeStep", {"from": "str", "to": "str", "n": "int", "gain": "float | None", "p_better": "float | None", "p_worse": "float | None"})


class FailedRuns(TypedDict):
    variant: str  #: variant of the experiment
    method: str  #: name of the method, or role of trained models
    runs: int  #: planned runs
    failed: int  #: runs that failed
    unlearning: bool  #: whether they are runs of a method that is judged
    why: Reason | None  #: the most frequent reason


class MethodComparison(TypedDict):
    tests: int  #: p-values that the adjustment covers
    metrics: list[MetricComparison]  #: one entry per measure
    agreement: list[Agreement]  #: every two metrics: do they agree?


class MetricComparison(TypedDict):
    metric: str  #: id of the metric
    setting: str  #: settings that make values comparable: alpha=0.05;
    audit: str  #: name of the audit
    direction: Literal["lower", "higher", "match"]  #: which way is good
    variants: list[str]  #: variants that are compared
    failed_variants: list[str]  #: variants left out, because the metric failed its controls there
    controls_failed: bool  #: it failed its controls in every variant: there are values, but no ranks and no pairs
    blocks: int  #: blocks that have every method
    left_out: int  #: blocks that lack a method
    critical_difference: float | None  #: Nemenyi's critical difference of mean ranks at 0.05
    methods: list[MethodRank]  #: methods, best first, then controls
    pairs: list[MethodPair]  #: paired tests of every two methods
    stable: bool  #: at least 5 blocks, and the first is best in 95 % of resamples
    reasons: list[Reason]  #: who is first, and how sure that is


class MethodRank(TypedDict):
    method: str  #: name of the method, or role of a control
    control: bool  #: a control: not ranked and not tested
    n: int  #: blocks
    value: Estimate  #: mean of the metric over blocks
    badness: Estimate  #: mean badness over blocks: small is good
    rank: Estimate  #: mean rank over complete blocks
    best: float | None  #: share of resamples in which it ranks first


class MethodPair(TypedDict):
    left: str  #: one method
    right: str  #: the other
    n: int  #: blocks that have both
    difference: float | None  #: mean badness of left minus that of right
    lower: float | None  #: lower end of its 95 % interval
    upper: float | None  #: upper end of its 95 % interval
    t: float | None  #: statistic of the paired t test
    p: float | None  #: its two-sided p
    adjusted_p: float | None  #: p after Benjamini-Hochberg over all pairs
    wilcoxon_p: float | None  #: p of Wilcoxon's signed-rank test
    cohen_d: float | None  #: mean difference over its standard deviation
    better: str  #: the better method; empty unless adjusted_p < 0.05


class Agreement(TypedDict):
    left: Measure  #: one metric
    right: Measure  #: the other
    methods: int  #: methods that both rank
    tau: float | None  #: Kendall's tau-b of the mean badness
    p: float | None  #: its p


class Measure(TypedDict):
    metric: str  #: id of the metric
    setting: str  #: settings that make values comparable: alpha=0.05;
    audit: str  #: name of the audit


class VarianceRow(TypedDict):
    metric: str  #: id of the metric
    setting: str  #: settings that make values comparable: alpha=0.05;
    audit: str  #: name of the audit
    variant: str  #: variant of the experiment
    method: str  #: name of the method; *: mean over the methods
    n: int  #: measurements
    mean: float | None  #: their mean
    total: float | None  #: variance of one measurement
    levels: list[LevelShare]  #: the variance by its source
    noisiest: Literal["", "split", "training", "unlearning", "attack"]  #: source of the largest share; may be empty
    source: Reason | None  #: where the noise comes from


class LevelShare(TypedDict):
    level: Literal["", "split", "training", "unlearning", "attack"]  #: split, training, unlearning or attack
    groups: int  #: how many there were
    estimable: bool  #: whether there were enough to estimate it
    component: float | None  #: its variance; 0 where the estimate was negative
    share: float | None  #: its share of the total variance
    negative: bool  #: the estimate was below 0
    includes: list[Literal["", "split", "training", "unlearning", "attack"]]  #: levels that cannot be told apart from it


class Run(TypedDict, total=False):
    command: str  #: the command line, or the call from Python
    seed: int  #: root seed of all random draws
    threads: int  #: threads; results do not depend on them
    started: str  #: UTC, ISO 8601
    seconds: float | None  #: how long it took
    options: dict  #: metric options in force, by key: {"iam.levels": 50}
    selection: RunSelection | None  #: what was asked for; absent where the results do not say
    title: str  #: title of the page; absent where nobody gave one


class RunSelection(TypedDict):
    metrics: list[str]  #: metric groups and ids asked for; empty: all
    methods: list[str]  #: methods asked for; empty: all
    exclude: list[str]  #: methods and models left out
    keep_going: bool  #: whether unusable models were left out
    memory: float | None  #: memory for what is held as a whole, in gigabytes


class SampleFile(TypedDict):
    file: str  #: the file beside results.json: samples.csv
    columns: list[SampleColumnInfo]  #: its columns of scores


class SampleColumnInfo(TypedDict):
    name: str  #: name of the column: epsilon.finetune
    split: str  #: the split whose examples it is about


class RememberedRows(TypedDict):
    split: str  #: the split whose examples these are
    columns: list[str]  #: names of the scores
    rows: list[RememberedRow]  #: examples, most remembered first


class RememberedRow(TypedDict):
    row: int  #: place in the split, from 0
    id: str  #: id of the example; empty without ids
    label: int | None  #: label of the example; null without labels
    subject: str  #: whose example it is; empty where unknown
    scores: list[float | None]  #: one per column


class VerdictFields:
    """Those of a verdict as attributes."""

    variant: str  #: variant of the experiment; empty in an audit
    method: str  #: unlearning method
    subject: Subject  #: the group of models
    word: Literal["forgotten", "traces_remain", "over_forgotten", "mixed", "collapsed", "not_decided", "not_tested"]  #: the verdict in a word
    under: Literal["shown", "excluded", "undecided", "not_tested"]  #: are traces shown?
    over: Literal["shown", "excluded", "undecided", "not_tested"]  #: is over-forgetting shown?
    equivalent: Literal["shown", "excluded", "undecided", "not_tested"]  #: is equivalence with retraining shown?
    utility_loss: Literal["shown", "excluded", "undecided", "not_tested"]  #: is a loss of utility shown?
    form: Literal["", "unseen_examples", "models", "model_alone"]  #: what the method was compared with
    margin: float | None  #: declared equivalence margin, as a share of the original-retrained difference
    hardly_changed: bool  #: moved from the original by less than a tenth of what retraining moves
    moved: Moved  #: how far answers on forget examples moved from the original's
    signals_must_agree: bool  #: whether a difference counts only if every signal shows it
    same_as: str  #: the model whose values it repeats; or empty
    uneven: bool  #: more confident than retrained on some forget examples and less on others, by more than the margin
    measurable_within_margin: float | None  #: share of the original-retrained difference that is measurable inside the margin, towards the original; null if none is
    obstacle: Reason | None  #: why nothing could be tested
    utility_missing: Reason | None  #: what utility was not measured on; FORGOTTEN needs it
    ruin: Reason | None  #: what shows that the model is destroyed
    cautions: list[Reason]  #: what must be said beside the verdict
    limits: list[Reason]  #: what this evidence cannot show
    tests: list[VerdictTest]  #: the tests behind the verdict
    additions: list[VerdictAddition]  #: what metrics add to the verdict
    earlier_reason: str  #: reason as an earlier version wrote it
    earlier_sentence: str  #: sentence as an earlier version wrote it
