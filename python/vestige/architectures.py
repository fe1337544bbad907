"""The eleven architectures of the lab as torch modules that load and write its .safetensors files.

Names of parameters are those of the lab, and so are defaults (docs/lab/models.md).
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

__all__ = ["NAMES", "make"]


class _Normed(nn.Module):
    """A convolution and the batch norm after it."""

    def __init__(self, *shape, bias=False, **options):
        super().__init__()
        self.conv = nn.Conv2d(*shape, bias=bias, **options)
        self.norm = nn.BatchNorm2d(shape[1])

    def forward(self, x):
        return self.norm(self.conv(x))


class _NormFirst(nn.Module):
    """Batch norm, relu, convolution."""

    def __init__(self, *shape, **options):
        super().__init__()
        self.norm = nn.BatchNorm2d(shape[0])
        self.conv = nn.Conv2d(*shape, bias=False, **options)

    def forward(self, x):
        return self.conv(functional.relu(self.norm(x)))


class SmallCnn(nn.Module):
    """Two convolutions, two linear layers."""

    def __init__(self, shape, classes, width=16):
        super().__init__()
        channels, height, columns = shape
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, 2 * width, 3, padding=1)
        self.linear1 = nn.Linear(2 * width * (height // 4) * (columns // 4), 128)
        self.linear2 = nn.Linear(128, classes)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        return self.linear2(functional.relu(self.linear1(x.flatten(1))))


class Mlp(nn.Module):
    """Linear layers with relu or tanh between them."""

    def __init__(self, shape, classes, widths=(1024, 512, 256, 128), activation="relu"):
        super().__init__()
        columns = 1
        for size in shape:
            columns *= size
        self.depth = len(widths)
        self.activation = {"relu": functional.relu, "tanh": torch.tanh}[activation]
        for place, width in enumerate(widths):
            self.add_module(f"hidden{place + 1}", nn.Linear(columns, width))
            columns = width
        self.output = nn.Linear(columns, classes)

    def forward(self, x):
        x = x.flatten(1)
        for place in range(self.depth):
            x = self.activation(getattr(self, f"hidden{place + 1}")(x))
        return self.output(x)


class AllCnn(nn.Module):
    """All-CNN-C with batch norm."""

    STEPS = ((96, 3, 1), (96, 3, 1), (192, 3, 2), (192, 3, 1), (192, 3, 1), (192, 3, 2), (192, 3, 1),
             (192, 1, 1))

    def __init__(self, shape, classes):
        super().__init__()
        channels = shape[0]
        for place, (width, kernel, stride) in enumerate(self.STEPS):
            self.add_module(f"conv{place + 1}", _Normed(channels, width, kernel, stride=stride,
                                                        padding=kernel // 2))
            channels = width
        self.output = nn.Linear(channels, classes)

    def forward(self, x):
        for place in range(len(self.STEPS)):
            x = functional.relu(getattr(self, f"conv{place + 1}")(x))
        return self.output(x.mean((2, 3)))


class _ResidualBlock(nn.Module):
    """Basic: two convolutions of 3x3. Bottleneck: 1x1, 3x3 with the stride, 1x1 to four times the channels."""

    def __init__(self, before, width, stride, bottleneck):
        super().__init__()
        after = 4 * width if bottleneck else width
        if bottleneck:
            self.conv1 = _Normed(before, width, 1)
            self.conv2 = _Normed(width, width, 3, stride=stride, padding=1)
            self.conv3 = _Normed(width, after, 1)
        else:
            self.conv1 = _Normed(before, width, 3, stride=stride, padding=1)
            self.conv2 = _Normed(width, after, 3, padding=1)
        if stride != 1 or before != after:
            self.shortcut = _Normed(before, after, 1, stride=stride)

    def forward(self, x):
        inner = self.conv2(functional.relu(self.conv1(x)))
        if hasattr(self, "conv3"):
            inner = self.conv3(functional.relu(inner))
        return functional.relu(inner + (self.shortcut(x) if hasattr(self, "shortcut") else x))


def _resized(x, side):
    if side == 0 or x.shape[2:] == (side, side):
        return x
    return functional.interpolate(x, (side, side), mode="bilinear", align_corners=False)


class ResNet(nn.Module):
    """A 3x3 stem up to 64 pixels, the paper's above."""

    def __init__(self, shape, classes, blocks, bottleneck, stem="auto", resize=0):
        super().__init__()
        self.blocks = blocks
        side = resize or max(shape[1:])
        self.large = side > 64 if stem == "auto" else stem == "imagenet"
        self.resize = resize
        self.stem = (_Normed(shape[0], 64, 7, stride=2, padding=3) if self.large
                     else _Normed(shape[0], 64, 3, padding=1))
        before = 64
        for stage, width in enumerate((64, 128, 256, 512)):
            for block in range(1, blocks[stage] + 1):
                self.add_module(f"block{stage + 1}_{block}", _ResidualBlock(
                    before, width, 2 if stage > 0 and block == 1 else 1, bottleneck))
                before = 4 * width if bottleneck else width
        self.output = nn.Linear(before, classes)

    def forward(self, x):
        x = functional.relu(self.stem(_resized(x, self.resize)))
        if self.large:
            x = functional.max_pool2d(x, 3, 2, 1)
        for stage, blocks in enumerate(self.blocks):
            for block in range(1, blocks + 1):
                x = getattr(self, f"block{stage + 1}_{block}")(x)
        return self.output(x.mean((2, 3)))


class _Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.project = nn.Linear(dim, dim)

    def forward(self, x):
        batch, tokens, dim = x.shape
        size = dim // self.heads
        query, key, value = self.qkv(x).reshape(batch, tokens, 3, self.heads, size).permute(
            2, 0, 3, 1, 4)
        weights = torch.softmax(query * size ** -0.5 @ key.transpose(2, 3), -1)
        return self.project((weights @ value).transpose(1, 2).flatten(2))


class _VitBlock(nn.Module):
    def __init__(self, dim, heads, mlp_ratio, epsilon):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim, eps=epsilon)
        self.attention = _Attention(dim, heads)
        self.norm2 = nn.LayerNorm(dim, eps=epsilon)
        self.expand = nn.Linear(dim, dim * mlp_ratio)
        self.contract = nn.Linear(dim * mlp_ratio, dim)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.contract(functional.gelu(self.expand(self.norm2(x))))


class _Embedding(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        bound = 0.02 * 3 ** 0.5
        self.class_token = nn.Parameter(torch.empty(dim).uniform_(-bound, bound))
        self.positions = nn.Parameter(torch.empty(tokens + 1, dim).uniform_(-bound, bound))

    def forward(self, x):
        first = self.class_token.expand(len(x), 1, -1)
        return torch.cat([first, x], 1) + self.positions


class Vit(nn.Module):
    """A vision transformer; the patch goes by the image."""

    def __init__(self, shape, classes, patch=None, dim=192, depth=6, heads=3, mlp_ratio=4,
                 epsilon=1e-5, resize=0):
        super().__init__()
        height, width = (resize, resize) if resize else shape[1:]
        side = max(height, width)
        patch = patch or (4 if side <= 32 else 8 if side <= 64 else 16)
        self.resize, self.depth = resize, depth
        self.patches = nn.Conv2d(shape[0], dim, patch, stride=patch)
        self.embedding = _Embedding((height // patch) * (width // patch), dim)
        for block in range(depth):
            self.add_module(f"block{block + 1}", _VitBlock(dim, heads, mlp_ratio, epsilon))
        self.norm = nn.LayerNorm(dim, eps=epsilon)
        self.output = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.embedding(self.patches(_resized(x, self.resize)).flatten(2).transpose(1, 2))
        for block in range(self.depth):
            x = getattr(self, f"block{block + 1}")(x)
        return self.output(self.norm(x[:, 0]))


class Vgg(nn.Module):
    """Five blocks with batch norm and a pool after each, one linear layer."""

    def __init__(self, shape, classes, depths):
        super().__init__()
        self.depths, channels = depths, shape[0]
        for block, (width, depth) in enumerate(zip((64, 128, 256, 512, 512), depths)):
            for place in range(depth):
                self.add_module(f"block{block + 1}_{place + 1}",
                                _Normed(channels, width, 3, padding=1, bias=True))
                channels = width
        self.output = nn.Linear(channels, classes)

    def forward(self, x):
        for block, depth in enumerate(self.depths):
            for place in range(depth):
                x = functional.relu(getattr(self, f"block{block + 1}_{place + 1}")(x))
            x = functional.max_pool2d(x, 2)
        return self.output(x.mean((2, 3)))


class DenseNet(nn.Module):
    """DenseNet-BC with three blocks."""

    def __init__(self, shape, classes, depth=100, growth=12):
        super().__init__()
        self.layers = (depth - 4) // 6
        channels = 2 * growth
        self.stem = nn.Conv2d(shape[0], channels, 3, padding=1, bias=False)
        for block in (1, 2, 3):
            for place in range(1, self.layers + 1):
                self.add_module(f"block{block}_{place}_bottleneck",
                                _NormFirst(channels, 4 * growth, 1))
                self.add_module(f"block{block}_{place}_growth",
                                _NormFirst(4 * growth, growth, 3, padding=1))
                channels += growth
            if block < 3:
                self.add_module(f"transition{block}", _NormFirst(channels, channels // 2, 1))
                channels //= 2
        self.norm = nn.BatchNorm2d(channels)
        self.output = nn.Linear(channels, classes)

    def forward(self, x):
        x = self.stem(x)
        for block in (1, 2, 3):
            for place in range(1, self.layers + 1):
                grown = getattr(self, f"block{block}_{place}_bottleneck")(x)
                x = torch.cat([x, getattr(self, f"block{block}_{place}_growth")(grown)], 1)
            if block < 3:
                x = functional.avg_pool2d(getattr(self, f"transition{block}")(x), 2)
        return self.output(functional.relu(self.norm(x)).mean((2, 3)))


class _InvertedResidual(nn.Module):
    def __init__(self, before, after, stride, expansion):
        super().__init__()
        inner = before * expansion
        self.residual = stride == 1 and before == after
        if expansion > 1:
            self.expand = _Normed(before, inner, 1)
        self.depthwise = _Normed(inner, inner, 3, stride=stride, padding=1, groups=inner)
        self.project = _Normed(inner, after, 1)

    def forward(self, x):
        inner = functional.relu6(self.expand(x)) if hasattr(self, "expand") else x
        inner = self.project(functional.relu6(self.depthwise(inner)))
        return inner + x if self.residual else inner


class MobileNetV2(nn.Module):
    """Strides of 1 at the start up to 64 pixels."""

    STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
              (6, 160, 3, 2), (6, 320, 1, 1))

    def __init__(self, shape, classes):
        super().__init__()
        large = max(shape[1:]) > 64
        self.stem = _Normed(shape[0], 32, 3, stride=2 if large else 1, padding=1)
        before = 32
        for stage, (expansion, width, blocks, stride) in enumerate(self.STAGES):
            for block in range(1, blocks + 1):
                keeps = block > 1 or (stage == 1 and not large)
                self.add_module(f"stage{stage + 1}_{block}", _InvertedResidual(
                    before, width, 1 if keeps else stride, expansion))
                before = width
        self.last = _Normed(before, 1280, 1)
        self.output = nn.Linear(1280, classes)

    def forward(self, x):
        x = functional.relu6(self.stem(x))
        for stage, (_expansion, _width, blocks, _stride) in enumerate(self.STAGES):
            for block in range(1, blocks + 1):
                x = getattr(self, f"stage{stage + 1}_{block}")(x)
        return self.output(functional.relu6(self.last(x)).mean((2, 3)))


def _resnet(blocks, bottleneck):
    return lambda shape, classes, **options: ResNet(shape, classes, blocks, bottleneck, **options)


def _vgg(depths):
    return lambda shape, classes: Vgg(shape, classes, depths)


_MAKERS = {"small_cnn": SmallCnn, "mlp": Mlp, "allcnn": AllCnn,
           "resnet18": _resnet((2, 2, 2, 2), False), "resnet34": _resnet((3, 4, 6, 3), False),
           "resnet50": _resnet((3, 4, 6, 3), True), "vit": Vit,
           "vgg11": _vgg((1, 1, 2, 2, 2)), "vgg16": _vgg((2, 2, 3, 3, 3)), "densenet": DenseNet,
           "mobilenet_v2": MobileNetV2}
NAMES = tuple(_MAKERS)


def make(model, shape, classes):
    """A module of the architecture that ``model`` names: a name, or [model] of a recipe as a table."""
    options = {"name": model} if isinstance(model, str) else dict(model)
    name = options.pop("name", "small_cnn")
    # What training began with says nothing about the shape.
    options = {key: value for key, value in options.items() if not key.startswith("weights")}
    if name not in _MAKERS:
        raise ValueError(f"the architecture '{name}' is unknown: give one of {', '.join(NAMES)}")
    try:
        return _MAKERS[name](tuple(shape), classes, **options)
    except TypeError as error:
        raise ValueError(f"{name} has other options than {', '.join(options)} ({error}): see "
                         "docs/lab/models.md") from None
