"""Renders pages as Markdown, in the flavour of each generator."""

import json
import os
import re

from model import (
    Cards,
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
    inline,
    plain,
    slug,
)


class Markdown:
    extension = ".md"
    escaped = r"([\\`*_\[\]<])"

    def __init__(self, site):
        self.site = site

    def page(self, page):
        parts = [self.front_matter(page), self.title(page), *self.blocks(page, page.blocks)]
        parts += [self.footnote(page, name, text) for name, text in page.footnotes.items()]
        return "\n\n".join(part for part in parts if part) + "\n"

    def front_matter(self, page):
        return ""

    def title(self, page):
        return f"# {self.text(page, page.title)}"

    def footnote(self, page, name, text):
        return f"[^{name}]: {self.text(page, text)}"

    def blocks(self, page, blocks):
        return [self.block(page, block) for block in blocks]

    def block(self, page, block):
        match block:
            case Heading():
                return self.heading(page, block)
            case Paragraph():
                return self.paragraph(page, block)
            case Code():
                return self.code(block)
            case Items():
                return self.items(page, block)
            case Table():
                return self.table(page, block)
            case Definitions():
                return "\n\n".join(
                    f"{self.text(page, term)}\n:   {self.text(page, meaning)}" for term, meaning in block.entries
                )
            case Note():
                return self.note(page, block)
            case Cards():
                return self.cards(page, block)
            case Image():
                return f"![{block.alt}]({self.image_path(page, block.file)})"
            case Subpages():
                return self.subpages(page)
            case Contents():
                return self.contents(page)
        raise TypeError(block)

    def heading(self, page, heading):
        text = self.text(page, heading.text)
        if heading.target:
            text = f"[{text}]({self.link(page, heading.target)})"
        mark = self.heading_mark(heading)
        return f"{'#' * heading.level} {text}{mark}"

    def heading_mark(self, heading):
        return f" {{#{heading.id}}}" if heading.id and heading.id != slug(heading.text) else ""

    def paragraph(self, page, block):
        text = self.text(page, block.text)
        return f'<a id="{block.id}"></a>{text}' if block.id else text

    def code(self, block):
        longest = max((len(ticks) for ticks in re.findall(r"`{3,}", block.text)), default=2)
        fence = "`" * (longest + 1)
        return f"{fence}{self.info(block)}\n{self.code_text(block)}\n{fence}"

    def info(self, block):
        return block.language

    def code_text(self, block):
        return block.text

    def items(self, page, block):
        lines, is_loose = [], any(not isinstance(inner, (Paragraph, Items)) for item in block.items for inner in item)
        for number, item in enumerate(block.items, 1):
            mark = f"{number}.".ljust(4) if block.is_ordered else "-   "
            tight = "\n" if not is_loose and all(isinstance(inner, Items) for inner in item[1:]) else "\n\n"
            body = tight.join(self.blocks(page, item))
            lines.append(mark + indent(body, 4).lstrip())
        return ("\n\n" if is_loose else "\n").join(lines)

    def table(self, page, block):
        rows = [[self.text(page, cell).replace("|", r"\|") for cell in row] for row in [block.head, *block.rows]]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([lines[0], "|" + " --- |" * len(block.head), *lines[1:]])

    def note(self, page, block):
        raise NotImplementedError

    def cards(self, page, block):
        raise NotImplementedError

    def subpages(self, page):
        raise NotImplementedError

    def contents(self, page):
        raise NotImplementedError

    def image_path(self, page, file):
        return os.path.relpath(file, os.path.dirname(page.path) or ".")

    def text(self, page, text):
        return "".join(self.part(page, part) for part in inline(text))

    def part(self, page, part):
        match part:
            case ("text", text):
                return self.escape(text)
            case ("code", text):
                ticks = "``" if "`" in text else "`"
                return f"{ticks}{text}{ticks}"
            case ("strong", text):
                return f"**{self.escape(text)}**"
            case ("em", text):
                return f"*{self.escape(text)}*"
            case ("foot", name):
                return f"[^{name}]"
            case ("link", children, target):
                return f"[{''.join(self.part(page, child) for child in children)}]({self.link(page, target)})"
        raise ValueError(part)

    def escape(self, text):
        return re.sub(self.escaped, r"\\\1", text)

    def link(self, page, target):
        internal = self.site.target(page, target)
        if internal is None:
            return target
        path, fragment = internal
        anchor = f"#{self.fragment(path, fragment)}" if fragment else ""
        return anchor if path == page.path and anchor else self.path(page, path) + anchor

    def fragment(self, path, fragment):
        return fragment

    def path(self, page, path):
        return os.path.relpath(path + self.extension, os.path.dirname(page.path) or ".")


def indent(text, columns):
    return "\n".join(" " * columns + line if line else line for line in text.split("\n"))


class MkDocs(Markdown):
    # Material names most kinds as we do.
    kinds = {"caution": "warning", "important": "info"}

    def heading_mark(self, heading):
        return f" {{ #{heading.id} }}" if heading.id and heading.id != slug(heading.text) else ""

    def paragraph(self, page, block):
        text = self.text(page, block.text)
        return f"{text}\n{{ #{block.id} }}" if block.id else text

    def note(self, page, block):
        title = block.title or block.kind.capitalize()
        body = "\n\n".join(self.blocks(page, block.blocks))
        return f'!!! {self.kinds.get(block.kind, block.kind)} "{title}"\n\n{indent(body, 4)}'

    def cards(self, page, block):
        cards = [
            f"-   [{title}]({self.link(page, target)})\n\n    ---\n\n    {self.text(page, text)}"
            for title, target, text in block.cards
        ]
        return '<div class="grid cards" markdown>\n\n' + "\n\n".join(cards) + "\n\n</div>"


class MdBook(Markdown):
    kinds = {"danger": "CAUTION"}

    def note(self, page, block):
        body = "\n\n".join(self.blocks(page, block.blocks))
        return "\n".join(
            f"> {line}".rstrip() for line in [f"[!{self.kinds.get(block.kind, block.kind.upper())}]", *body.split("\n")]
        )

    def info(self, block):
        return f"{block.language},no_run" if block.hidden else block.language

    def code_text(self, block):
        hidden = "".join(f"# {line}\n" for line in block.hidden.split("\n")) if block.hidden else ""
        return hidden + block.text


class Docusaurus(Markdown):
    extension = ".mdx"
    escaped = r"([\\`*_\[\]<{}])"
    kinds = {"caution": "warning", "important": "info"}

    def front_matter(self, page):
        title = json.dumps(plain(page.title))
        slug = "\nslug: /" if page.path == "index" else ""
        uses_cards = any(isinstance(block, Subpages) for block in page.blocks)
        imports = "\n\nimport DocCardList from '@theme/DocCardList';" if uses_cards else ""
        return f"---\ntitle: {title}{slug}\n---{imports}"

    def paragraph(self, page, block):
        text = self.text(page, block.text)
        return f'<span id="{block.id}">{text}</span>' if block.id else text

    def note(self, page, block):
        body = "\n\n".join(self.blocks(page, block.blocks))
        title = f"[{block.title}]" if block.title else ""
        return f":::{self.kinds.get(block.kind, block.kind)}{title}\n\n{body}\n\n:::"

    def cards(self, page, block):
        cards = [
            f'  <div className="col col--6 margin-bottom--lg">\n    <a className="card padding--lg" href="{self.site_path(target)}">\n'
            f'      <h2 className="text--truncate">{title}</h2>\n      <p>{self.text(page, text)}</p>\n    </a>\n  </div>'
            for title, target, text in block.cards
        ]
        return '<section className="row">\n' + "\n".join(cards) + "\n</section>"

    def site_path(self, target):
        return "/" + target[1:].removesuffix("index")

    def subpages(self, page):
        return "<DocCardList />"

    def image_path(self, page, file):
        return f"/{file}"


class VitePress(Markdown):
    kinds = {"note": "info", "important": "info", "caution": "warning"}

    def front_matter(self, page):
        if page.path != "index":
            return ""
        (cards,) = [block for block in page.blocks if isinstance(block, Cards)]
        features = [
            {"title": title, "details": plain(text), "link": "/" + target[1:].removesuffix("index")}
            for title, target, text in cards.cards
        ]
        hero = {"name": plain(page.title), "tagline": plain(page.blocks[0].text)}
        return (
            "---\n"
            + "\n".join(
                f"{key}: {json.dumps(value)}"
                for key, value in {"layout": "home", "hero": hero, "features": features}.items()
            )
            + "\n---"
        )

    def title(self, page):
        return super().title(page) if page.path != "index" else ""

    def blocks(self, page, blocks):
        # The hero shows the first paragraph and the cards.
        return super().blocks(page, blocks[2:] if page.path == "index" else blocks)

    def part(self, page, part):
        # Braces would be expressions.
        return f"<code v-pre>{part[1]}</code>" if part[0] == "code" and "{{" in part[1] else super().part(page, part)

    def note(self, page, block):
        body = "\n\n".join(self.blocks(page, block.blocks))
        title = block.title or block.kind.capitalize()
        return f"::: {self.kinds.get(block.kind, block.kind)} {title}\n\n{body}\n\n:::"

    def image_path(self, page, file):
        return f"/{file}"
