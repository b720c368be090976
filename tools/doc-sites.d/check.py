"""Checks the truth against the HTML that a generator wrote, and completes the fragments of links."""

import posixpath
import re
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from model import words

BLOCKS = "p div li td th dt dd pre h1 h2 h3 h4 h5 h6 button".split()
ORIGIN = "http://site.invalid/"


class Reader(HTMLParser):
    """The text, headings, code blocks and links of a page."""

    def __init__(self, html):
        super().__init__()
        self.text, self.headings, self.code, self.links, self.ids = [], [], [], [], set()
        self.open = []
        self.skipped = 0
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if tag in ("script", "style", "template"):
            self.skipped += 1
        if tag == "br":
            self.handle_data("\n")
        if re.fullmatch(r"h[1-6]|pre|a|div|p", tag):
            self.open.append((tag, attributes, []))
        if tag in BLOCKS:
            self.text.append(" ")

    def handle_endtag(self, tag):
        if tag in BLOCKS:
            self.text.append(" ")
        if tag in ("script", "style", "template"):
            self.skipped -= 1
        for index in range(len(self.open) - 1, -1, -1):
            if self.open[index][0] == tag:
                _, attributes, parts = self.open.pop(index)
                self.close(tag, attributes, "".join(parts))
                break

    def close(self, tag, attributes, text):
        if tag == "pre" or (tag == "div" and "fragment" in (attributes.get("class") or "")):
            self.code.append(text)
        elif tag == "a" and attributes.get("href") is not None:
            self.links.append((" ".join(text.split()), attributes["href"]))
        elif tag.startswith("h") or attributes.get("class") == "title":
            self.headings.append(" ".join(text.split()))

    def handle_data(self, data):
        if self.skipped:
            return
        self.text.append(data)
        for _, _, parts in self.open:
            parts.append(data)


class Check:
    def __init__(self, folder, truths):
        self.folder, self.truths = folder, truths
        self.problems = []

    def run(self):
        for file, truth in self.truths.items():
            path = self.folder / file
            if not path.is_file():
                self.problems.append(f"{file}: not written")
                continue
            self.check(file, truth, Reader(path.read_text(encoding="utf-8")))
        return self.problems

    def check(self, file, truth, page):
        missing = Counter(truth["words"]) - Counter(words("".join(page.text)))
        if missing:
            self.problems.append(f"{file}: words {dict(missing)}")
        headings = [words(heading) for heading in page.headings]
        for _, heading in truth["headings"]:
            if not any(has(found, words(heading)) for found in headings):
                self.problems.append(f"{file}: heading {heading}")
        for code in truth["code"]:
            if not any(trimmed(code["text"]) in trimmed(block) for block in page.code):
                self.problems.append(f"{file}: code {code['text'][:60]!r}")
        for link in truth["links"]:
            self.complete(file, link, page)

    def complete(self, file, link, page):
        """Takes the fragment from the page: generators name ids in their own ways."""
        if urlsplit(link["target"]).scheme:
            found = [href for text, href in page.links if href == link["target"] and text == link["text"]]
        else:
            wanted, fragment = urldefrag(link["target"])
            candidates = [href for text, href in page.links if is_text(link, text) and self.file(file, href) == wanted]
            found = [href for href in candidates if bool(urldefrag(href)[1]) == bool(fragment)]
            if found:
                fragment = unquote(urldefrag(found[0])[1])
                link["target"] = wanted + (f"#{fragment}" if fragment else "")
        if not found:
            self.problems.append(f"{file}: link {link}")

    def file(self, base, href):
        path = unquote(urlsplit(urljoin(ORIGIN + base, href)).path).lstrip("/")
        for candidate in (path, posixpath.join(path, "index.html"), f"{path}.html"):
            if (self.folder / candidate).is_file():
                return candidate
        return path


def trimmed(code):
    """Without white space at the end of lines, which some generators add or remove."""
    return "\n".join(line.rstrip() for line in code.strip("\n").split("\n"))


def has(found, wanted):
    return any(found[at : at + len(wanted)] == wanted for at in range(len(found) - len(wanted) + 1))


def is_text(link, text):
    return link["text"] in text if link.get("card") else text.rstrip("¶#\u200b ").strip() == link["text"]


class Within(HTMLParser):
    """The text of the element with an id, or of that name."""

    def __init__(self, name):
        super().__init__()
        self.name, self.tag, self.depth, self.text = name, None, 0, []

    def handle_starttag(self, tag, attributes):
        if self.tag is None and self.name in (tag, dict(attributes).get("id")):
            self.tag = tag
        self.depth += tag == self.tag
        if tag in BLOCKS:
            self.text.append(" ")

    def handle_endtag(self, tag):
        self.depth -= tag == self.tag and self.depth > 0
        if tag in BLOCKS:
            self.text.append(" ")

    def handle_data(self, data):
        if self.depth:
            self.text.append(data)


def text_within(html, name):
    reader = Within(name)
    reader.feed(html)
    return "".join(reader.text)
