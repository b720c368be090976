"""Renders the site as one DocBook file: chapters of the model are parts, pages are chapters."""

from html import escape

from model import (
    Code,
    Contents,
    Definitions,
    Heading,
    Image,
    Items,
    Note,
    Paragraph,
    Subpages,
    Table,
    heading_id,
    inline,
)


def page_id(path):
    return "welcome" if path == "index" else path.removesuffix("/index").replace("/", "-")


class DocBook:
    kinds = {"danger": "caution"}

    def __init__(self, site):
        self.site = site

    def book(self):
        first = self.site.by_path["index"]
        parts = [f'<preface id="welcome"><title>{escape(first.title)}</title>{self.body(first)}</preface>']
        for opener, pages in self.site.chapters():
            intro = self.body(opener)
            parts.append(f'<part id="{page_id(opener.path)}"><title>{escape(opener.title)}</title>')
            parts.append(f"<partintro>{intro}</partintro>" if intro else "")
            parts += [
                f'<chapter id="{page_id(page.path)}"><title>{self.text(page, page.title)}</title>{self.body(page)}</chapter>'
                for page in pages
            ]
            parts.append("</part>")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<book lang="en"><title>{self.site.name} manual</title>{"".join(parts)}</book>\n'

    def body(self, page):
        text, levels = "", []
        for block in page.blocks:
            if isinstance(block, Heading):
                while levels and levels[-1] >= block.level:
                    text += "</section>"
                    levels.pop()
                title = self.text(page, block.text)
                if block.target:
                    title = self.link(page, block.target, title)
                text += f'<section id="{page_id(page.path)}-{heading_id(block)}"><title>{title}</title>'
                levels.append(block.level)
            else:
                text += self.block(page, block)
        return text + "</section>" * len(levels)

    def block(self, page, block):
        match block:
            case Paragraph():
                mark = f' id="{page_id(page.path)}-{block.id}"' if block.id else ""
                return f"<para{mark}>{self.text(page, block.text)}</para>\n"
            case Code():
                return f'<programlisting language="{block.language}">{escape(block.text)}</programlisting>\n'
            case Items():
                tag = "orderedlist" if block.is_ordered else "itemizedlist"
                items = "".join(f"<listitem>{self.blocks(page, item)}</listitem>" for item in block.items)
                return f"<{tag}>{items}</{tag}>\n"
            case Table():
                head, *rows = [
                    "<row>" + "".join(f"<entry>{self.text(page, cell)}</entry>" for cell in row) + "</row>"
                    for row in [block.head, *block.rows]
                ]
                return f'<informaltable><tgroup cols="{len(block.head)}"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></tgroup></informaltable>\n'
            case Definitions():
                entries = "".join(
                    f"<varlistentry><term>{self.text(page, term)}</term><listitem><para>{self.text(page, meaning)}</para></listitem></varlistentry>"
                    for term, meaning in block.entries
                )
                return f"<variablelist>{entries}</variablelist>\n"
            case Note():
                tag = self.kinds.get(block.kind, block.kind)
                title = f"<title>{escape(block.title)}</title>" if block.title else ""
                return f"<{tag}>{title}{self.blocks(page, block.blocks)}</{tag}>\n"
            case Image():
                return f'<mediaobject><imageobject><imagedata fileref="{block.file}"/></imageobject><textobject><phrase>{escape(block.alt)}</phrase></textobject></mediaobject>\n'
            case Subpages() | Contents():
                return ""
        raise TypeError(block)

    def blocks(self, page, blocks):
        return "".join(self.block(page, block) for block in blocks)

    def text(self, page, text):
        return "".join(self.part(page, part) for part in inline(text))

    def part(self, page, part):
        match part:
            case ("text", text):
                return escape(text)
            case ("code", text):
                return f"<literal>{escape(text)}</literal>"
            case ("strong", text):
                return f'<emphasis role="strong">{escape(text)}</emphasis>'
            case ("em", text):
                return f"<emphasis>{escape(text)}</emphasis>"
            case ("foot", name):
                return f"<footnote><para>{self.text(page, page.footnotes[name])}</para></footnote>"
            case ("link", children, target):
                return self.link(page, target, "".join(self.part(page, child) for child in children))
        raise ValueError(part)

    def link(self, page, target, text):
        internal = self.site.target(page, target)
        if internal is None:
            return f'<ulink url="{escape(target)}">{text}</ulink>'
        path, fragment = internal
        return f'<link linkend="{page_id(path)}{"-" + fragment if fragment else ""}">{text}</link>'
