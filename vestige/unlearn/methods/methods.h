// Every unlearning method's constructor, in the order of the registry; what else a method lets
// others use stands in a header of its own.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// Retraining from scratch: what every other method is measured against.
Method retrain();
/// Retraining that leaves part of the forget rows in: a ruler between original and retrained.
Method partial_retrain();
/// Fine-tuning: cross-entropy on the retained rows, and hope.
Method finetune();
/// Gradient ascent on the forgotten rows.
Method gradient_ascent();
/// NegGrad+: descend on retained rows and ascend, a little, on forgotten ones.
Method neggrad_plus();
/// Random labels: teach wrong answers for the forgotten rows, then repair on the retained ones.
Method random_label();
/// SalUn: random labels that may change only the weights which matter most to the forgotten rows.
Method random_targets();
Method salun();
/// L1-sparse fine-tuning: cross-entropy plus an L1 penalty that fades.
Method l1_sparse();
/// SCRUB: away from the original on forgotten rows, close to it on retained ones.
Method scrub();
/// Selective synaptic dampening: weights that matter to forget far more than to all data are
/// shrunk.
Method ssd();
/// Amnesiac unlearning, the relabel form that published code uses.
Method amnesiac();
/// Amnesiac unlearning as first described: take back the logged updates.
Method amnesiac_log();
/// Bad teaching: the student follows an untrained teacher on forgotten rows.
Method bad_teacher();
/// Single-gradient unlearning (Thudi et al. 2022): adds back what forget did to first order at the
/// weights that training began with.
Method unroll();
/// SFR-on: ascent on forget, weighed row by row and only on weights that matter to forget at least
/// as much as to retain, between steps on retain.
Method sfron();
/// CPU-RT: retraining with a term that pushes forget rows out of their prediction sets.
Method conformal_retrain();
/// CPU-FT: fine-tuning with a term that pushes forget rows out of their prediction sets.
Method conformal_finetune();
/// CPU-RL: random labels on forget with a term that pushes its rows out of their prediction sets.
Method conformal_random_label();
/// The plain C&W loss on forget beside another method's loss: the conformal paper's ablation.
Method cw();
/// Fisher forgetting: noise on every weight, the more the less retain depends on it.
Method fisher();
/// Forsaken: neurons are masked by learned amounts until forget rows get the posteriors of unseen
/// rows.
Method forsaken();
/// L-CODEC: a Newton step that takes forget out of the few neurons its loss depends on.
Method lcodec();
/// Boundary shrink: rows of a forgotten class are given to the classes next to them.
Method boundary_shrink();
/// Boundary expand: rows of a forgotten class go to a shadow class that is cut off afterwards.
Method boundary_expand();
/// Fanchuan: forget rows towards uniform answers, then rounds of contrast with retained rows and
/// repair.
Method fanchuan();
/// Kookmin: re-initialise the convolution weights that the NegGrad+ loss hardly moves, then repair.
Method kookmin();
/// Seif: noise on the convolutions, then cross-entropy that listens to the majority class.
Method seif();
/// Sebastian: re-initialise nearly all small weights, then cross-entropy and the old entropies.
Method sebastian();
/// Amnesiacs: a new first convolution and classifier, taught by the original.
Method amnesiacs();
/// Sun: a new classifier, epochs of fine-tuning random layers after noise on them, fine-tuning.
Method sun();
/// Forget: cycles of new random layers and of learning the original's answers on noised images.
Method forget();
/// The control that does nothing: an audit must find everything still there.
Method identity();
/// The control that destroys the model: the same constant logits for every input.
Method collapse();
/// A method that is somebody else's program: files in, a command, a file out.
Method external();

}  // namespace vestige::unlearn
