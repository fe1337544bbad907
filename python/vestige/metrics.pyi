"""Metric functions on plain arrays; made by tests/python/make_stubs.py."""

from typing import Optional

from numpy import ndarray
from numpy.typing import ArrayLike

class Anamnesis:
    """Relearn times and their ratio."""

    @property
    def method(self) -> float: ...  # steps; nan: not within the last point
    @property
    def retrained(self) -> float: ...  # steps
    @property
    def index(self) -> Estimate: ...  # Estimate of method / retrained
    def _asdict(self) -> dict: ...

class AttackResult:
    """How well an attack tells members from non-members."""

    @property
    def auc(self) -> Estimate: ...  # Estimate
    @property
    def rates(self) -> list[LowRate]: ...  # at FPR 1 %, 0.1 %, 0.01 % and 0
    @property
    def members(self) -> int: ...  # rows
    @property
    def nonmembers(self) -> int: ...  # rows
    def _asdict(self) -> dict: ...

class CanaryGuesses:
    """What was guessed of canaries."""

    @property
    def canaries(self) -> int: ...  # each inserted with probability 1/2
    @property
    def guesses(self) -> int: ...  # the others were abstained from
    @property
    def right(self) -> int: ...  # guesses that came true
    def _asdict(self) -> dict: ...

class Closeness:
    """How near the answers of two models are, row by row."""

    @property
    def agreement(self) -> ndarray: ...  # 1 where both give the same class
    @property
    def distance(self) -> ndarray: ...  # Euclidean, of probabilities
    @property
    def divergence(self) -> ndarray: ...  # Jensen-Shannon, in nats
    def _asdict(self) -> dict: ...

class CoverageSummary:
    """Coverage, set size and their ratio CR."""

    @property
    def coverage(self) -> float: ...  # share of rows with the true label in the set
    @property
    def set_size(self) -> float: ...  # mean
    @property
    def cr(self) -> float: ...  # coverage / set size; nan if every set is empty
    @property
    def n(self) -> int: ...  # rows
    @property
    def empty(self) -> int: ...  # rows with an empty set
    @property
    def covered(self) -> ndarray: ...  # [n] 1 or 0
    @property
    def set_sizes(self) -> ndarray: ...  # [n]
    def _asdict(self) -> dict: ...

class Dependence:
    """HSIC between the halves of one set over shuffles."""

    @property
    def values(self) -> ndarray: ...  # one per shuffle
    @property
    def moments(self) -> PermutationMoments: ...  # PermutationMoments
    @property
    def kernel_mean(self) -> float: ...  # mean of both kernels off the diagonal
    def _asdict(self) -> dict: ...

class Epsilon:
    """eps of one example; nan where every attack was discarded."""

    @property
    def epsilon(self) -> float: ...  # the strongest attack of both families
    @property
    def single(self) -> float: ...  # single threshold alone
    @property
    def double_threshold(self) -> float: ...  # double threshold alone
    @property
    def positive_is_retrained(self) -> bool: ...  # retrained has the strictly larger median
    @property
    def separated(self) -> bool: ...  # eps is at the cap
    def _asdict(self) -> dict: ...

class Equivalence:
    """Two one-sided t-tests."""

    @property
    def mean_difference(self) -> float: ...  # mean of a - mean of b
    @property
    def p(self) -> float: ...  # the larger of the two p-values
    @property
    def lower(self) -> float: ...  # interval of level 1 - 2 alpha
    @property
    def upper(self) -> float: ...  # interval of level 1 - 2 alpha
    @property
    def equivalent(self) -> bool: ...  # p < alpha
    def _asdict(self) -> dict: ...

class Estimate:
    """A value with its interval; nan where undefined."""

    @property
    def value(self) -> float: ...  # the value
    @property
    def lower(self) -> float: ...  # lower end of the interval
    @property
    def upper(self) -> float: ...  # upper end of the interval
    def _asdict(self) -> dict: ...

class FakeForgetting:
    """Mis-labelled rows whose label is still in the set."""

    @property
    def mislabel(self) -> int: ...  # rows
    @property
    def in_set(self) -> int: ...  # of those, with the true label in the set
    @property
    def ratio(self) -> float: ...  # in_set / mislabel
    @property
    def mislabelled(self) -> ndarray: ...  # [n] 1 or 0
    def _asdict(self) -> dict: ...

class ForgetQuality:
    """eps of every row and what they add up to."""

    @property
    def epsilons(self) -> ndarray: ...  # per row
    @property
    def score(self) -> ForgetScore: ...  # ForgetScore
    @property
    def models(self) -> int: ...  # the smaller of the two model counts
    @property
    def separated(self) -> int: ...  # rows with eps at the cap
    def _asdict(self) -> dict: ...

class ForgetScore:
    """F and what stands behind it."""

    @property
    def value(self) -> float: ...  # F; nan if no row is defined
    @property
    def points(self) -> ndarray: ...  # per row
    @property
    def undefined(self) -> int: ...  # rows without an eps
    def _asdict(self) -> dict: ...

class Kendall:
    """Kendall's tau-b."""

    @property
    def n(self) -> int: ...  # pairs
    @property
    def tau(self) -> float: ...  # correlation
    @property
    def p(self) -> float: ...  # two-sided p-value
    def _asdict(self) -> dict: ...

class KolmogorovSmirnov:
    """The two-sample test."""

    @property
    def statistic(self) -> float: ...  # largest distance
    @property
    def p(self) -> float: ...  # two-sided p-value
    @property
    def log10_p(self) -> float: ...  # also where p is too small for a double
    @property
    def exact(self) -> bool: ...  # not the limiting distribution
    def _asdict(self) -> dict: ...

class LiraPoolScores:
    """Scores of a pool with known members."""

    @property
    def online(self) -> ndarray: ...  # per row
    @property
    def offline(self) -> ndarray: ...  # per row
    def _asdict(self) -> dict: ...

class LogisticMembership:
    """Forget rows called members."""

    @property
    def member_share(self) -> float: ...  # share of forget rows
    @property
    def predictions(self) -> ndarray: ...  # per forget row: 1 member
    def _asdict(self) -> dict: ...

class LowRate:
    """True positive rate at one false positive rate."""

    @property
    def fpr(self) -> float: ...  # asked for
    @property
    def resolvable(self) -> bool: ...  # there are enough non-members
    @property
    def tpr(self) -> Estimate: ...  # Estimate
    def _asdict(self) -> dict: ...

class MannWhitney:
    """Mann and Whitney's test."""

    @property
    def u(self) -> float: ...  # pairs (x, y) with x > y, ties count one half
    @property
    def z(self) -> float: ...  # normal score
    @property
    def p(self) -> float: ...  # p-value
    def _asdict(self) -> dict: ...

class MembershipAttack:
    """The attack's answers, before any alpha."""

    @property
    def calibration_probability(self) -> ndarray: ...  # P(member)
    @property
    def calibration_label(self) -> ndarray: ...  # 1 retain, 0 test
    @property
    def forget_probability(self) -> ndarray: ...  # [n] P(member)
    @property
    def forget_member(self) -> ndarray: ...  # [n] 1 or 0
    @property
    def mia(self) -> float: ...  # share of forget_member
    @property
    def training_rows(self) -> int: ...  # per side
    def _asdict(self) -> dict: ...

class MembershipSets:
    """Sets over {non-member 0, member 1} of forget rows."""

    @property
    def miacr(self) -> float: ...  # share of sets that are exactly {0}
    @property
    def n(self) -> int: ...  # rows
    @property
    def empty(self) -> int: ...  # rows
    @property
    def both(self) -> int: ...  # rows
    @property
    def mislabel(self) -> int: ...  # rows called non-members
    @property
    def in_set(self) -> int: ...  # of those, with 1 in their set
    @property
    def fake_forgetting(self) -> float: ...  # in_set / mislabel
    def _asdict(self) -> dict: ...

class MiauScore:
    """MIAU and its parts, per task."""

    @property
    def closure(self) -> list[float]: ...  # share of the gap that is closed, per task
    @property
    def mus(self) -> list[float]: ...  # 0 to 100 per task
    @property
    def score(self) -> float: ...  # weighted sum of mus
    def _asdict(self) -> dict: ...

class OneRun:
    """The bound on epsilon from one run with canaries."""

    @property
    def epsilon(self) -> float: ...  # lower bound
    @property
    def share(self) -> float: ...  # of the canaries guessed on either side
    @property
    def guesses(self) -> CanaryGuesses: ...  # CanaryGuesses of the best bound
    def _asdict(self) -> dict: ...

class OverPairs:
    """A share or score per reference pair."""

    @property
    def per_pair(self) -> ndarray: ...  # nan for pairs that did not pass
    @property
    def passed(self) -> int: ...  # pairs
    @property
    def ties(self) -> int: ...  # over all passed pairs
    @property
    def verdicts(self) -> int: ...  # over all passed pairs
    @property
    def mean(self) -> float: ...  # over passed pairs
    @property
    def lower(self) -> float: ...  # 2.5 % quantile over passed pairs
    @property
    def upper(self) -> float: ...  # 97.5 % quantile over passed pairs
    def inconclusive(self) -> bool: ...  # Fewer than half of the pairs passed.
    def _asdict(self) -> dict: ...

class PairVerdicts:
    """What one reference pair says about the targets."""

    @property
    def passed(self) -> bool: ...  # the pair meets its precondition
    @property
    def verdicts(self) -> list[SetVerdict]: ...  # one per target; empty if it does not
    def _asdict(self) -> dict: ...

class PairedT:
    """Paired t-test of a against b."""

    @property
    def n(self) -> int: ...  # pairs
    @property
    def mean_difference(self) -> float: ...  # mean of a - b
    @property
    def sd_difference(self) -> float: ...  # standard deviation of a - b
    @property
    def t(self) -> float: ...  # statistic
    @property
    def p(self) -> float: ...  # p-value
    @property
    def cohen_d(self) -> float: ...  # mean / standard deviation of the differences
    @property
    def lower(self) -> float: ...  # of the mean difference
    @property
    def upper(self) -> float: ...  # of the mean difference
    def _asdict(self) -> dict: ...

class PermutationMoments:
    """Over all permutations."""

    @property
    def mean(self) -> float: ...  # exact
    @property
    def variance(self) -> float: ...  # exact; needs 4 rows
    def _asdict(self) -> dict: ...

class PredictionSets:
    """Sets of n rows over C classes."""

    @property
    def rows(self) -> int: ...  # n
    @property
    def classes(self) -> int: ...  # C
    def members(self, row: int) -> list[int]: ...  # The classes in the set of a row, in ascending order.
    def to_array(self) -> ndarray: ...  # bool [n, C].

class RelativeTest:
    """Which of two samples a model's sample is nearer to."""

    @property
    def nearer_second(self) -> dict: ...  # one-sided p by divergence
    @property
    def nearer_first(self) -> dict: ...  # one-sided p by divergence
    def _asdict(self) -> dict: ...

class RocCurve:
    """From (0, 0) to (1, 1), one point per distinct score."""

    @property
    def fpr(self) -> ndarray: ...  # false positive rates
    @property
    def tpr(self) -> ndarray: ...  # true positive rates
    def _asdict(self) -> dict: ...

class SetVerdict:
    """One in/out verdict."""

    @property
    def in_training(self) -> bool: ...  # nearer to the in-training reference
    @property
    def tie(self) -> bool: ...  # both references equally far: counts as out
    def _asdict(self) -> dict: ...

class ShadowMoments:
    """What scores need to know of the shadows."""

    @property
    def shadows(self) -> int: ...  # models
    @property
    def mean(self) -> ndarray: ...  # per row, over shadows
    @property
    def deviation(self) -> ndarray: ...  # per row, over shadows, ddof 0
    @property
    def within(self) -> float: ...  # mean over rows of the squared deviations
    @property
    def largest(self) -> float: ...  # largest |response|
    def _asdict(self) -> dict: ...

class SimpleMia:
    """Held-out accuracy of the attack."""

    @property
    def accuracy(self) -> float: ...  # mean of scores; 0.5 is chance
    @property
    def scores(self) -> ndarray: ...  # held-out accuracy per split
    @property
    def probabilities(self) -> list[list[float]]: ...  # of being a member, per split and row
    def _asdict(self) -> dict: ...

class Smi:
    """Where forget rows lie between members and non-members."""

    @property
    def share(self) -> Estimate: ...  # Estimate; 1: like non-members
    @property
    def distance(self) -> float: ...  # squared MMD of members and non-members
    def _asdict(self) -> dict: ...

class Spearman:
    """Spearman's rank correlation."""

    @property
    def rho(self) -> float: ...  # correlation
    @property
    def p(self) -> float: ...  # two-sided p-value
    def _asdict(self) -> dict: ...

class SvcMembership:
    """Forget rows called members."""

    @property
    def member_share(self) -> float: ...  # share of forget rows
    @property
    def predictions(self) -> ndarray: ...  # per forget row: 1 member
    @property
    def decisions(self) -> ndarray: ...  # per forget row: positive means member
    @property
    def support_vectors(self) -> int: ...  # of the machine
    def _asdict(self) -> dict: ...

class TaskReliability:
    """Can a task tell original from retrained?"""

    @property
    def lower(self) -> float: ...  # 2.5 percentile over attack seeds
    @property
    def upper(self) -> float: ...  # 97.5 percentile
    @property
    def reliable(self) -> bool: ...  # 0 lies outside
    def _asdict(self) -> dict: ...

class Ulira:
    """Unlearned and retrained models told apart, row by row."""

    @property
    def accuracy(self) -> ndarray: ...  # share of models told right
    @property
    def auc(self) -> ndarray: ...  # chance that an unlearned model scores above another
    @property
    def one_deviation(self) -> bool: ...  # few models: one deviation for all rows
    def _asdict(self) -> dict: ...

class WelchT:
    """Welch's t-test of two independent samples."""

    @property
    def mean_difference(self) -> float: ...  # mean of a - mean of b
    @property
    def standard_error(self) -> float: ...  # of the difference
    @property
    def degrees_of_freedom(self) -> float: ...  # Welch and Satterthwaite's
    @property
    def t(self) -> float: ...  # statistic
    @property
    def p(self) -> float: ...  # p-value
    @property
    def lower(self) -> float: ...  # of the difference
    @property
    def upper(self) -> float: ...  # of the difference
    def _asdict(self) -> dict: ...

class Zrf:
    """Zero-retrain forgetting."""

    @property
    def score(self) -> float: ...  # 1 - mean Jensen-Shannon divergence in nats
    @property
    def reference(self) -> float: ...  # what published code computes
    @property
    def score_terms(self) -> ndarray: ...  # per row
    @property
    def reference_terms(self) -> ndarray: ...  # per row
    def _asdict(self) -> dict: ...

def adaptive_unlearning_score(test_original: float, test: float, forget: float) -> float:
    """(1 - (test_original - test)) / (1 + |forget - test|)."""

def anamnesis(steps: ArrayLike, method: ArrayLike, retrained: ArrayLike, original: ArrayLike, *, range: float = 0.05, seed: int = 1) -> Anamnesis:
    """Anamnesis index from answers while rows are relearnt: [steps, rows] each, original [rows]."""

def auc(scores: ArrayLike, labels: ArrayLike) -> float:
    """Area under the ROC curve; labels are 1 and 0, ties count one half."""

def auc_interval(positives: ArrayLike, negatives: ArrayLike, level: float = 0.95) -> Estimate:
    """AUC with DeLong's interval."""

def auc_of_samples(positives: ArrayLike, negatives: ArrayLike) -> float:
    """AUC of positives against negatives."""

def benjamini_hochberg(p_values: ArrayLike) -> ndarray:
    """Adjusted p-values of Benjamini and Hochberg, in the order given."""

def best_balanced_accuracy(curve: RocCurve) -> float:
    """Over all thresholds."""

def bootstrap_mean(values: ArrayLike, *, replicates: int = 2000, level: float = 0.95, seed: int = 1) -> Estimate:
    """Mean with its BCa bootstrap interval."""

def calibration_scores(outputs: ArrayLike, labels: ArrayLike, *, score: str = 'scp', gamma: float = 1.5, seed: int = 1, u: Optional[ArrayLike] = None) -> ndarray:
    """Non-conformity of the true label; scp and aps take probabilities, entmax logits."""

def canary_epsilon(canaries: int, guesses: int, right: int, *, delta: float = 1e-05, confidence: float = 0.95) -> float:
    """The largest epsilon that so many right guesses refute."""

def class_scores(outputs: ArrayLike, *, score: str = 'scp', gamma: float = 1.5, seed: int = 1, u: Optional[ArrayLike] = None) -> ndarray:
    """Scores of all classes, [n, C]."""

def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> Estimate:
    """A share with its exact binomial interval."""

def closeness(model: ArrayLike, other: ArrayLike) -> Closeness:
    """Agreement, distance and divergence of probabilities [rows, classes]."""

def conformal_quantile(scores: ArrayLike, alpha: float, rule: str = 'finite_sample') -> float:
    """The threshold q."""

def conformal_threshold(scores: ArrayLike, alpha: float, rule: str = 'finite_sample', confidence: float = 0.95) -> Estimate:
    """q with its distribution-free interval."""

def draw_sets(rows: int, size: int, count: int, *, seed: int = 1, purpose: str = 'sde.set.forget') -> list:
    """Row numbers of sets, the first half of each before the second; audits draw theirs for sde.set.forget, sde.set.retain and sde.set.test."""

def emia_p(losses: ArrayLike, population: ArrayLike) -> ndarray:
    """1 - share of population losses strictly below the row's."""

def emia_r(losses: ArrayLike, shadow_losses: ArrayLike, largest: float = 1000.0) -> ndarray:
    """1 - smoothed rank of the row's loss among the shadows' [shadows, rows]."""

def entropies(probabilities: ArrayLike) -> ndarray:
    """Entropy of each row in nats."""

def epsilon(unlearned: ArrayLike, retrained: ArrayLike, *, delta: float = 1e-05, cap: float = 50.0) -> Epsilon:
    """Exact eps of one example from its confidences under each model."""

def epsilon_bins(models: int) -> int:
    """Bins that so many models can fill."""

def epsilons(unlearned: ArrayLike, retrained: ArrayLike, *, delta: float = 1e-05, cap: float = 50.0) -> list[Epsilon]:
    """The same for many examples: matrices are [models, examples]."""

def evaluate_attack(members: ArrayLike, nonmembers: ArrayLike) -> AttackResult:
    """AUC and TPR at low FPR; scores say member when high."""

def f1_score(pairs: list[PairVerdicts], members: int) -> OverPairs:
    """F1 with in-training as the positive class; the first `members` targets are positives."""

def fake_forgetting(outputs: ArrayLike, sets: PredictionSets, labels: ArrayLike) -> FakeForgetting:
    """Mis-labelled rows, and how many still have the true label in their set."""

def final_score(forget_score: float, *, unlearned_retain: float, retrained_retain: float, unlearned_test: float, retrained_test: float) -> float:
    """F times the utility factor."""

def forget_points(epsilon: float, models: int) -> float:
    """Points of one eps: 2^-b in bin b."""

def forget_quality(unlearned: ArrayLike, retrained: ArrayLike, mode: str = 'exact', *, delta: float = 1e-05, cap: float = 50.0) -> ForgetQuality:
    """eps of every row and F, from confidences [models, rows]."""

def forget_score(epsilons: ArrayLike, models: int, leave_out_undefined: bool = True) -> ForgetScore:
    """F, the mean points over rows; models is the smaller of the two counts."""

def gap_closure(baseline: float, retrained: float, unlearned: float) -> float:
    """(|B - R| - |M - R|) / |B - R|; 0 where B = R."""

def holm(p_values: ArrayLike) -> ndarray:
    """Adjusted p-values of Holm, in the order given."""

def hsic(k: ArrayLike, l: ArrayLike) -> float:
    """HSIC of two kernel matrices, Tr(KHLH) / (n - 1)^2."""

def iam_responses(probabilities: ArrayLike, *, epsilon1: float = 0.01, epsilon2: float = 1e-05, unit_range: bool = False) -> ndarray:
    """-ln(epsilon1 - ln(p + epsilon2)) of the true-class probability p."""

def iam_scores(target: ArrayLike, shadows: ShadowMoments, fitted: ArrayLike, *, levels: int = 100, variance: str = 'global', distribution: str = 'gumbel') -> ndarray:
    """Membership score of each row, 1 = fully fitted; all inputs are responses."""

def jensen_shannon_samples(x: ArrayLike, y: ArrayLike, bins: int = 20) -> float:
    """Divergence of the pooled histograms, in bits."""

def judge_by_divergence(targets: list[Dependence], ins: list[Dependence], outs: list[Dependence], divergence: object = 'jsd') -> list[PairVerdicts]:
    """The same by jsd, kl or wasserstein, or by a function of two samples of H that returns 0 or more."""

def judge_by_jsd(targets: list[Dependence], ins: list[Dependence], outs: list[Dependence]) -> list[PairVerdicts]:
    """Every reference pair on every target, by the shuffled distributions."""

def judge_by_mean(targets: list[Dependence], ins: list[Dependence], outs: list[Dependence]) -> list[PairVerdicts]:
    """The same by exact means."""

def kendall_tau(x: ArrayLike, y: ArrayLike) -> Kendall:
    """Kendall's tau-b of pairs."""

def kernel_dependence(k: ArrayLike, l: ArrayLike, *, shuffles: int = 200, seed: int = 1, purpose: str = 'sde.shuffle', index: int = 0) -> Dependence:
    """H of one set from the kernel matrices of its halves; `index` counts the sets of a purpose."""

def klom(unlearned: ArrayLike, retrained: ArrayLike, *, bins: int = 20, least_share: float = 1e-05, clip: float = 100.0, mode: str = 'exact') -> ndarray:
    """KL divergence of margins per row; matrices are [models, rows]."""

def kolmogorov_smirnov(x: ArrayLike, y: ArrayLike) -> KolmogorovSmirnov:
    """The two-sample test, as scipy.stats.ks_2samp."""

def largest_finite_epsilon(unlearned: int, retrained: int, *, delta: float = 1e-05) -> float:
    """The largest finite eps that so many models can show."""

def likelihood_ratios(signals: ArrayLike, reference: ArrayLike) -> ndarray:
    """signal / reference, per row."""

def linear_cka(x: ArrayLike, y: ArrayLike) -> float:
    """Linear centred kernel alignment of activations [rows, columns] of the same rows."""

def linear_probe(fitted: ArrayLike, fitted_labels: ArrayLike, queries: ArrayLike, query_labels: ArrayLike, *, ridge: float = 1.0) -> ndarray:
    """1 for each query that least squares on the fitted rows calls right, else 0."""

def lira_density(target: ArrayLike, out: ShadowMoments) -> ndarray:
    """-ln N(x; mean, deviation of OUT)."""

def lira_offline(target: ArrayLike, out: ShadowMoments) -> ndarray:
    """The normal distribution function of the target under OUT, in [0, 1]."""

def lira_online(target: ArrayLike, fitted: ArrayLike, out: ShadowMoments) -> ndarray:
    """The online attack with one IN model, as published with IAM."""

def lira_pool(scores: ArrayLike, keep: ArrayLike, target: ArrayLike, one_deviation: bool = False) -> LiraPoolScores:
    """LiRA from models [models, rows] that were trained (keep = 1) with or without each row."""

def lm_iam(target: ArrayLike, shadows: ShadowMoments, fitted: ArrayLike, *, levels: int = 1000, direction: str = 'code') -> ndarray:
    """IAM with the double flip; all inputs are responses."""

def lm_iam_responses(losses: ArrayLike, *, epsilon1: float = 0.1, epsilon2: float = 1e-05) -> ndarray:
    """-ln(epsilon1 - ln(1 - p + epsilon2)), p = exp(-loss)."""

def lm_lira(target: ArrayLike, shadows: ArrayLike, fitted: Optional[ArrayLike] = None) -> ndarray:
    """LiRA from losses; offline without fitted."""

def lm_losses(tokens: ArrayLike, offsets: ArrayLike) -> ndarray:
    """Mean negative log-probability per token of each sequence, in nats."""

def lm_ratio_scores(losses: ArrayLike, other: ArrayLike) -> ndarray:
    """-loss / other loss of the same sequence."""

def lm_zlib_scores(losses: ArrayLike, texts: list[str]) -> ndarray:
    """-loss / zlib_rate."""

def logistic_losses(values: ArrayLike) -> ndarray:
    """ln(1 + exp(-x)) of logit-scaled confidences x."""

def logistic_membership(retain: ArrayLike, test: ArrayLike, forget: ArrayLike, c: float = 2.0) -> LogisticMembership:
    """Logistic regression on one feature per row, class weights balanced."""

def mann_whitney(x: ArrayLike, y: ArrayLike, alternative: str = 'greater', continuity_correction: bool = True) -> MannWhitney:
    """Normal approximation with tie correction."""

def matching_score(closure: float, alpha: float = 13.8) -> float:
    """100 / (1 + exp(-alpha (f - 1/2)))."""

def mean_signals(signals: ArrayLike, trimmed_share: float = 0.0) -> ndarray:
    """Per column the trimmed mean over models of signals [models, rows]."""

def median_distance(values: ArrayLike) -> float:
    """Median Euclidean distance over all pairs of rows."""

def median_epsilon(epsilons: ArrayLike) -> float:
    """The median of the values that are not NaN."""

def membership_attack(retain_confidence: ArrayLike, test_confidence: ArrayLike, forget_confidence: ArrayLike, *, rows_per_side: int = 2000, seed: int = 1) -> MembershipAttack:
    """A support vector machine on p(true class), half of the rows held out to calibrate."""

def membership_scores(member_probability: ArrayLike, labels: ArrayLike) -> ndarray:
    """1 - p(label) of calibration rows."""

def membership_sets(forget_probability: ArrayLike, q: float, rule: str = 'finite_sample') -> MembershipSets:
    """Sets over {0, 1} of each forget row."""

def miau_score(baseline: list[float], retrained: list[float], unlearned: list[float], *, alpha: float = 13.8, weights: list[float] = [0.3333333333333333, 0.3333333333333333, 0.3333333333333333]) -> MiauScore:
    """MIAU from attack accuracies on the tasks forget-retain, forget-test and retain-test."""

def min_k_plus_plus_scores(tokens: ArrayLike, offsets: ArrayLike, mean: ArrayLike, deviation: ArrayLike, k: float = 20.0) -> ndarray:
    """The same of (ln p - mean) / deviation over the vocabulary."""

def min_k_scores(tokens: ArrayLike, offsets: ArrayLike, k: float = 20.0) -> ndarray:
    """Mean of the k per cent lowest log-probabilities of each sequence."""

def mmd_squared(x: ArrayLike, y: ArrayLike, sigma: float) -> float:
    """Unbiased MMD^2 with an RBF kernel; may be negative."""

def nearest_neighbours(fitted: ArrayLike, fitted_labels: ArrayLike, queries: ArrayLike, query_labels: ArrayLike, *, neighbours: int = 10) -> ndarray:
    """1 for each query whose nearest fitted rows name its label, else 0."""

def offline_reference(mean_out: ArrayLike, a: float) -> ndarray:
    """(1 + a) / 2 * mean + (1 - a) / 2."""

def one_run(scores: ArrayLike, members: ArrayLike, *, delta: float = 1e-05, confidence: float = 0.95) -> OneRun:
    """Lower bound on epsilon from scores of canaries and which of them were inserted."""

def out_of_training_rate(pairs: list[PairVerdicts]) -> OverPairs:
    """OTR: the share of targets judged out of training."""

def paired_t(a: ArrayLike, b: ArrayLike, alternative: str = 'greater', level: float = 0.95) -> PairedT:
    """Paired t-test of a against b."""

def prediction_sets(outputs: ArrayLike, q: float, rule: str = 'finite_sample', *, score: str = 'scp', gamma: float = 1.5, seed: int = 1, u: Optional[ArrayLike] = None) -> PredictionSets:
    """Classes whose score passes q."""

def rbf_kernel(values: ArrayLike, sigma: float) -> ndarray:
    """Kernel of every row with every row, [n, n]."""

def reference_epsilon(unlearned: ArrayLike, retrained: ArrayLike, *, delta: float = 1e-05, cap: float = 50.0) -> Epsilon:
    """eps of one example on the grids of the public scorer."""

def reference_epsilons(unlearned: ArrayLike, retrained: ArrayLike, *, delta: float = 1e-05, cap: float = 50.0) -> list[Epsilon]:
    """The same for many examples: matrices are [models, examples]."""

def relative_test(model: ArrayLike, first: ArrayLike, second: ArrayLike, *, permutations: int = 199, bandwidths: int = 5, lambdas: list[float] = [0.001, 0.01, 0.1], seed: int = 1) -> RelativeTest:
    """Is the model's sample nearer to the first or the second? Row i of each is about one row."""

def rmia_scores(ratios: ArrayLike, population: ArrayLike, gamma: float = 1.0) -> ndarray:
    """Share of population ratios z with x / z > gamma, per row."""

def rmia_signals(logits: ArrayLike, labels: ArrayLike, *, signal: str = 'taylor', temperature: float = 2.0, margin: float = 0.6) -> ndarray:
    """What stands for the probability of the true class."""

def roc_curve(scores: ArrayLike, labels: ArrayLike) -> RocCurve:
    """Empty for one class only or a NaN score."""

def shadow_moments(responses: ArrayLike) -> ShadowMoments:
    """Moments of responses [shadows, rows]."""

def simple_mia(member_losses: ArrayLike, nonmember_losses: ArrayLike, *, seed: int = 1, splits: int = 10, test_fraction: float = 0.1, c: float = 1.0) -> SimpleMia:
    """Logistic regression on losses, cross-validated."""

def sliced_wasserstein(x: ArrayLike, y: ArrayLike, slices: int = 200) -> float:
    """Mean Wasserstein-1 distance of projections on fixed directions."""

def smi(forget: ArrayLike, members: ArrayLike, nonmembers: ArrayLike, sigma: float, *, replicates: int = 200, seed: int = 1) -> Smi:
    """Share of non-members in the mixture of features [rows, columns]."""

def spearman(x: ArrayLike, y: ArrayLike) -> Spearman:
    """Rank correlation of pairs."""

def split_half_dependence(activations: ArrayLike, sets: list[ArrayLike], *, sigma: float = 0.0, shuffles: int = 200, seed: int = 1, kernel: str = 'rbf', purpose: str = 'sde.shuffle') -> list[Dependence]:
    """H of every set of row numbers, its first half against its second; sigma 0: sqrt(columns)."""

def summarise_sets(sets: PredictionSets, labels: ArrayLike) -> CoverageSummary:
    """Coverage, set size and CR."""

def surp_scores(tokens: ArrayLike, offsets: ArrayLike, entropy: ArrayLike, *, k: float = 20.0, max_entropy: float = 2.0) -> ndarray:
    """Mean log-probability of surprising tokens."""

def svc_membership(retain: ArrayLike, test: ArrayLike, forget: ArrayLike, *, cost: float = 3.0, max_rows: int = 2000, seed: int = 1) -> SvcMembership:
    """A support vector machine on one feature per row."""

def t_interval(values: ArrayLike, level: float = 0.95) -> Estimate:
    """Mean with Student's interval."""

def task_reliability(baseline: ArrayLike, retrained: ArrayLike) -> TaskReliability:
    """Paired over attack seeds."""

def tost_paired(a: ArrayLike, b: ArrayLike, margin: float, alpha: float = 0.05) -> Equivalence:
    """The same on paired differences."""

def tost_welch(a: ArrayLike, b: ArrayLike, margin: float, alpha: float = 0.05) -> Equivalence:
    """Is |mean(a) - mean(b)| shown to be below the margin?"""

def tpr_at_fpr(curve: RocCurve, fpr: float) -> float:
    """TPR at an FPR by linear interpolation."""

def tpr_below_fpr(curve: RocCurve, fpr: float) -> float:
    """The largest TPR that some threshold reaches with at most this FPR."""

def tug_of_war(gaps: ArrayLike) -> float:
    """Product of 1 - |accuracy - reference| over splits."""

def ulira(unlearned: ArrayLike, retrained: ArrayLike) -> Ulira:
    """U-LiRA per row from confidences [models, rows]."""

def update_attack(target: ArrayLike, original: ArrayLike, out: ShadowMoments) -> ndarray:
    """Offline score of the unlearned model minus that of the original."""

def utility_factor(*, unlearned_retain: float, retrained_retain: float, unlearned_test: float, retrained_test: float) -> float:
    """Accuracy ratios, unlearned over retrained, that F is multiplied by."""

def welch_t(a: ArrayLike, b: ArrayLike, alternative: str = 'two_sided', level: float = 0.95) -> WelchT:
    """Welch's t-test of two independent samples."""

def zlib_rate(text: str) -> float:
    """Compressed bytes per byte of text."""

def zrf(model: ArrayLike, teacher: ArrayLike) -> Zrf:
    """Probabilities of the model and of an untrained one."""
