"""Renders the site as one Texinfo file: a node for each page."""

import re

from model import Code, Definitions, Heading, Image, Items, Note, Paragraph, Subpages, Table, heading_id, inline


def node(path, fragment=""):
    name = "Top" if path == "index" else path.removesuffix("/index")
    return re.sub(r"[^A-Za-z0-9]+", " ", f"{name} {fragment}").strip()


class Texinfo:
    headings = {2: "@subheading", 3: "@subsubheading"}

    def __init__(self, site):
        self.site = site

    def book(self):
        first = self.site.by_path["index"]
        menu = "\n".join(f"* {opener.title}: {node(opener.path)}." for opener, _ in self.site.chapters())
        parts = [
            "\\input texinfo",
            "@setfilename tidepool.info",
            f"@settitle {self.site.name} manual",
            "@documentencoding UTF-8",
            "@codequoteundirected on",
        ]
        parts += [f"@node Top\n@top {first.title}", self.blocks(first, first.blocks), f"@menu\n{menu}\n@end menu"]
        for opener, pages in self.site.chapters():
            parts += [f"@node {node(opener.path)}\n@unnumbered {opener.title}", self.blocks(opener, opener.blocks)]
            for page in pages:
                parts += [
                    f"@node {node(page.path)}\n@unnumberedsec {self.text(page, page.title)}",
                    self.blocks(page, page.blocks),
                ]
        return "\n\n".join([*parts, "@bye"]) + "\n"

    def blocks(self, page, blocks):
        return "\n\n".join(self.block(page, block) for block in blocks)

    def block(self, page, block):
        match block:
            case Heading():
                text = self.text(page, block.text)
                if block.target:
                    text = self.link(page, block.target, text)
                return f"@anchor{{{node(page.path, heading_id(block))}}}\n{self.headings[block.level]} {text}"
            case Paragraph():
                return (f"@anchor{{{node(page.path, block.id)}}}\n" if block.id else "") + self.text(page, block.text)
            case Code():
                return f"@example {block.language}\n{escape(block.text)}\n@end example"
            case Items():
                command = "@enumerate" if block.is_ordered else "@itemize @bullet"
                items = "\n".join(f"@item\n{self.blocks(page, item)}\n" for item in block.items)
                return f"{command}\n{items}@end {command.split()[0][1:]}"
            case Table():
                rows = [" @tab ".join(self.text(page, cell) for cell in row) for row in [block.head, *block.rows]]
                widths = " ".join([f"{1 / len(block.head):.2f}"] * len(block.head))
                return (
                    f"@multitable @columnfractions {widths}\n@headitem {rows[0]}\n"
                    + "\n".join(f"@item {row}" for row in rows[1:])
                    + "\n@end multitable"
                )
            case Definitions():
                entries = "\n".join(
                    f"@item {self.text(page, term)}\n{self.text(page, meaning)}\n" for term, meaning in block.entries
                )
                return f"@table @asis\n{entries}@end table"
            case Note():
                return f"@quotation {block.title or block.kind.capitalize()}\n{self.blocks(page, block.blocks)}\n@end quotation"
            case Image():
                return f"@image{{{block.file.rpartition('.')[0]},,,{escape(block.alt).replace(',', '@comma{}')},.png}}"
            case Subpages():
                entries = "\n".join(
                    f"* {self.text(sub, sub.title)}: {node(sub.path)}." for sub in self.site.subpages(page)
                )
                return f"@menu\n{entries}\n@end menu"
        raise TypeError(block)

    def text(self, page, text):
        return "".join(self.part(page, part) for part in inline(text))

    def part(self, page, part):
        match part:
            case ("text", text):
                return escape(text)
            case ("code", text):
                return f"@code{{{escape(text)}}}"
            case ("strong", text):
                return f"@strong{{{escape(text)}}}"
            case ("em", text):
                return f"@emph{{{escape(text)}}}"
            case ("foot", name):
                return f"@footnote{{{self.text(page, page.footnotes[name])}}}"
            case ("link", children, target):
                return self.link(page, target, "".join(self.part(page, child) for child in children))
        raise ValueError(part)

    def link(self, page, target, text):
        text = text.replace(",", "@comma{}")
        internal = self.site.target(page, target)
        if internal is None:
            return f"@uref{{{escape(target)},{text}}}"
        return f"@ref{{{node(*internal)},,{text}}}"


def escape(text):
    return re.sub(r"([@{}])", r"@\1", text)
