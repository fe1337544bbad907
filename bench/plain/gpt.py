"""Training speed of the language lab's GPT in plain PyTorch: the reference that the ratio on a GPU is taken with.

Reference only: nothing of Vestige runs Python for training. The network, batch and update are those of
recipes/language.toml at gpu size; the same case in C++ is `build/bench/language_bench --benchmark_filter=cuda`.

usage: gpt.py [--device cuda] [--bf16] [--layers 8 --width 384 --heads 6 --tokens 256 --vocabulary 4096 --batch 128]
prints sequences per second, the best of five blocks of steps.
"""

import argparse
import time

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.expand, self.contract = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        heads = self.qkv(self.norm1(x)).view(batch, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(heads[0], heads[1], heads[2], is_causal=True)
        x = x + self.project(mixed.transpose(1, 2).flatten(2))
        return x + self.contract(functional.gelu(self.expand(self.norm2(x))))


class Gpt(nn.Module):
    """Norms before attention and inner layer, learnt positions, tied embeddings, no dropout."""

    def __init__(self, vocabulary, tokens, width, layers, heads):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(tokens, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.normal_(weight, std=0.02)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return functional.linear(self.norm(x), self.embedding.weight)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--bf16", action="store_true", help="products in bfloat16 (autocast)")
    parser.add_argument("--tf32", action="store_true", help="float32 products in TF32")
    parser.add_argument("--compile", action="store_true", help="torch.compile, which is no longer plain")
    for name, value in dict(layers=8, width=384, heads=6, tokens=256, vocabulary=4096, batch=128, steps=50).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args()

    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = given.tf32
    network = Gpt(given.vocabulary, given.tokens, given.width, given.layers, given.heads).to(given.device)
    matrices = [weight for weight in network.parameters() if weight.dim() > 1]
    others = [weight for weight in network.parameters() if weight.dim() <= 1]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0}],
                                  lr=1e-3, betas=(0.9, 0.95))
    # As many windows of running text as a few batches need; the lab also copies each batch from the host.
    windows = torch.randint(0, given.vocabulary, (8 * given.batch, given.tokens + 1))
    forward = torch.compile(network) if given.compile else network

    def step(index):
        rows = windows[index % 8 * given.batch : (index % 8 + 1) * given.batch].to(given.device)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(torch.device(given.device).type, torch.bfloat16, enabled=given.bf16):
            scores = forward(rows[:, :-1])
        functional.cross_entropy(scores.float().flatten(0, 1), rows[:, 1:].flatten()).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()

    def wait():
        if given.device.startswith("cuda"):
            torch.cuda.synchronize()

    for index in range(10):
        step(index)
    wait()
    best = 0.0
    for _ in range(5):
        start = time.perf_counter()
        for index in range(given.steps):
            step(index)
        wait()
        best = max(best, given.steps * given.batch / (time.perf_counter() - start))
    precision = "bf16" if given.bf16 else "tf32" if given.tf32 else "float32"
    parameters = sum(weight.numel() for weight in network.parameters())
    print(f"plain PyTorch {torch.__version__}, {given.device}, {precision}, {parameters} weights, "
          f"{given.batch} x {given.tokens} tokens: {best:.1f} sequences/s, {best * given.tokens:.0f} tokens/s")


if __name__ == "__main__":
    main()
