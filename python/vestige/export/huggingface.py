"""Causal language models of Hugging Face: what they say about every token of every sequence.

Uses only ``model(input_ids=, attention_mask=).logits``, ``model.generate`` and the tokenizer's call
and ``decode``, so that anything with this interface works.
"""

from __future__ import annotations

import numpy as np

from vestige._collected import TokenOutputs
from vestige.export._modes import evaluating
from vestige.export._progress import Progress


def collect_causal(model, tokenizer, texts, *, prefixes=None, max_length=256, batch_size=8,
                   moments=True, ranks=True, lower=True, generate=0, device=None, progress=True):
    """Log-probabilities of the tokens of each text, given its prefix.

    ``prefixes`` is one text for all rows or one per row (the question, a refusal prompt): it is the
    context, and its tokens are not scored. Without a prefix the first token has no context and is left
    out. ``max_length`` cuts the text, not the prefix. ``moments`` adds mean, standard deviation and
    entropy over the vocabulary, ``ranks`` how many entries were more probable, ``lower`` the
    log-probabilities of the lower-cased text, ``generate`` the greedy continuation of each prefix (of
    the first half of each text without one) by so many tokens. Sequences are batched by length.
    """
    import torch

    texts = _texts(texts)
    prefixes = _prefixes(prefixes, len(texts))
    if device is None:
        device = getattr(model, "device", torch.device("cpu"))
    with evaluating(model), torch.no_grad():
        said = _score(model, tokenizer, texts, prefixes, max_length, batch_size, device,
                      moments, ranks, Progress("collect", len(texts), progress))
        result = TokenOutputs(texts=texts, **said)
        if lower:
            low = _score(model, tokenizer, [text.lower() for text in texts], prefixes, max_length,
                         batch_size, device, False, False,
                         Progress("collect lower-cased", len(texts), progress))
            result.lower, result.lower_offsets = low["tokens"], low["offsets"]
        if generate:
            result.generations = _generations(model, tokenizer, texts, prefixes, generate, device)
    return result


def _texts(texts):
    if isinstance(texts, str):
        raise ValueError("texts is one string: give a list of texts")
    texts = list(texts)
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


def _ids(tokenizer, text, prefix):
    """Tokens of prefix + text, and how many of them are context.

    The prefix ends where the tokens of prefix + text part from those of the prefix alone: a token that
    joins both belongs to the text.
    """
    ids = list(tokenizer(prefix + text)["input_ids"])
    if not prefix:
        return ids, 1
    alone = list(tokenizer(prefix)["input_ids"])
    common = 0
    while common < min(len(ids), len(alone)) and ids[common] == alone[common]:
        common += 1
    return ids, max(common, 1)


def _score(model, tokenizer, texts, prefixes, max_length, batch_size, device, moments, ranks, shown):
    import torch

    rows = []
    positions = getattr(getattr(model, "config", None), "max_position_embeddings", None)
    for number, (text, prefix) in enumerate(zip(texts, prefixes)):
        ids, skip = _ids(tokenizer, text, prefix)
        ids = ids[:skip + max_length]
        if len(ids) <= skip:
            raise ValueError(f"text {number} has no token that could be scored: the first token has no "
                             "context, so a text without a prefix needs two")
        if positions is not None and len(ids) > positions:
            raise ValueError(f"text {number} has {len(ids)} tokens with its prefix and the model has "
                             f"{positions} positions: give a smaller max_length, or a shorter prefix")
        rows.append((ids, skip))
    found = [None] * len(rows)
    # Long sequences first: what does not fit into memory fails at once, and batches waste little.
    order = sorted(range(len(rows)), key=lambda row: -len(rows[row][0]))
    for first in range(0, len(order), batch_size):
        chosen = order[first:first + batch_size]
        width = len(rows[chosen[0]][0])
        ids = torch.zeros((len(chosen), width), dtype=torch.long)
        mask = torch.zeros((len(chosen), width), dtype=torch.long)
        for place, row in enumerate(chosen):
            length = len(rows[row][0])
            ids[place, :length] = torch.tensor(rows[row][0], dtype=torch.long)
            mask[place, :length] = 1
        ids = ids.to(device)
        logits = model(input_ids=ids, attention_mask=mask.to(device)).logits
        for place, row in enumerate(chosen):
            length, skip = len(rows[row][0]), rows[row][1]
            found[row] = _tokens(logits[place, skip - 1:length - 1], ids[place, skip:length],
                                 moments, ranks)
            if not np.isfinite(found[row]["tokens"]).all():
                raise ValueError(f"text {row} has a log-probability that is NaN or infinite: the model "
                                 "diverged, or float16 overflowed; nothing was collected")
        shown.show(first + len(chosen))
    shown.end()
    result = {name: np.concatenate([row[name] for row in found]) for name in found[0]}
    result["offsets"] = np.cumsum([0] + [len(row["tokens"]) for row in found]).astype(np.int64)
    return result


def _tokens(logits, ids, moments, ranks):
    """Of one sequence: logits [tokens, vocabulary] before each token, and the tokens."""
    logits = logits.float()
    spread = logits.log_softmax(-1)
    own = spread.gather(1, ids[:, None])
    said = {"tokens": own[:, 0].cpu().numpy()}
    if ranks:
        said["rank"] = (spread > own).sum(-1).cpu().numpy().astype(np.int64)
    if moments:
        weight = spread.exp()
        safe = spread.clamp(min=-1e4)  # 0 ln 0 = 0
        mean = (weight * safe).sum(-1)
        said["mean"] = mean.cpu().numpy()
        said["std"] = (weight * (safe - mean[:, None]).square()).sum(-1).sqrt().cpu().numpy()
        said["entropy"] = (-mean).clamp(min=0).cpu().numpy()
    return said


def _generations(model, tokenizer, texts, prefixes, count, device):
    """Greedy continuations, one sequence at a time: padding on the left would shift positions."""
    import torch

    generations = []
    for text, prefix in zip(texts, prefixes):
        ids, skip = _ids(tokenizer, text, prefix)
        start = ids[:skip] if prefix else ids[:max(1, len(ids) // 2)]
        given = torch.tensor([start], dtype=torch.long, device=device)
        made = model.generate(input_ids=given, attention_mask=torch.ones_like(given),
                              max_new_tokens=count, do_sample=False)
        generations.append(tokenizer.decode(made[0, len(start):], skip_special_tokens=True))
    return generations

