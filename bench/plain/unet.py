"""Training speed of the lab's U-Net in plain PyTorch: the reference that the ratio on a GPU is taken with.

Reference only: nothing of Vestige runs Python for training. The network, batch, objective (Karras et al. 2022) and
update are those of recipes/diffusion.toml at gpu size; the same case in C++ is
`build/bench/train_bench --benchmark_filter=unet.*cuda`.

usage: unet.py [--device cuda] [--bf16 | --tf32] [--width 32 --multipliers 1 2 4 --depth 2 --side 32 --batch 256]
prints images per second, the best of five blocks of steps.
"""

import argparse
import math
import time

import torch
from torch import nn
from torch.nn import functional

SIGMA_DATA = 0.5
BRANCH = math.sqrt(0.5)


def group_norm(channels):
    return nn.GroupNorm(math.gcd(channels, max(1, min(32, channels // 4))), channels)


class Attention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm, self.qkv = group_norm(channels), nn.Conv2d(channels, 3 * channels, 1)
        self.project = nn.Conv2d(channels, channels, 1)
        nn.init.zeros_(self.project.weight)

    def forward(self, x):
        batch, channels, height, width = x.shape
        query, key, value = self.qkv(self.norm(x)).view(batch, 3, channels, height * width).transpose(2, 3).unbind(1)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        return self.project(mixed.transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    def __init__(self, before, after, embedding, attends):
        super().__init__()
        self.norm1, self.conv1 = group_norm(before), nn.Conv2d(before, after, 3, padding=1)
        self.shift = nn.Linear(embedding, after)
        self.norm2, self.conv2 = group_norm(after), nn.Conv2d(after, after, 3, padding=1)
        nn.init.zeros_(self.conv2.weight)
        self.skip = nn.Conv2d(before, after, 1) if before != after else nn.Identity()
        self.attention = Attention(after) if attends else None

    def forward(self, x, level):
        value = self.conv1(functional.silu(self.norm1(x))) + self.shift(level)[:, :, None, None]
        value = (self.conv2(functional.silu(self.norm2(value))) + self.skip(x)) * BRANCH
        return value if self.attention is None else (value + self.attention(value)) * BRANCH


class Unet(nn.Module):
    def __init__(self, colours, width, multipliers, depth):
        super().__init__()
        embedding = 4 * width
        self.width, self.depth = width, depth
        self.map1, self.map2 = nn.Linear(width, embedding), nn.Linear(embedding, embedding)
        self.stem = nn.Conv2d(colours, width, 3, padding=1)
        self.encoder, self.decoder, self.down, self.up = (nn.ModuleList() for _ in range(4))
        channels, skips, lowest = width, [width], len(multipliers) - 1
        for level, multiplier in enumerate(multipliers):
            for _ in range(depth):
                self.encoder.append(Block(channels, multiplier * width, embedding, level == lowest))
                channels = multiplier * width
                skips.append(channels)
            if level < lowest:
                self.down.append(nn.Conv2d(channels, channels, 3, stride=2, padding=1))
                skips.append(channels)
        self.middle1, self.middle2 = Block(channels, channels, embedding, True), Block(channels, channels, embedding, False)
        for level in range(lowest, -1, -1):
            for _ in range(depth + 1):
                self.decoder.append(Block(channels + skips.pop(), multipliers[level] * width, embedding, level == lowest))
                channels = multipliers[level] * width
            if level > 0:
                self.up.append(nn.Conv2d(channels, channels, 3, padding=1))
        self.norm, self.output = group_norm(channels), nn.Conv2d(channels, colours, 3, padding=1)
        nn.init.zeros_(self.output.weight)

    def forward(self, x, noise):
        half = self.width // 2
        frequencies = torch.exp(-math.log(10000) * torch.arange(half, device=x.device) / max(1, half - 1))
        angles = noise[:, None] * frequencies
        waves = torch.cat([angles.cos(), angles.sin()], 1)
        level = functional.silu(self.map2(functional.silu(self.map1(waves))))
        value = self.stem(x)
        kept = [value]
        for index, block in enumerate(self.encoder):
            value = block(value, level)
            kept.append(value)
            if (index + 1) % self.depth == 0 and index + 1 < len(self.encoder):
                value = self.down[index // self.depth](value)
                kept.append(value)
        value = self.middle2(self.middle1(value, level), level)
        for index, block in enumerate(self.decoder):
            value = block(torch.cat([value, kept.pop()], 1), level)
            if (index + 1) % (self.depth + 1) == 0 and index + 1 < len(self.decoder):
                value = self.up[index // (self.depth + 1)](functional.interpolate(value, scale_factor=2))
        return self.output(functional.silu(self.norm(value)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--bf16", action="store_true", help="products in bfloat16 (autocast), channels last")
    parser.add_argument("--tf32", action="store_true", help="float32 products in TF32, channels last")
    parser.add_argument("--multipliers", type=int, nargs="+", default=[1, 2, 4])
    for name, value in dict(width=32, depth=2, side=32, colours=1, batch=256, steps=20).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args()

    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = given.tf32
    torch.backends.cudnn.benchmark = True
    network = Unet(given.colours, given.width, given.multipliers, given.depth).to(given.device)
    images = SIGMA_DATA * torch.randn(8 * given.batch, given.colours, given.side, given.side, device=given.device)
    if given.bf16 or given.tf32:
        network, images = network.to(memory_format=torch.channels_last), images.to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    average = [weight.detach().clone() for weight in network.parameters()]

    def step(index):
        rows = images[index % 8 * given.batch : (index % 8 + 1) * given.batch]
        sigma = torch.exp(-1.2 + 1.2 * torch.randn(given.batch, 1, 1, 1, device=given.device))
        noisy = rows + sigma * torch.randn_like(rows)
        total = sigma.square() + SIGMA_DATA**2
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(torch.device(given.device).type, torch.bfloat16, enabled=given.bf16):
            raw = network(noisy / total.sqrt(), sigma.flatten().log() / 4)
        answer = SIGMA_DATA**2 / total * noisy + sigma * SIGMA_DATA / total.sqrt() * raw.float()
        (total / (sigma * SIGMA_DATA).square() * (answer - rows).square()).mean().backward()
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(average, list(network.parameters()), 1e-3)

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
          f"{given.batch} images of {given.side} x {given.side}: {best:.1f} images/s")


if __name__ == "__main__":
    main()
