"""Causal language models of Hugging Face: what they say about every token of every sequence.

Uses only ``model(input_ids=, attention_mask=).logits``, ``model.generate`` and the tokenizer's call,
``decode`` and, for chats, ``apply_chat_template``, so that anything with this interface works.
"""

from __future__ import annotations

import contextlib

import numpy as np

from vestige._collected import TokenOutputs
from vestige.export._causal_rows import asked_labels, asked_texts, text_ids
from vestige.export._modes import evaluating
from vestige.export._progress import Progress
from vestige.export._resume import Resume
from vestige.export._rows import float_type

_POSITIONS = 1024  #: logits [positions, vocabulary] that are widened to float32 at once


def collect_causal(model, tokenizer, texts, *, prefixes=None, chat=False, answers=None, max_length=256,
                   end_token=False, batch_size=8, moments=True, ranks=True, lower=True, generate=0,
                   samples=0, temperature=1.0, seed=0, dtype="float32", device=None, resume=None,
                   progress=True):
    """Log-probabilities of the tokens of each text, given its prefix.

    ``prefixes`` is one text for all rows or one per row (the question, a refusal prompt): it is the
    context, and its tokens are not scored. Without a prefix the first token has no context and is left
    out. With ``chat`` prefixes are what the user says, written in the tokenizer's template. ``max_length``
    cuts the text, not the prefix. ``end_token`` also scores the token that ends a text.

    ``texts`` may also be examples or batches {"input_ids", "labels"}: what has the label -100 is context
    (chats of several turns); ``lower``, ``generate``, ``samples`` and ``answers`` are not for these.

    ``answers`` is {"paraphrased": ..., "perturbed": ...}, for each row one other answer or a list of
    them, scored behind the same prefix: truth ratio and forget quality need them.

    ``moments`` adds mean, standard deviation and entropy over the vocabulary, ``ranks`` how many entries
    were more probable, ``lower`` the log-probabilities of the lower-cased text. ``generate`` adds the
    greedy continuation of each prefix (of the first half of each text without one) by so many tokens, and
    what truly follows; ``samples`` so many continuations drawn at ``temperature`` from ``seed``.
    Sequences are batched by length. ``dtype`` is that of the stored numbers. ``resume`` is a folder, one
    per model, that keeps finished batches until the pass is done, so that a second call goes on there.
    """
    import torch

    float_type(dtype)
    texts = list(texts) if not isinstance(texts, str) else texts
    masked = isinstance(texts, list) and bool(texts) and hasattr(texts[0], "keys")
    if masked:
        _only_for_texts(prefixes=prefixes, chat=chat, answers=answers, generate=generate, samples=samples)
        rows, texts, lower = asked_labels(texts), None, False
    else:
        texts = _texts(texts)
        prefixes = _prefixes(prefixes, len(texts))
        if chat and not all(prefixes):
            raise ValueError("chat=True needs prefixes: what the user says before each text")
        rows = asked_texts(tokenizer, texts, prefixes, max_length, chat, end_token)
    if samples and not generate:
        raise ValueError(f"samples={samples} without generate: say how many tokens to generate")
    if device is None:
        device = getattr(model, "device", torch.device("cpu"))
    score = _Scorer(model, batch_size, device, dtype, resume, progress)
    with evaluating(model), torch.no_grad():
        result = TokenOutputs(texts=texts, **score(rows, moments, ranks, "collect"))
        if lower:
            low = score(asked_texts(tokenizer, [text.lower() for text in texts], prefixes, max_length,
                                    chat, end_token), False, False, "collect lower-cased")
            result.lower, result.lower_offsets = low["tokens"], low["offsets"]
        for name, given in (answers or {}).items():
            result.answers[name] = _answers(name, given, prefixes, score, tokenizer, max_length, chat,
                                            end_token)
        if generate:
            starts = [_start(tokenizer, text, prefix, chat) for text, prefix in zip(texts, prefixes)]
            result.continuations = [tokenizer.decode(rest[:generate], skip_special_tokens=True)
                                    for _, rest in starts]
            ask = lambda count: _generations(model, tokenizer, [start for start, _ in starts], generate,
                                             batch_size, device, count, temperature, seed, progress)
            result.generations = [made[0] for made in ask(0)]
            if samples:
                result.samples = ask(samples)
    score.done()
    return result


def _only_for_texts(**options):
    for name, value in options.items():
        if value:
            raise ValueError(f"{name} is for texts: the examples are given as input_ids and labels")


def _texts(texts):
    if isinstance(texts, str):
        raise ValueError("texts is one string: give a list of texts")
    if not texts:
        raise ValueError("there are no texts: nothing was collected")
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"text {row} is of type {type(text).__name__}: give strings")
    return texts


def _prefixes(prefixes, rows):
    if prefixes is None or isinstance(prefixes, str):
        return [prefixes or ""] * rows
    prefixes = list(prefixes)
    if len(prefixes) != rows:
        raise ValueError(f"there are {len(prefixes)} prefixes for {rows} texts: give one for each, or "
                         "one text for all")
    return prefixes


def _answers(name, given, prefixes, score, tokenizer, max_length, chat, end_token):
    """Other answers to each row: their tokens, and the row that each belongs to."""
    if name not in ("paraphrased", "perturbed"):
        raise ValueError(f"answers '{name}' are unknown: give paraphrased (right in other words) or "
                         "perturbed (wrong)")
    given = [[own] if isinstance(own, str) else list(own) for own in given]
    if len(given) != len(prefixes) or not all(given):
        raise ValueError(f"answers '{name}': give at least one for each of the {len(prefixes)} texts")
    groups = np.array([row for row, own in enumerate(given) for _ in own], dtype=np.int64)
    rows = asked_texts(tokenizer, [text for own in given for text in own],
                       [prefixes[row] for row in groups], max_length, chat, end_token)
    said = score(rows, False, False, f"collect {name}")
    return {"": said["tokens"], ".offsets": said["offsets"], ".groups": groups}


class _Scorer:
    """Runs sequences through the model, long ones first: what does not fit into memory fails at once,
    and batches waste little."""

    def __init__(self, model, batch_size, device, dtype, resume, progress):
        self.model, self.batch_size, self.device = model, batch_size, device
        self.dtype, self.resume, self.progress = dtype, resume, progress
        self.passes = []

    def __call__(self, rows, moments, ranks, what):
        positions = getattr(getattr(self.model, "config", None), "max_position_embeddings", None)
        for number, row in enumerate(rows):
            if positions is not None and len(row.ids) > positions:
                raise ValueError(f"text {number} has {len(row.ids)} tokens with its prefix and the model "
                                 f"has {positions} positions: give a smaller max_length, or a shorter prefix")
        shown = Progress(what, len(rows), self.progress)
        kept = Resume(self.resume, rows, (moments, ranks, self.dtype, self.batch_size))
        order = sorted(range(len(rows)), key=lambda row: -len(rows[row].ids))
        found = [None] * len(rows)
        for first in range(0, len(order), self.batch_size):
            chosen = order[first:first + self.batch_size]
            said = kept.load(first)
            if said is None:
                said = self._batch([rows[row] for row in chosen], moments, ranks)
                kept.save(first, said)
            ends = np.cumsum([0] + [len(rows[row].scored) for row in chosen])
            for place, row in enumerate(chosen):
                found[row] = {name: array[ends[place]:ends[place + 1]] for name, array in said.items()}
                if not np.isfinite(found[row]["tokens"]).all():
                    raise ValueError(f"text {row} has a log-probability that is NaN or infinite: the model "
                                     "diverged, or float16 overflowed; nothing was collected")
            shown.show(first + len(chosen))
        shown.end()
        self.passes.append(kept)
        result = {name: np.concatenate([row[name] for row in found]) for name in found[0]}
        result["offsets"] = np.cumsum([0] + [len(row.scored) for row in rows]).astype(np.int64)
        return result

    def done(self):
        for kept in self.passes:
            kept.done()

    def _batch(self, rows, moments, ranks):
        import torch

        width = max(len(row.ids) for row in rows)
        ids = torch.zeros((len(rows), width), dtype=torch.long)
        mask = torch.zeros((len(rows), width), dtype=torch.long)
        for place, row in enumerate(rows):
            ids[place, :len(row.ids)] = torch.tensor(row.ids, dtype=torch.long)
            mask[place, :len(row.ids)] = 1
        logits = self.model(input_ids=ids.to(self.device), attention_mask=mask.to(self.device)).logits
        # Models spread over devices answer on another one than they were asked on.
        rows_of = torch.tensor([place for place, row in enumerate(rows) for _ in row.scored])
        places = torch.tensor([place for row in rows for place in row.scored])
        tokens = ids[rows_of, places].to(logits.device)
        rows_of, before = rows_of.to(logits.device), (places - 1).to(logits.device)
        parts = [_tokens(logits[rows_of[first:first + _POSITIONS], before[first:first + _POSITIONS]],
                         tokens[first:first + _POSITIONS], moments, ranks)
                 for first in range(0, len(tokens), _POSITIONS)]
        said = {name: torch.cat([part[name] for part in parts]).cpu().numpy() for name in parts[0]}
        return {name: array if name == "rank" else array.astype(self.dtype) for name, array in said.items()}


def _tokens(logits, ids, moments, ranks):
    """Logits [tokens, vocabulary] before each token, and the tokens."""
    spread = logits.float().log_softmax(-1)
    own = spread.gather(1, ids[:, None])
    said = {"tokens": own[:, 0]}
    if ranks:
        said["rank"] = (spread > own).sum(-1)
    if moments:
        weight = spread.exp()
        safe = spread.clamp(min=-1e4)  # 0 ln 0 = 0
        mean = (weight * safe).sum(-1)
        said["mean"] = mean
        said["std"] = (weight * (safe - mean[:, None]).square()).sum(-1).sqrt()
        said["entropy"] = (-mean).clamp(min=0)
    return said


def _start(tokenizer, text, prefix, chat):
    """What is given to the model, and what truly follows it."""
    ids, skip = text_ids(tokenizer, text, prefix, chat)
    cut = skip if prefix else max(1, len(ids) // 2)
    return ids[:cut], ids[cut:]


def _generations(model, tokenizer, starts, count, batch_size, device, samples, temperature, seed,
                 progress):
    """Continuations of each start: the greedy one, or ``samples`` drawn ones. Shorter starts are padded
    on the left and masked, so that all of a batch go on at the same place."""
    import torch

    pad = getattr(tokenizer, "pad_token_id", None)
    pad = getattr(tokenizer, "eos_token_id", None) if pad is None else pad
    options = {"do_sample": False} if not samples else {
        "do_sample": True, "temperature": temperature, "num_return_sequences": samples}
    shown = Progress("sample" if samples else "generate", len(starts), progress)
    order = sorted(range(len(starts)), key=lambda row: -len(starts[row]))
    made = [None] * len(starts)
    with torch.random.fork_rng() if samples else contextlib.nullcontext():
        if samples:
            torch.manual_seed(seed)
        for first in range(0, len(order), batch_size):
            chosen = order[first:first + batch_size]
            width = len(starts[chosen[0]])
            ids = torch.full((len(chosen), width), 0 if pad is None else pad, dtype=torch.long)
            mask = torch.zeros((len(chosen), width), dtype=torch.long)
            for place, row in enumerate(chosen):
                ids[place, width - len(starts[row]):] = torch.tensor(starts[row], dtype=torch.long)
                mask[place, width - len(starts[row]):] = 1
            out = model.generate(input_ids=ids.to(device), attention_mask=mask.to(device),
                                 max_new_tokens=count, pad_token_id=pad, **options)
            texts = [tokenizer.decode(row[width:].tolist(), skip_special_tokens=True) for row in out]
            per_row = max(samples, 1)
            for place, row in enumerate(chosen):
                made[row] = texts[place * per_row:(place + 1) * per_row]
            shown.show(first + len(chosen))
    shown.end()
    return made
