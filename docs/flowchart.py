"""Flow charts of Mermaid as SVG, so that the site needs no network to draw them.

Only what `architecture.md` uses is read: nodes ``name["text"]`` and edges ``a --> b``, from top to
bottom. A node is one layer below the lowest node that points to it. An edge that crosses layers
gets a point in each of them, and layers are ordered by the mean position of neighbours.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from itertools import pairwise

from docutils import nodes
from docutils.parsers.rst import Directive

NODE = re.compile(r'(\w+)\["(.*?)"\]')
WIDTH, GAP, BEND, LINE, BETWEEN = 204, 18, 26, 16, 34  # of a box, between boxes, of a bend, …
LONGEST = 32  # characters of a line


class Flowchart(Directive):
    """The directive ``mermaid``."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the picture, which scrolls on narrow screens."""
        picture = svg("\n".join(self.content))
        picture = f'<div class="flowchart" tabindex="0">{picture}</div>'
        return [nodes.raw("", picture, format="html")]


def svg(text: str) -> str:
    """A flow chart as SVG."""
    labels = {name: wrapped(label) for name, label in NODE.findall(text)}
    edges = re.findall(r"(\w+) --> (\w+)", NODE.sub(r"\1", text))
    for name in (end for edge in edges for end in edge):
        labels.setdefault(name, [name])
    layers, chains = arranged(labels, edges)
    boxes, width, height = placed(layers, labels)
    drawn = [curve([boxes[each] for each in chain]) for chain in chains]
    drawn += [box(*boxes[name], label) for name, label in labels.items()]
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        'aria-label="Modules, and which of them build on which">'
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        f'orient="auto"><path d="M0 0 8 4 0 8z"/></marker>{"".join(drawn)}</svg>'
    )


def wrapped(label: str) -> list[str]:
    """Lines of a label; HTML breaks are line breaks, and long lines are divided."""
    lines = []
    for part in label.split("<br/>"):
        line = ""
        for word in part.split():
            if line and len(re.sub("<.*?>", "", f"{line} {word}")) > LONGEST:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        lines.append(line)
    return lines


def arranged(labels: dict, edges: list) -> tuple[list[list], list[list]]:
    """Names by layer, and the points of each edge; points between layers are tuples."""
    depth = dict.fromkeys(labels, 0)
    for _ in labels:
        for above, below in edges:
            depth[below] = max(depth[below], depth[above] + 1)
    chains = [
        [above, *((above, below, d) for d in range(depth[above] + 1, depth[below])), below]
        for above, below in edges
    ]
    layers = [[name for name in labels if depth[name] == d] for d in range(max(depth.values()) + 1)]
    neighbours = defaultdict(list)
    for chain in chains:
        for step, (first, second) in enumerate(pairwise(chain)):
            neighbours[first].append(second)
            neighbours[second].append(first)
            if isinstance(second, tuple):
                layers[depth[chain[0]] + step + 1].append(second)
    for turn in range(24):
        for layer in layers if turn % 2 == 0 else layers[::-1]:
            place = {each: i / len(row) for row in layers for i, each in enumerate(row)}
            layer.sort(
                key=lambda each: sum(place[n] for n in neighbours[each]) / len(neighbours[each])
            )
    return layers, chains


def placed(layers: list[list], labels: dict) -> tuple[dict, int, int]:
    """Centre, top, width and height of all points, and the size of the picture."""
    sizes = [
        sum(WIDTH if each in labels else BEND for each in row) + GAP * len(row) for row in layers
    ]
    boxes, top, total = {}, 4, max(sizes) + 8
    for row, size in zip(layers, sizes, strict=True):
        height = max(LINE * len(labels[each]) + 16 for each in row if each in labels)
        stretch = (total - size) / (len(row) + 1)
        left = stretch
        for each in row:
            wide = WIDTH if each in labels else BEND
            tall = LINE * len(labels[each]) + 16 if each in labels else height
            boxes[each] = (round(left + wide / 2 + GAP / 2), top + (height - tall) // 2, wide, tall)
            left += wide + GAP + stretch
        top += height + BETWEEN
    return boxes, total, top


def curve(points: list[tuple]) -> str:
    """A curve from the bottom of the first box to the top of the last one."""
    x, top, _, tall = points[0]
    path = f"M{x} {top + tall}"
    for nx, ntop, wide, ntall in points[1:]:
        y = top + tall
        path += f"C{x} {y + BETWEEN / 2:.0f} {nx} {ntop - BETWEEN / 2:.0f} {nx} {ntop}"
        if wide == BEND:
            path += f"V{ntop + ntall}"
        x, top, tall = nx, ntop, ntall
    return f'<path class="edge" d="{path}" marker-end="url(#head)"/>'


def box(x: int, top: int, wide: int, tall: int, lines: list[str]) -> str:
    """A box with lines of text; bold text has tags <b>."""
    rows = "".join(
        f'<text x="{x}" y="{top + 8 + LINE * (i + 0.75):.0f}"'
        f"{' class=name' if '<b>' in line else ''}>{html.escape(re.sub('<.*?>', '', line))}</text>"
        for i, line in enumerate(lines)
    )
    return f'<rect x="{x - wide // 2}" y="{top}" width="{wide}" height="{tall}" rx="5"/>{rows}'
