"""Renders pages for generators that read comments in code: Javadoc, rustdoc and, with Markdown files, Doxygen."""

import os
import re
from html import escape

from model import Code, Definitions, Function, Heading, Items, Paragraph, Table, heading_id, inline, plain, slug
from to_markdown import Markdown, indent


class Rustdoc(Markdown):
    """Every page is a module."""

    warnings = ("warning", "caution", "danger")

    def crate(self):
        first = self.site.by_path["index"]
        parts = [self.comment(first)]
        for opener, pages in self.site.chapters():
            modules = "\n\n".join(
                f"pub mod {identifier(page.name)} {{\n{indent(self.comment(page), 4)}\n{self.code_items(page)}}}"
                for page in pages
            )
            parts.append(f"pub mod {opener.chapter} {{\n{indent(self.comment(opener), 4)}\n\n{indent(modules, 4)}\n}}")
        return "\n\n".join(parts) + "\n"

    def comment(self, page):
        return "\n".join(f"//! {line}".rstrip() for line in self.page(page).rstrip("\n").split("\n"))

    def code_items(self, page):
        """A few items, so that the page has what pages of rustdoc have."""
        if page.chapter != "reference":
            return ""
        return f"    /// Holds what belongs to {page.name}.\n    #[derive(Debug, Clone, Default)]\n    pub struct State {{\n        /// How many there are.\n        pub count: u64,\n    }}\n"

    def heading_mark(self, heading):
        return ""

    def fragment(self, path, fragment):
        for block in self.site.by_path[path].blocks:
            if isinstance(block, Heading) and heading_id(block) == fragment:
                return slug(block.text)
        return fragment

    def path(self, page, path):
        return os.path.relpath(rustdoc_file(path), os.path.dirname(rustdoc_file(page.path)))

    def info(self, block):
        return "rust,ignore" if block.language == "rust" else block.language

    def code_text(self, block):
        hidden = "".join(f"# {line}\n" for line in block.hidden.split("\n")) if block.hidden else ""
        return hidden + block.text

    def note(self, page, block):
        label = block.title or block.kind.capitalize()
        body = "\n\n".join(self.blocks(page, block.blocks))
        if block.kind in self.warnings:
            body = f"**{block.title}.** {body}" if block.title else body
            return f'<div class="warning">\n\n{body}\n\n</div>'
        return "\n".join(f"> {line}".rstrip() for line in f"**{label}:** {body}".split("\n"))


def identifier(name):
    return name.replace("-", "_")


def rustdoc_file(path):
    return f"tidepool/{identifier(path)}.html" if path.endswith("index") else f"tidepool/{identifier(path)}/index.html"


class Doxygen(Markdown):
    kinds = {"tip": "remark", "important": "attention", "caution": "attention", "danger": "warning"}
    escaped = r"([\\`*_\[\]<@#])"

    def title(self, page):
        return f"# {self.text(page, page.title)} {{#{doxygen_label(page.path)}}}"

    def heading(self, page, heading):
        # Headings are plain text.
        return f"{'#' * heading.level} {self.escape(plain(heading.text))}{self.heading_mark(heading)}"

    def heading_mark(self, heading):
        return f" {{#{self.prefix}_{identifier(heading_id(heading))}}}"

    def page(self, page):
        self.prefix = doxygen_label(page.path)
        return super().page(page)

    def paragraph(self, page, block):
        text = self.text(page, block.text)
        return f"\\anchor {doxygen_label(page.path)}_{identifier(block.id)}\n{text}" if block.id else text

    def code(self, block):
        return f"~~~{{.{block.language}}}\n{block.text}\n~~~"

    def items(self, page, block):
        # Fences do not work in lists.
        return re.sub(
            r"^( *)~~~(\{.+\})\n((?:.*\n)+?) *~~~$",
            r"\1\\code\2\n\3\1\\endcode",
            super().items(page, block),
            flags=re.M,
        )

    def note(self, page, block):
        body = "\n\n".join(self.blocks(page, block.blocks))
        kind = self.kinds.get(block.kind, block.kind)
        return f"\\{kind} {body}" if len(block.blocks) == 1 else f"\\{kind}\n\\parblock\n{body}\n\\endparblock"

    def subpages(self, page):
        return "\n".join(f"- \\subpage {doxygen_label(sub.path)}" for sub in self.site.subpages(page))

    def image_path(self, page, file):
        return file

    def part(self, page, part):
        if part[0] == "code":
            # Entities are read in code, too.
            part = ("code", part[1].replace("&amp;", "&amp;amp;"))
        if part[0] == "link":
            return f"[{self.escape(plain(part[1]))}]({self.link(page, part[2])})"
        return super().part(page, part)

    def link(self, page, target):
        internal = self.site.target(page, target)
        if internal is None:
            return target
        path, fragment = internal
        return f"@ref {doxygen_label(path)}" + (f"_{identifier(fragment)}" if fragment else "")


def doxygen_label(path):
    return "index" if path == "index" else identifier(path.removesuffix("/index")).replace("/", "_")


class Javadoc:
    """Every page is a class, every chapter a package."""

    def __init__(self, site):
        self.site = site

    def write(self, folder):
        first = self.site.by_path["index"]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "overview.html").write_text(
            f"<!DOCTYPE html>\n<html><head><title>{first.title}</title></head><body>\n{self.comment(first)}\n</body></html>\n"
        )
        for opener, pages in self.site.chapters():
            package = folder / "net/tidepool" / opener.chapter
            package.mkdir(parents=True)
            (package / "package-info.java").write_text(
                f"{java_comment(self.comment(opener))}package net.tidepool.{opener.chapter};\n"
            )
            for page in pages:
                functions = [block for block in page.blocks if isinstance(block, Function)]
                methods = "\n".join(self.method(page, function) for function in functions)
                body = f"package net.tidepool.{opener.chapter};\n\n{java_comment(self.comment(page))}public class {class_name(page.path)} {{\n{methods}}}\n"
                (package / f"{class_name(page.path)}.java").write_text(body)

    def comment(self, page):
        return "\n".join(
            [
                f"<h2>{self.text(page, page.title)}</h2>",
                *[self.block(page, block) for block in page.blocks if not isinstance(block, Function)],
            ]
        )

    def method(self, page, function):
        tags = [f"@param {name} {self.text(page, text)}" for name, _, _, text in function.parameters]
        if function.result:
            tags.append(f"@return {self.text(page, function.result)}")
        comment = "\n".join([self.text(page, function.text), *tags])
        kinds = {"str": "String", "bool": "boolean", "int": "int", "float": "double", "None": "void"}
        parameters = ", ".join(f"{kinds.get(kind, 'Object')} {name}" for name, kind, _, _ in function.parameters)
        returns = kinds.get(function.returns, "Object")
        value = {"void": "", "int": "return 0;"}.get(returns, "return null;")
        return (
            f"{java_comment(comment)}public {returns} {function.name.rpartition('.')[2]}({parameters}) {{ {value} }}\n"
        )

    def block(self, page, block):
        match block:
            case Heading():
                text = self.text(page, block.text)
                if block.target:
                    text = self.link(page, block.target, text)
                return f'<h{block.level + 1} id="{heading_id(block)}">{text}</h{block.level + 1}>'
            case Paragraph():
                mark = f' id="{block.id}"' if block.id else ""
                return f"<p{mark}>{self.text(page, block.text)}</p>"
            case Code():
                return f'<pre class="{block.language}">{html(block.text)}</pre>'
            case Items():
                tag = "ol" if block.is_ordered else "ul"
                return f"<{tag}>" + "".join(f"<li>{self.item(page, item)}</li>\n" for item in block.items) + f"</{tag}>"
            case Table():
                rows = [
                    "<tr>" + "".join(f"<td>{self.text(page, cell)}</td>" for cell in row) + "</tr>"
                    for row in block.rows
                ]
                head = (
                    "<tr>" + "".join(f'<th scope="col">{self.text(page, cell)}</th>' for cell in block.head) + "</tr>"
                )
                return f'<table class="striped"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'
            case Definitions():
                return (
                    "<dl>"
                    + "".join(
                        f"<dt>{self.text(page, term)}</dt><dd>{self.text(page, meaning)}</dd>\n"
                        for term, meaning in block.entries
                    )
                    + "</dl>"
                )
        raise TypeError(block)

    def item(self, page, item):
        first, *rest = item
        return "\n".join([self.text(page, first.text), *[self.block(page, block) for block in rest]])

    def text(self, page, text):
        return "".join(self.part(page, part) for part in inline(text))

    def part(self, page, part):
        match part:
            case ("text", text):
                return html(text)
            case ("code", text):
                return f"<code>{html(text)}</code>"
            case ("strong", text):
                return f"<strong>{html(text)}</strong>"
            case ("em", text):
                return f"<em>{html(text)}</em>"
            case ("link", children, target):
                return self.link(page, target, "".join(self.part(page, child) for child in children))
        raise ValueError(part)

    def link(self, page, target, text):
        internal = self.site.target(page, target)
        if internal is None:
            return f'<a href="{target}">{text}</a>'
        path, fragment = internal
        file = (
            ""
            if path == page.path and fragment
            else os.path.relpath(javadoc_file(path), os.path.dirname(javadoc_file(page.path)) or ".")
        )
        return f'<a href="{file}{"#" + fragment if fragment else ""}">{text}</a>'


def html(text):
    """Text for a comment: `@` starts a tag, `*/` ends the comment, and braces may start a tag."""
    return (
        escape(text, quote=False)
        .replace("@", "&#64;")
        .replace("*/", "*&#47;")
        .replace("{", "&#123;")
        .replace("}", "&#125;")
        .replace("\\", "&#92;")
    )


def java_comment(text):
    # Without a space after the asterisk, which would become part of code.
    return "/**\n" + "\n".join(f" *{line}" for line in text.split("\n")) + "\n */\n"


def class_name(path):
    return "".join(part.capitalize() for part in path.rpartition("/")[2].split("-"))


def javadoc_file(path):
    if path == "index":
        return "index.html"
    chapter, _, name = path.partition("/")
    return f"net/tidepool/{chapter}/" + ("package-summary.html" if name == "index" else f"{class_name(path)}.html")
