"""Figures of an audit by matplotlib, for papers."""

from __future__ import annotations

_NAMES = ("summary", "gaps")


def names(audit):
    """Figures that this audit has."""
    if not audit.verdicts:
        return []
    return [name for name in _NAMES if name != "gaps" or _gap_rows(audit)]


def figure(audit, name, options):
    """A matplotlib ``Figure``."""
    if name not in names(audit):
        raise ValueError(f"there is no figure '{name}': this audit has {', '.join(names(audit)) or 'none'}; audit.plot(name) draws "
                         "the other plots with Altair")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("audit.figure needs matplotlib: install it with 'pip install matplotlib', or use "
                          "audit.plot, which needs Altair") from None
    lines = len(audit.verdicts) if name == "summary" else len(_gap_rows(audit))
    made = Figure(**{"figsize": (5, 0.6 + 0.4 * max(2, lines)), "layout": "constrained", **options})
    axes = made.add_subplot()
    {"summary": _shares, "gaps": _gaps}[name](audit, axes)
    return made


def _shares(audit, axes):
    """Share left with its interval; 0 is retrained, 1 the original."""
    methods = [verdict.method for verdict in audit.verdicts]
    for place, verdict in enumerate(audit.verdicts):
        lower, upper = verdict.share_interval
        axes.plot([lower, upper], [place, place], color="black", linewidth=1)
        axes.plot([verdict.share_left], [place], "o", color="black")
    for place, label in ((0, "retrained"), (1, "original")):
        axes.axvline(place, color="grey", linestyle=":")
        axes.annotate(label, (place, 1), xycoords=("data", "axes fraction"), ha="center", va="bottom", fontsize="small")
    axes.margins(y=0.15)
    axes.set_yticks(range(len(methods)), methods)
    axes.invert_yaxis()
    axes.set_xlabel("share left (95 % interval)")


def _gap_rows(audit):
    rows = [row for row in audit.results["results"] if row["metric"].startswith("holdout_gap.")
            and row["value"] is not None]
    return [row for row in rows if row["metric"] == rows[0]["metric"]]


def _gaps(audit, axes):
    """Gaps to unseen examples of every group of models."""
    rows = _gap_rows(audit)
    labels = [row["subject"]["method"] or row["subject"]["role"] for row in rows]
    for place, row in enumerate(rows):
        if row["lower"] is not None:
            axes.plot([row["lower"], row["upper"]], [place, place], color="black", linewidth=1)
        axes.plot([row["value"]], [place], "o", color="black")
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.set_xlabel(rows[0]["metric"] if rows else "holdout_gap")
