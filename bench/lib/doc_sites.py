"""Scores extractors on the sites of tools/doc-sites: doc_sites.py SITES NAME=COMMAND... [--only SITE] [--problems NAME]

A command reads lines of JSON with `file` and `url`, and writes a line with `markdown` for each and then one with
`cpu_ms_per_page`. Its Markdown is rendered to HTML and read in the same way for all. Prints a table; with --problems
also what is missing or wrong in the output of one extractor, page by page.
"""

import argparse
import json
import pathlib
import posixpath
import re
import shlex
import subprocess
import sys
import unicodedata
from collections import Counter
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import lxml.html
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin

ORIGIN = "https://docs.example/"
ROUNDS = 5
COUNTS = ("headings", "code", "tables", "items", "links", "admonitions")
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).use(deflist_plugin)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sites", type=pathlib.Path)
    parser.add_argument("extractors", nargs="+", metavar="NAME=COMMAND")
    parser.add_argument("--only", action="append")
    parser.add_argument("--problems")
    arguments = parser.parse_args()
    extractors = dict(extractor.split("=", 1) for extractor in arguments.extractors)
    sites = [Site(folder.parent) for folder in sorted(arguments.sites.glob("*/truth.json"))]
    print(
        "| site | extractor | F1 | leaks, pages | headings | code exact | tables | list items | links | notes | CPU, ms per page |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    totals = {name: Score() for name in extractors}
    goals = []
    for site in sites:
        if arguments.only and site.name not in arguments.only:
            continue
        scores = {}
        for name, command in extractors.items():
            score = scores[name] = site.score(command)
            totals[name].add(score)
            print(score.row(site.name, name), flush=True)
            if arguments.problems == name:
                print("".join(f"{site.name}/{problem}\n" for problem in score.problems), file=sys.stderr, end="")
        goals += goals_of(site.name, scores)
    for name, score in totals.items():
        print(score.row("all", name))
    print("\n" + "\n".join([*goals, *cpu_goal(totals)]))


def goals_of(site, scores):
    """The first extractor is ours: its goals on a site, in the form of the other measurements."""
    (_, score), *peers = scores.items()
    yield goal(f"{site}: pages with leaked navigation", "≤", 0, score.leaks)
    best = max((peer.f1 / peer.pages for _, peer in peers), default=0)
    yield goal(f"{site}: F1, that of the best peer", "≥", round(best, 4), round(score.f1 / score.pages, 4))
    for count in COUNTS:
        yield goal(f"{site}: {count}", "≥", score.total[count], score.found[count])


def cpu_goal(totals):
    if "mdream" in totals:
        (score, *_), mdream = totals.values(), totals["mdream"]
        yield goal("CPU per page, compared with mdream", "≤", 2, round(score.cpu_ms / mdream.cpu_ms, 2))


def goal(name, sign, bound, value):
    is_met = value <= bound if sign == "≤" else value >= bound
    return f"- {name} {sign} {bound}: {'met' if is_met else 'MISSED'} ({value})"


class Score:
    def __init__(self):
        self.f1, self.leaks, self.pages, self.cpu_ms = 0.0, 0, 0, 0.0
        self.found, self.total = Counter(), Counter()
        self.problems = []

    def add(self, other):
        self.f1 += other.f1
        self.leaks += other.leaks
        self.pages += other.pages
        self.cpu_ms += other.cpu_ms
        self.found += other.found
        self.total += other.total

    def row(self, site, name):
        counts = [f"{self.found[count]}/{self.total[count]}" for count in COUNTS]
        cells = [
            site,
            name,
            f"{self.f1 / self.pages:.3f}",
            f"{self.leaks}/{self.pages}",
            *counts,
            f"{self.cpu_ms / self.pages:.2f}",
        ]
        return f"| {' | '.join(cells)} |"


class Site:
    def __init__(self, folder):
        self.name, self.html = folder.name, folder / "html"
        truth = json.loads((folder / "truth.json").read_text())
        self.menu, self.chrome, self.pages = truth["menu"], truth["chrome"], truth["pages"]

    def score(self, command):
        pages = [{"file": str(self.html / file), "url": self.url(file)} for file in self.pages]
        lines = "".join(json.dumps(page) + "\n" for page in pages)
        done = subprocess.run(
            [*shlex.split(command), str(ROUNDS)], input=lines, stdout=subprocess.PIPE, text=True, check=True
        )
        *extracted, figures = map(json.loads, done.stdout.splitlines())
        score = Score()
        score.cpu_ms = figures["cpu_ms_per_page"] * len(pages)
        for file, page in zip(self.pages, extracted, strict=True):
            self.score_page(score, file, Read(page["markdown"]))
        return score

    def url(self, file):
        return ORIGIN + (
            file.removesuffix("index.html") if file.endswith("/index.html") or file == "index.html" else file
        )

    def score_page(self, score, file, page):
        truth = self.pages[file]
        score.pages += 1
        f1, missing, extra = word_f1(page.words, truth)
        score.f1 += f1
        leaks = self.leaks(page.words, truth)
        score.leaks += bool(leaks)
        problems = (
            [f"F1 {f1:.3f}, missing {dict(missing.most_common(8))}, extra {dict(extra.most_common(8))}"]
            if f1 < 0.97
            else []
        )
        problems += [f"leak {leaks}"] if leaks else []
        for count, wanted, found in self.compared(truth, file, page):
            lost = missing_of(wanted, found)
            score.found[count] += len(wanted) - len(lost)
            score.total[count] += len(wanted)
            problems += [f"{count}: {value!r}"[:220] for value in lost]
        score.problems += [f"{file}: {problem}" for problem in problems]

    def compared(self, truth, file, page):
        """(what, wanted, found), as lists of comparable values."""
        yield "headings", [tuple(words(text)) for _, text in truth["headings"]], page.headings
        yield "code", [trimmed(code["text"]) for code in truth["code"]], page.code
        yield (
            "tables",
            [tuple(tuple(tuple(words(cell)) for cell in row) for row in table) for table in truth["tables"]],
            page.tables,
        )
        yield "items", [tuple(words(item)) for item in truth["items"]], page.items
        links = [(tuple(words(text)), self.target(file, href)) for text, href in page.links]
        wanted = [(tuple(words(link["text"])), link["target"], link.get("card", False)) for link in truth["links"]]
        yield "links", wanted, [link for link in expanded(links, wanted)]
        notes = [tuple(words(note["text"])) for note in truth["admonitions"]]
        yield "admonitions", notes, [note for note in notes if any(occurrences(quote, note) for quote in page.quotes)]

    def target(self, file, href):
        absolute, fragment = urldefrag(urljoin(self.url(file), href))
        if not absolute.startswith(ORIGIN):
            return absolute + (f"#{fragment}" if fragment else "")
        path = unquote(urlsplit(absolute).path).lstrip("/")
        found = next(
            (
                name
                for name in (path, posixpath.join(path, "index.html"), f"{path}.html")
                if (self.html / name).is_file()
            ),
            path,
        )
        return found + (f"#{unquote(fragment)}" if fragment else "")

    def leaks(self, found, truth):
        """Entries of menus and texts of the template that are on the page more often than in its source."""
        own = {text for _, text in truth["headings"]} - {truth["title"]}
        phrases = {tuple(words(phrase)) for phrase in {*self.menu, *self.chrome, *own} - {truth["title"]}}
        return sorted(
            " ".join(phrase)
            for phrase in phrases
            if occurrences(found, phrase) > occurrences(truth["words"], phrase) + occurrences(truth["optional"], phrase)
        )


class Read:
    """What a Markdown document contains."""

    def __init__(self, markdown):
        # Footnotes count as text; a parser would drop those without a reference.
        markdown = re.sub(r"\[\^[^\]\s]+\]:?", "", markdown)
        markdown = re.sub(r"\A---\n.*?\n---\n", "", markdown, flags=re.S)
        markdown = re.sub(r"^((?:> ?)+)\[!\w+\][-+]?", r"\1", markdown, flags=re.M)
        tree = lxml.html.fromstring(f"<div>{MARKDOWN.render(markdown)}</div>")
        self.words = words(text_of(tree))
        self.headings = [
            tuple(words(text_of(element))) for element in tree.xpath(".//h1|.//h2|.//h3|.//h4|.//h5|.//h6")
        ]
        self.code = [trimmed(element.text_content()) for element in tree.xpath(".//pre")]
        self.tables = [
            tuple(tuple(tuple(words(text_of(cell))) for cell in row.xpath("./th|./td")) for row in table.xpath(".//tr"))
            for table in tree.xpath(".//table")
        ]
        self.items = [tuple(words(item_text(element))) for element in tree.xpath(".//li")]
        self.links = [(text_of(element), element.get("href")) for element in tree.xpath(".//a[@href]")]
        self.quotes = [words(text_of(element)) for element in tree.xpath(".//blockquote")]


BLOCKS = set("p div li ul ol td th tr table dt dd dl pre h1 h2 h3 h4 h5 h6 blockquote br hr section".split())


def text_of(element, skip=()):
    """Text with a space between blocks, without the alternative texts of images."""
    parts = []

    def walk(node):
        if not isinstance(node.tag, str) or node.tag in skip:
            return
        parts.append(" " if node.tag in BLOCKS else "")
        parts.append(node.text or "")
        for child in node:
            walk(child)
            parts.append(child.tail or "")
        parts.append(" " if node.tag in BLOCKS else "")

    walk(element)
    return "".join(parts)


def item_text(item):
    """The first paragraph of an item."""
    paragraph = item.find("p")
    if paragraph is not None and not (item.text or "").strip():
        return text_of(paragraph)
    return text_of(item, ("ul", "ol", "pre", "blockquote", "table", "p"))


def word_f1(found, truth):
    found, wanted, allowed = Counter(found), Counter(truth["words"]), Counter(truth["words"] + truth["optional"])
    if not found:
        return 0.0, wanted, found
    recall = (found & wanted).total() / wanted.total()
    precision = (found & allowed).total() / found.total()
    f1 = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
    return f1, wanted - found, found - allowed


def words(text):
    return re.findall(r"\w+", unicodedata.normalize("NFC", text))


def trimmed(code):
    """Without white space at the end of lines, which some generators add."""
    return "\n".join(line.rstrip() for line in code.strip("\n").split("\n"))


def occurrences(sequence, phrase):
    length = len(phrase)
    return sum(tuple(sequence[at : at + length]) == phrase for at in range(len(sequence) - length + 1)) if length else 0


def missing_of(wanted, found):
    return list((Counter(wanted) - Counter(found)).elements())


def expanded(links, wanted):
    """Links in the form of the wanted ones: that of a card may contain more than its title."""
    for text, target, is_card in wanted:
        for index, (found, href) in enumerate(links):
            if href == target and (found == text or (is_card and occurrences(found, text))):
                del links[index]
                yield text, target, is_card
                break


if __name__ == "__main__":
    main()
