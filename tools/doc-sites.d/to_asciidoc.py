"""Renders pages as AsciiDoc."""

import os
import re

from model import Code, Definitions, Heading, Image, Items, Note, Paragraph, Table, inline, slug


class AsciiDoc:
    extension = ".adoc"
    kinds = {"danger": "CAUTION"}

    def __init__(self, site):
        self.site = site

    def page(self, page):
        header = f"= {self.text(page, page.title)}\n:toc: left\n:sectlinks:\n:sectanchors:\n:idprefix:\n:idseparator: -"
        return "\n\n".join([header, *self.blocks(page, page.blocks)]) + "\n"

    def blocks(self, page, blocks):
        return [self.block(page, block) for block in blocks]

    def block(self, page, block, depth=1):
        match block:
            case Heading():
                mark = f"[#{block.id}]\n" if block.id and block.id != slug(block.text) else ""
                text = self.text(page, block.text)
                return f"{mark}{'=' * block.level} {text if not block.target else self.link(page, block.target, text)}"
            case Paragraph():
                return (f"[#{block.id}]\n" if block.id else "") + self.text(page, block.text)
            case Code():
                return f"[source,{block.language}]\n----\n{block.text}\n----"
            case Items():
                return "\n".join(self.item(page, item, block.is_ordered, depth) for item in block.items)
            case Table():
                rows = [
                    "\n".join("|" + self.text(page, cell).replace("|", "{vbar}") for cell in row)
                    for row in [block.head, *block.rows]
                ]
                return (
                    f'[options="header",cols="{",".join("1" * len(block.head))}"]\n|===\n'
                    + "\n\n".join(rows)
                    + "\n|==="
                )
            case Definitions():
                return "\n".join(
                    f"{self.text(page, term)}:: {self.text(page, meaning)}" for term, meaning in block.entries
                )
            case Note():
                title = f".{block.title}\n" if block.title else ""
                body = "\n\n".join(self.blocks(page, block.blocks))
                return f"[{self.kinds.get(block.kind, block.kind.upper())}]\n{title}====\n{body}\n===="
            case Image():
                return f'image::{os.path.relpath(block.file, os.path.dirname(page.path) or ".")}["{block.alt}"]'
        raise TypeError(block)

    def item(self, page, item, is_ordered, depth):
        first, *rest = item
        lines = [("." if is_ordered else "*") * depth + " " + self.text(page, first.text)]
        for block in rest:
            lines += (
                [self.block(page, block, depth + 1)] if isinstance(block, Items) else ["+", self.block(page, block)]
            )
        return "\n".join(lines)

    def text(self, page, text):
        return "".join(self.part(page, part) for part in inline(text))

    def part(self, page, part):
        match part:
            case ("text", text):
                return text
            case ("code", text):
                return f"`+{text}+`"
            case ("strong", text):
                return f"*{text}*"
            case ("em", text):
                return f"_{text}_"
            case ("foot", name):
                return f"footnote:[{self.text(page, page.footnotes[name])}]"
            case ("link", children, target):
                return self.link(page, target, "".join(self.part(page, child) for child in children))
        raise ValueError(part)

    def link(self, page, target, text):
        internal = self.site.target(page, target)
        if internal is None:
            return f"{target}[{re.sub(']', '&#93;', text)}]"
        path, fragment = internal
        if path == page.path and fragment:
            return f"<<{fragment},{text}>>"
        return f"<<{os.path.relpath(path + self.extension, os.path.dirname(page.path) or '.')}#{fragment},{text}>>"
