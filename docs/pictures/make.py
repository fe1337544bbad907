#!/usr/bin/env python3
"""Makes the drawings of the documentation: python3 docs/pictures/make.py

Plain SVG from the standard library. A test compares the files with what this program makes. Colours are Okabe and Ito's, as
on the report page; no statement rests on colour alone.
"""

import os
import sys
from html import escape

INK, GREY, LIGHT = "#222222", "#666666", "#d0d0d0"
GREEN, ORANGE, PURPLE, BAND = "#00664b", "#a33f00", "#6a3d9a", "#dceee8"


class Drawing:
    def __init__(self, width, height, title):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                      f'font-family="DejaVu Sans, Arial, sans-serif" font-size="13" role="img">',
                      f"<title>{escape(title)}</title>", f'<rect width="{width}" height="{height}" fill="#ffffff"/>']

    def text(self, x, y, words, anchor="start", fill=INK, size=13, weight="normal"):
        self.parts.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{fill}" font-size="{size}" '
                          f'font-weight="{weight}">{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, stroke=INK, width=1.5, dash=""):
        style = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}" stroke-width="{width}"{style}/>')

    def box(self, x, y, width, height, fill="none", stroke=INK):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{stroke}"/>')

    def dot(self, x, y, fill, stroke, radius=5):
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius}" fill="{fill}" stroke="{stroke}" stroke-width="2"/>')

    def shape(self, points, fill):
        self.parts.append(f'<polygon points="{" ".join(f"{x:g},{y:g}" for x, y in points)}" fill="{fill}"/>')

    def arrow(self, x1, x2, y, stroke=INK):
        self.line(x1, y, x2, y, stroke)
        back = 8 if x2 < x1 else -8
        self.shape([(x2, y), (x2 + back, y - 4.5), (x2 + back, y + 4.5)], stroke)

    def made(self):
        return "\n".join(self.parts + ["</svg>"]) + "\n"


def roles():
    """Which model is trained on which split."""
    d = Drawing(720, 296, "Roles of models and splits")
    columns = [("forget set", "to be forgotten", 190), ("retain set", "stays", 350), ("test set", "unseen: no model trains on it", 510)]
    for name, note, x in columns:
        d.text(x + 70, 24, name, "middle", weight="bold")
        d.text(x + 70, 41, note, "middle", GREY, 11)
    rows = [("original", "trained first", ["trained on", "trained on", ""]),
            ("unlearned", "original, then a method", ["unlearned", "trained on", ""]),
            ("retrained", "from scratch: the reference", ["", "trained on", ""])]
    for number, (name, note, cells) in enumerate(rows):
        y = 56 + 62 * number
        d.text(10, y + 22, name, weight="bold")
        d.text(10, y + 39, note, fill=GREY, size=11)
        for (_, _, x), cell in zip(columns, cells):
            fill = {"trained on": "#cfe3f1", "unlearned": "#f7dcc4"}.get(cell, "#ffffff")
            d.box(x, y, 140, 50, fill, GREY)
            d.text(x + 70, y + 30, cell or "never seen", "middle", INK if cell else GREY)
    d.text(10, 262, "Every model answers all three sets. The recorded answers are the evidence.")
    d.text(10, 281, "Does the unlearned model answer the forget set like the retrained one, compared with the test set?")
    return d.made()


def verdict():
    """Difference in differences, with the numbers of docs/concepts/verdicts.md."""
    d = Drawing(720, 330, "How a verdict is made: difference in differences")
    top, scale = 62, 1300  # y of confidence 1.00, pixels per unit

    def y_of(value):
        return top + (1.0 - value) * scale

    d.text(10, 22, "1. Gap to unseen examples of each model", weight="bold")
    for value in (1.00, 0.95, 0.90, 0.85):
        d.line(50, y_of(value), 345, y_of(value), LIGHT, 1)
        d.text(44, y_of(value) + 4, f"{value:.2f}", "end", GREY, 11)
    for x, name, forget, unseen, colour in ((100, "original", 1.00, 0.88, ORANGE), (195, "method", 0.94, 0.87, INK),
                                            (290, "retrained", 0.89, 0.88, GREEN)):
        d.line(x, y_of(forget), x, y_of(unseen), colour, 3)
        d.dot(x, y_of(forget), colour, colour)
        d.dot(x, y_of(unseen), "#ffffff", colour)
        d.text(x + 10, (y_of(forget) + y_of(unseen)) / 2 + 4, f"{forget - unseen:+.2f}", fill=colour)
        d.text(x, 286, name, "middle", colour, weight="bold")
    d.dot(60, 312, INK, INK)
    d.text(70, 316, "forget set", size=11, fill=GREY)
    d.dot(160, 312, "#ffffff", INK)
    d.text(170, 316, "unseen examples (test set)", size=11, fill=GREY)
    d.text(10, 42, "mean confidence in the correct answer", fill=GREY, size=11)

    d.text(385, 22, "2. Difference of the gaps", weight="bold")
    for y, words in ((48, "method − retrained:    0.07 − 0.01 = 0.06"), (70, "original − retrained:    0.12 − 0.01 = 0.11"),
                     (92, "share left:    0.06 / 0.11 = 55 %")):
        d.text(385, y, words)
    d.text(385, 138, "3. Compared with the declared margin", weight="bold")
    zero, one, y = 460, 660, 205
    d.box(zero - 50, y - 26, 100, 52, BAND, "none")
    d.line(395, y + 26, 705, y + 26, LIGHT, 1)
    d.line(zero, y - 26, zero, y + 26, GREEN, 1.5, "4 3")
    d.line(one, y - 26, one, y + 26, ORANGE, 1.5, "2 3")
    d.text(zero, y - 34, "retrained (0)", "middle", GREEN, 11)
    d.text(one, y - 34, "original (1)", "middle", ORANGE, 11)
    d.line(zero + 200 * 0.36, y, zero + 200 * 0.74, y, ORANGE, 2)
    d.dot(zero + 200 * 0.55, y, ORANGE, ORANGE)
    d.text(zero, y + 43, "margin ±25 %", "middle", GREY, 11)
    d.text(zero + 200 * 0.55, y + 43, "interval", "middle", GREY, 11)
    d.text(385, 286, "The interval excludes retrained and reaches beyond:", fill=INK)
    d.text(385, 306, "TRACES REMAIN", fill=ORANGE, weight="bold")
    return d.made()


def summary_plot():
    """How to read the summary plot; the values are invented."""
    d = Drawing(720, 348, "How to read the summary plot")
    zero, one = 380, 520  # x of retrained and original

    def x_of(share):
        return zero + share * (one - zero)

    d.box(x_of(-0.25), 52, x_of(0.25) - x_of(-0.25), 226, BAND, "none")
    d.line(zero, 48, zero, 282, GREEN, 1.5, "4 3")
    d.line(one, 48, one, 282, ORANGE, 1.5, "2 3")
    d.text(zero, 24, "retrained", "middle", GREEN, weight="bold")
    d.text(zero, 40, "forgotten (band: margin)", "middle", GREEN, 10)
    d.text(one, 24, "original", "middle", ORANGE, weight="bold")
    d.text(one + 12, 40, "nothing forgotten", "middle", ORANGE, 10)
    d.text(205, 40, "◀ over-forgotten", "start", PURPLE, 10)
    rows = [("finetune", "TRACES REMAIN", ORANGE, 0.95, 0.78, 1.12, "clear of retrained, to the right"),
            ("scrub", "FORGOTTEN", GREEN, 0.04, -0.14, 0.21, "whole interval inside the band"),
            ("ssd", "NOT DECIDED", GREY, 0.15, -0.35, 0.62, "includes retrained and more"),
            ("neggrad_plus", "OVER-FORGOTTEN", PURPLE, -0.75, -0.98, -0.52, "clear of retrained, to the left"),
            ("gradient_ascent", "OVER-FORGOTTEN", PURPLE, None, None, None, "−3.1: outside the plot")]
    for number, (name, word, colour, value, low, high, note) in enumerate(rows):
        y = 76 + 46 * number
        d.line(10, y + 23, 710, y + 23, LIGHT, 1)
        d.text(10, y - 2, name, weight="bold")
        d.text(10, y + 14, word, fill=colour, size=11, weight="bold")
        if value is None:
            d.arrow(240, 208, y + 2, colour)
        else:
            d.line(x_of(low), y + 2, x_of(high), y + 2, colour, 2)
            d.dot(x_of(value), y + 2, colour, colour)
        d.text(712, y + 6, note, "end", GREY, 11)
    d.text(10, 304, "mark: one primary test, (method − retrained) / (original − retrained); line: 95 % interval", fill=GREY, size=11)
    d.text(10, 322, "A mark inside the band is not enough: the whole interval must be inside. FORGOTTEN also needs kept utility.", size=11)
    d.text(10, 340, "Values in this drawing are invented.", fill=GREY, size=11)
    return d.made()


PICTURES = {"roles.svg": roles, "verdict.svg": verdict, "summary-plot.svg": summary_plot}


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    wrong = []
    for name, draw in PICTURES.items():
        path = os.path.join(folder, name)
        if "--check" in sys.argv:
            with open(path, encoding="utf-8") as file:
                wrong += [name] if file.read() != draw() else []
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(draw())
    if wrong:
        sys.exit(f"{', '.join(wrong)}: not what docs/pictures/make.py draws; run it")


if __name__ == "__main__":
    main()
