"""Renders pages as reStructuredText for Sphinx."""

import re

from to_markdown import indent
from model import (
    Cards,
    Code,
    Contents,
    Definitions,
    Function,
    Heading,
    Image,
    Items,
    Note,
    Paragraph,
    Subpages,
    Table,
    heading_id,
    inline,
    plain,
    signature,
)


class ReStructuredText:
    extension = ".rst"
    underlines = "=-~^"
    languages = {"dockerfile": "docker", "markdown": "text"}

    def __init__(self, site):
        self.site = site

    def page(self, page):
        title = plain(page.title)
        parts = [f".. _{label(page.path, '')}:", f"{title}\n{'=' * len(title)}", *self.blocks(page, page.blocks)]
        if page.path == "index":
            parts.append(self.toctree([chapter.path for chapter, _ in self.site.chapters()], hidden=True))
        if page.footnotes:
            parts.append("\n".join(f".. [#{name}] {self.text(page, text)}" for name, text in page.footnotes.items()))
        return "\n\n".join(parts) + "\n"

    def toctree(self, paths, hidden=False):
        options = "   :hidden:\n" if hidden else "   :maxdepth: 1\n"
        return f".. toctree::\n{options}\n" + "\n".join(f"   /{path}" for path in paths)

    def blocks(self, page, blocks):
        return [self.block(page, block) for block in blocks]

    def block(self, page, block):
        match block:
            case Heading():
                text = "".join(self.part(page, part) for part in inline(block.text))
                return f".. _{label(page.path, heading_id(block))}:\n\n{text}\n{self.underlines[block.level - 1] * len(text)}"
            case Paragraph():
                target = f".. _{label(page.path, block.id)}:\n\n" if block.id else ""
                return target + self.text(page, block.text)
            case Code():
                return (
                    f".. code-block:: {self.languages.get(block.language, block.language)}\n\n{indent(block.text, 3)}"
                )
            case Items():
                mark = "#. " if block.is_ordered else "*  "
                return "\n\n".join(
                    mark + indent("\n\n".join(self.blocks(page, item)), 3).lstrip() for item in block.items
                )
            case Table():
                rows = [block.head, *block.rows]
                cells = [
                    "\n".join(
                        ("   * - " if not index else "     - ") + self.text(page, cell)
                        for index, cell in enumerate(row)
                    )
                    for row in rows
                ]
                return ".. list-table::\n   :header-rows: 1\n\n" + "\n".join(cells)
            case Definitions():
                return "\n\n".join(
                    f"{self.text(page, term)}\n   {self.text(page, meaning)}" for term, meaning in block.entries
                )
            case Note():
                body = indent("\n\n".join(self.blocks(page, block.blocks)), 3)
                return f".. admonition:: {block.title}\n\n{body}" if block.title else f".. {block.kind}::\n\n{body}"
            case Cards():
                cards = "\n\n".join(
                    f"   .. grid-item-card:: {title}\n      :link: /{target[1:]}\n      :link-type: doc\n\n      {self.text(page, text)}"
                    for title, target, text in block.cards
                )
                return f".. grid:: 2\n\n{cards}"
            case Image():
                return f".. image:: /{block.file}\n   :alt: {block.alt}"
            case Contents():
                return ".. contents::\n   :local:"
            case Subpages():
                return self.toctree([sub.path for sub in self.site.subpages(page)])
            case Function():
                fields = [f":param {name}: {self.text(page, text)}" for name, _, _, text in block.parameters]
                fields += [f":returns: {self.text(page, block.result)}"] if block.result else []
                body = self.text(page, block.text) + ("\n\n" + "\n".join(fields) if fields else "")
                return f".. py:method:: {signature(block)}\n\n{indent(body, 3)}"
        raise TypeError(block)

    def text(self, page, text):
        return "".join(self.part(page, part) for part in inline(text))

    def part(self, page, part):
        match part:
            case ("text", text):
                return re.sub(r"([\\*`|_])", r"\\\1", text)
            case ("code", text):
                return f"``{text}``"
            case ("strong", text):
                return f"**{text}**"
            case ("em", text):
                return f"*{text}*"
            case ("foot", name):
                return rf"\ [#{name}]_"
            case ("link", children, target):
                # Markup does not nest.
                internal = self.site.target(page, target)
                text = plain(children)
                if internal is None:
                    return f"`{text} <{target}>`__"
                path, fragment = internal
                return f":ref:`{text} <{label(path, fragment)}>`" if fragment else f":doc:`{text} </{path}>`"
        raise ValueError(part)


def label(path, fragment):
    return re.sub(r"[^a-z0-9]+", "-", f"{path}-{fragment}").strip("-")
