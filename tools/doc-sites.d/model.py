"""The neutral model of a documentation page, and the truth that is computed from it.

Text of blocks is a small markup of our own, read by `inline`: `code`, *emphasis*, **strong**, [text](target), [^footnote].
A target starts with `@` if it is a page of the model: `@guide/retries#backoff`, or `@#backoff` on the same page.
"""

import re
import unicodedata
from dataclasses import dataclass, field, replace


@dataclass
class Heading:
    level: int
    text: str
    id: str = ""
    # A link around the heading, as in a FAQ that links back to its table of contents.
    target: str = ""


@dataclass
class Paragraph:
    text: str
    # An id that is not that of a heading.
    id: str = ""


@dataclass
class Code:
    language: str
    text: str
    # Lines of Rust that the generator hides; written as `# line` in mdBook and rustdoc.
    hidden: str = ""


@dataclass
class Items:
    # An item is a list of blocks and starts with a paragraph.
    items: list
    is_ordered: bool = False


@dataclass
class Table:
    head: list
    rows: list


@dataclass
class Definitions:
    entries: list


@dataclass
class Note:
    kind: str
    blocks: list
    title: str = ""


@dataclass
class Cards:
    # (title, target, text)
    cards: list


@dataclass
class Image:
    file: str
    alt: str


@dataclass
class Contents:
    """A table of contents of the page's own second-level headings."""


@dataclass
class Subpages:
    """Links to the pages of the chapter."""


@dataclass
class Function:
    name: str
    # (name, type, default, description)
    parameters: list
    returns: str
    text: str
    result: str = ""


@dataclass
class Page:
    path: str
    title: str
    blocks: list
    footnotes: dict = field(default_factory=dict)

    @property
    def chapter(self):
        return self.path.partition("/")[0] if "/" in self.path else ""

    @property
    def name(self):
        return self.path.rpartition("/")[2]

    @property
    def is_opener(self):
        return self.name == "index"


def items(*texts, ordered=False):
    """A list whose items are texts or lists of blocks."""
    blocks = [item if isinstance(item, list) else [item] for item in texts]
    return Items([[Paragraph(b) if isinstance(b, str) else b for b in item] for item in blocks], ordered)


def note(kind, *blocks, title=""):
    return Note(kind, [Paragraph(block) if isinstance(block, str) else block for block in blocks], title)


KINDS = "note tip info important attention remarks warning caution danger".split()
INLINE = re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)(?!`)"
    r"|\*\*(?P<strong>[^*]+)\*\*"
    r"|\*(?P<em>[^*]+)\*"
    r"|\[\^(?P<foot>\w+)\]"
    r"|\[(?P<label>(?:`[^`]*`|[^\]`])+)\]\((?P<target>[^)\s]+)\)"
)


def inline(text):
    """Parses text into tuples: (text, s), (code, s), (strong, s), (em, s), (foot, name), (link, children, target)."""
    parts, at = [], 0
    for match in INLINE.finditer(text):
        if match.start() > at:
            parts.append(("text", text[at : match.start()]))
        at = match.end()
        if match["code"] is not None:
            code = match["code"]
            parts.append(("code", code.strip() if len(match["ticks"]) > 1 else code))
        elif match["strong"] is not None:
            parts.append(("strong", match["strong"]))
        elif match["em"] is not None:
            parts.append(("em", match["em"]))
        elif match["foot"] is not None:
            parts.append(("foot", match["foot"]))
        else:
            parts.append(("link", inline(match["label"]), match["target"]))
    if at < len(text):
        parts.append(("text", text[at:]))
    return parts


def plain(parts):
    """The visible text of inline parts, without footnote marks."""
    if isinstance(parts, str):
        parts = inline(parts)
    text = ""
    for part in parts:
        if part[0] == "link":
            text += plain(part[1])
        elif part[0] != "foot":
            text += part[1]
    return text


def words(text):
    return re.findall(r"\w+", unicodedata.normalize("NFC", text))


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", plain(text).lower()).strip("-")


class Site:
    """The pages, with ids resolved, as one generator can express them."""

    def __init__(self, name, pages):
        self.name = name
        self.pages = pages
        self.by_path = {page.path: page for page in pages}

    def chapters(self):
        """(opener, pages) of every chapter, in order."""
        return [(page, self.subpages(page)) for page in self.pages if page.is_opener and page.chapter]

    def subpages(self, opener):
        return [page for page in self.pages if page.chapter == opener.chapter and page is not opener]

    def target(self, page, target):
        """(path, id) of a link within the site, or None if it is external."""
        if not target.startswith("@"):
            return None
        path, _, fragment = target[1:].partition("#")
        path = path or page.path
        if path not in self.by_path:
            raise ValueError(f"{page.path} links to the unknown page {path}")
        if fragment and fragment not in ids(self.by_path[path]):
            raise ValueError(f"{page.path} links to the unknown id {fragment} of {path}")
        return path, fragment


def walk(blocks):
    for block in blocks:
        yield block
        if isinstance(block, Items):
            for item in block.items:
                yield from walk(item)
        elif isinstance(block, Note):
            yield from walk(block.blocks)


def ids(page):
    return {
        heading_id(block) if isinstance(block, Heading) else block.id
        for block in walk(page.blocks)
        if hasattr(block, "id")
    }


def heading_id(heading):
    return heading.id or slug(heading.text)


def questions(page):
    return [block for block in page.blocks if isinstance(block, Heading) and block.level == 2]


@dataclass
class Abilities:
    """What a generator can express. Other blocks are replaced by what its authors would write instead."""

    definitions: bool = True
    footnotes: bool = True
    notes: bool = True
    cards: bool = True
    images: bool = True
    functions: bool = False
    # `contents` is written by the generator, and headings link back to it.
    contents: bool = False
    # The generator writes the links to subpages: as a "list", as "cards" or as "links" of its own form.
    subpages: str = ""
    # Pages start with a list of their own headings; keeping it is a matter of taste.
    page_contents: bool = False
    hidden_lines: bool = False
    note_titles: bool = True
    paragraph_ids: bool = True


def lower(site, abilities):
    """The same site with the blocks a generator lacks replaced."""
    return Site(site.name, [lower_page(site, page, abilities) for page in site.pages])


def lower_page(site, page, abilities):
    footnotes = dict(page.footnotes)

    def text(value):
        if abilities.footnotes:
            return value
        return re.sub(r"\[\^(\w+)\]", lambda match: f" ({footnotes[match[1]]})", value)

    def blocks(values):
        return [lowered for block in values for lowered in lower_block(block)]

    def lower_block(block):
        match block:
            case Heading():
                return [replace(block, text=text(block.text))]
            case Paragraph():
                return [replace(block, text=text(block.text), id=block.id if abilities.paragraph_ids else "")]
            case Code():
                return [block if abilities.hidden_lines else replace(block, hidden="")]
            case Items():
                return [replace(block, items=[blocks(item) for item in block.items])]
            case Table():
                return [Table(block.head, [[text(cell) for cell in row] for row in block.rows])]
            case Definitions() if not abilities.definitions:
                entries = [
                    f"**{term}**: {text(meaning)}" if "`" not in term else f"{term}: {text(meaning)}"
                    for term, meaning in block.entries
                ]
                return [items(*entries)]
            case Definitions():
                return [Definitions([(term, text(meaning)) for term, meaning in block.entries])]
            case Note() if not abilities.notes:
                first, *rest = blocks(block.blocks)
                label = block.title or block.kind.capitalize()
                return [Paragraph(f"**{label}:** {first.text}"), *rest]
            case Note():
                return [Note(block.kind, blocks(block.blocks), block.title if abilities.note_titles else "")]
            case Cards() if not abilities.cards:
                return [items(*[f"[{title}]({target}): {text}" for title, target, text in block.cards])]
            case Image() if not abilities.images:
                return []
            case Contents() if not abilities.contents:
                return [
                    Paragraph("Questions on this page:", "contents"),
                    items(*[f"[{plain(q.text)}](@#{heading_id(q)})" for q in questions(page)]),
                ]
            case Subpages() if not abilities.subpages:
                subpages = Site.subpages(site, page)
                return [items(*[f"[{plain(sub.title)}](@{sub.path})" for sub in subpages])]
            case Function() if not abilities.functions:
                return function_blocks(block)
        return [block]

    lowered = blocks(page.blocks)
    if not abilities.contents and any(isinstance(block, Contents) for block in page.blocks):
        # The headings of such a page lead back to the list.
        lowered = [
            replace(block, target="@#contents") if isinstance(block, Heading) and block.level == 2 else block
            for block in lowered
        ]
    return Page(page.path, page.title, lowered, footnotes if abilities.footnotes else {})


def signature(function):
    arguments = [
        f"{name}: {kind}" + (f" = {default}" if default else "") for name, kind, default, _ in function.parameters
    ]
    return f"{function.name}({', '.join(arguments)}) -> {function.returns}"


def function_blocks(function):
    entries = [f"`{name}`: {text}" for name, _, _, text in function.parameters]
    blocks = [Heading(3, f"`{function.name}`"), Code("python", signature(function)), Paragraph(function.text)]
    if entries:
        blocks.append(items(*entries))
    if function.result:
        blocks.append(Paragraph(f"Returns {function.result}"))
    return blocks


class Truth:
    """What a page contains: filled block by block."""

    def __init__(self, site, page, resolve, abilities):
        self.site, self.page, self.resolve, self.abilities = site, page, resolve, abilities
        self.words, self.optional = [], []
        self.headings, self.code, self.tables, self.items, self.links = [], [], [], [], []
        self.definitions, self.notes, self.images = [], [], []

    def json(self):
        return {
            "title": plain(self.page.title),
            "words": self.words,
            "optional": self.optional,
            "headings": self.headings,
            "code": self.code,
            "tables": self.tables,
            "items": self.items,
            "definitions": self.definitions,
            "links": self.links,
            "admonitions": self.notes,
            "images": self.images,
        }

    def add_page(self):
        self.add_heading(Heading(1, self.page.title))
        self.add(self.page.blocks)
        if self.abilities.page_contents:
            self.optional += words("Table of Contents") + [
                word for _, text in self.headings[1:] for word in words(text)
            ]
        if self.abilities.subpages == "links" and self.page.path == "index":
            self.optional += [word for opener, _ in self.site.chapters() for word in words(plain(opener.title))]
        for number, text in enumerate(self.page.footnotes.values(), 1):
            self.add_text(text)
            self.optional.append(str(number))
        return self

    def add_text(self, text):
        parts = inline(text)
        shown = plain(parts)
        self.words += words(shown)
        for part in parts:
            if part[0] == "link":
                self.add_link(plain(part[1]), part[2])
        self.optional += words(
            " ".join(str(list(self.page.footnotes).index(part[1]) + 1) for part in parts if part[0] == "foot")
        )
        return " ".join(shown.split())

    def add_link(self, text, target):
        self.links.append({"text": " ".join(text.split()), "target": self.resolve(self.page, target)})

    def add_heading(self, heading):
        text = self.add_text(heading.text)
        self.headings.append([heading.level, text])

    def add(self, blocks):
        for block in blocks:
            self.add_block(block)

    def add_block(self, block):
        match block:
            case Heading():
                self.add_heading(block)
            case Paragraph():
                self.add_text(block.text)
            case Code():
                self.words += words(block.text)
                self.optional += words(block.language)
                self.code.append({"language": block.language, "text": block.text})
            case Items():
                for item in block.items:
                    self.items.append(" ".join(plain(item[0].text).split()))
                    self.add(item)
            case Table():
                self.tables.append(
                    [[" ".join(plain(cell).split()) for cell in row] for row in [block.head, *block.rows]]
                )
                for row in [block.head, *block.rows]:
                    for cell in row:
                        self.add_text(cell)
            case Definitions():
                for term, meaning in block.entries:
                    self.definitions.append([self.add_text(term), self.add_text(meaning)])
            case Note():
                if block.title:
                    self.words += words(block.title)
                # Generators name kinds in their own ways.
                self.optional += [label for kind in KINDS for label in (kind, kind.capitalize(), kind.upper())]
                self.add(block.blocks)
                first = next(b for b in block.blocks if isinstance(b, Paragraph))
                self.notes.append(
                    {"kind": block.kind, "title": block.title, "text": " ".join(plain(first.text).split())}
                )
            case Cards():
                for title, target, text in block.cards:
                    self.words += words(title) + words(plain(text))
                    # Some cards have the title a second time, in an invisible link.
                    self.optional += words(title)
                    # The link may be around the whole card.
                    self.links.append({"text": title, "target": self.resolve(self.page, target), "card": True})
            case Image():
                self.images.append(block.alt)
                self.optional += words(block.alt)
            case Contents():
                # The generator's own list: keeping or dropping it is a matter of taste.
                self.optional += words("Contents")
                for question in questions(self.page):
                    self.optional += words(plain(question.text))
            case Subpages():
                for sub in self.site.subpages(self.page):
                    text = plain(sub.title)
                    self.words += words(text)
                    self.add_link(text, f"@{sub.path}")
                    if self.abilities.subpages == "list":
                        self.items.append(text)
                    elif self.abilities.subpages == "cards":
                        # Cards have the beginning of the page below its title.
                        self.links[-1]["card"] = True
                        self.optional += [
                            word
                            for block in sub.blocks
                            if isinstance(block, Paragraph)
                            for word in words(plain(block.text))
                        ]
            case Function():
                self.words += words(block.name) + words(plain(block.text))
                self.optional += words(signature(block))
                for name, _, _, text in block.parameters:
                    self.words += words(name) + words(plain(text))
                self.words += words(plain(block.result))
