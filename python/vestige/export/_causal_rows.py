"""What is asked of a causal model: tokens of each sequence, and which of them are scored."""

from __future__ import annotations

import dataclasses

IGNORED = -100  #: label of tokens that are context, as in Hugging Face's datasets


@dataclasses.dataclass
class Asked:
    """One sequence."""

    ids: list[int]
    scored: list[int]  #: places of ids whose log-probability is wanted, ascending, none of them 0


def asked_texts(tokenizer, texts, prefixes, max_length, chat=False, end_token=False):
    """Each text behind its prefix; the prefix is context. ``max_length`` cuts the text, not the prefix."""
    end = None
    if end_token:
        end = getattr(tokenizer, "eos_token_id", None)
        if end is None:
            raise ValueError("end_token=True, but the tokenizer has no eos_token_id: set it, or leave "
                             "end_token out")
    rows = []
    for number, (text, prefix) in enumerate(zip(texts, prefixes)):
        ids, skip = text_ids(tokenizer, text, prefix, chat)
        whole = len(ids) <= skip + max_length
        ids = ids[:skip + max_length]
        if end is not None and whole:
            ids = ids + [end]
        if len(ids) <= skip:
            raise ValueError(f"text {number} has no token that could be scored: the first token has no "
                             "context, so a text without a prefix needs two")
        rows.append(Asked(ids, list(range(skip, len(ids)))))
    return rows


def text_ids(tokenizer, text, prefix, chat=False):
    """Tokens of prefix + text, and how many of them are context.

    The prefix ends where the tokens of prefix + text part from those of the prefix alone: a token that
    joins both belongs to the text. With ``chat`` the prefix is what the user says, in the tokenizer's
    template; the template's own first token is not written twice.
    """
    if chat:
        if not hasattr(tokenizer, "apply_chat_template"):
            raise ValueError("chat=True, but the tokenizer has no apply_chat_template: give prefixes as "
                             "the model saw them in training, without chat")
        prefix = tokenizer.apply_chat_template([{"role": "user", "content": prefix}], tokenize=False,
                                               add_generation_prompt=True)
    ids = _once_begun(tokenizer, list(tokenizer(prefix + text)["input_ids"]))
    if not prefix:
        return ids, 1
    alone = _once_begun(tokenizer, list(tokenizer(prefix)["input_ids"]))
    common = 0
    while common < min(len(ids), len(alone)) and ids[common] == alone[common]:
        common += 1
    return ids, max(common, 1)


def _once_begun(tokenizer, ids):
    """A template may write the token of the beginning that the tokenizer adds as well."""
    begin = getattr(tokenizer, "bos_token_id", None)
    while begin is not None and ids[:2] == [begin, begin]:
        ids = ids[1:]
    return ids


def asked_labels(examples):
    """Examples {"input_ids": [...], "labels": [...]}, or batches of them: tokens whose label is -100 are
    context, so that chats of several turns are masked as in training. Labels that differ from the
    tokens they stand for are refused."""
    rows = []
    for example in examples:
        ids, labels = _lists(example["input_ids"]), _lists(example["labels"])
        mask = _lists(example["attention_mask"]) if "attention_mask" in example else None
        if ids and not isinstance(ids[0], list):
            ids, labels, mask = [ids], [labels], None if mask is None else [mask]
        for place, (own, wanted) in enumerate(zip(ids, labels)):
            rows.append(_masked(len(rows), own, wanted, None if mask is None else mask[place]))
    if not rows:
        raise ValueError("there are no examples: nothing was collected")
    return rows


def _lists(values):
    return values.tolist() if hasattr(values, "tolist") else [
        value.tolist() if hasattr(value, "tolist") else value for value in values]


def _masked(number, ids, labels, mask):
    if len(ids) != len(labels):
        raise ValueError(f"example {number} has {len(ids)} input_ids and {len(labels)} labels: give one "
                         "label per token, -100 for context")
    if mask is not None:  # padding on either side
        kept = [place for place, flag in enumerate(mask) if flag]
        ids, labels = [ids[place] for place in kept], [labels[place] for place in kept]
    scored = [place for place, label in enumerate(labels) if label != IGNORED and place > 0]
    for place in scored:
        if labels[place] != ids[place]:
            raise ValueError(f"example {number}, token {place}: the label is {labels[place]} and the token "
                             f"{ids[place]}: labels are the tokens themselves, not shifted, or -100")
    if not scored:
        raise ValueError(f"example {number} has no token to score: all labels are -100")
    return Asked(list(ids), scored)
