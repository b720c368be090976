"""Asks the questions of one set of documentation, and prints a row of the table: search.py BINARY DATABASE SET QUESTIONS FOLDER.

A result is right if an id that answers the question is in its section: after its anchor and before the next heading.
"""

import functools
import json
import pathlib
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

binary, database, name, questions, folder = sys.argv[1:]


def place(url):
    """A path and an anchor, as in the file of questions."""
    parts = urlsplit(url)
    path = parts.path.lstrip("/")
    return (path if path and not path.endswith("/") else path + "index.html"), unquote(parts.fragment)


class Places(HTMLParser):
    """Where the ids and the headings of a page are, in the order of its tags."""

    def __init__(self):
        super().__init__()
        self.count, self.ids, self.headings = 0, {}, []

    def handle_starttag(self, tag, attributes):
        self.count += 1
        for key, value in attributes:
            if key == "id" or (key == "name" and tag == "a"):
                self.ids.setdefault(value, self.count)
        if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self.headings.append(self.count)


@functools.cache
def places(path):
    page = Places()
    page.feed(pathlib.Path(folder, path).read_text(encoding="utf-8", errors="replace"))
    return page


def is_in_section(path, anchor, wanted):
    """Whether an id is in the section that an anchor leads to."""
    page = places(path)
    start = page.ids.get(anchor, 0)
    own = next((at for at in page.headings if at >= start), 0)
    end = next((at for at in page.headings if at > own), page.count + 1)
    return wanted == anchor or start <= page.ids[wanted] < end


def answers(question, wanted):
    """At which of the first ten results the first right one is; None if none is right."""
    command = [binary, "search", "--db", database, "--json", "--limit", "10", "--", question]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for rank, hit in enumerate(found):
        path, anchor = place(hit["url"])
        if any(path == page and (not fragment or is_in_section(path, anchor, fragment)) for page, fragment in wanted):
            return rank
    return None


ranks, missed = [], []
for line in open(questions, encoding="utf-8"):
    if line.startswith("#") or not line.strip():
        continue
    of, question, wanted = line.rstrip("\n").split("\t")
    if of != name:
        continue
    rank = answers(question, [(path, fragment) for path, _, fragment in (word.partition("#") for word in wanted.split())])
    ranks.append(rank)
    if rank is None or rank > 2:
        missed.append(question)

pages = subprocess.run(
    [binary, "sql", "SELECT count(*) AS pages FROM documents", "--db", database, "--json"], check=True, capture_output=True, text=True
).stdout
pages = json.loads(pages)
pages = pages["rows"][0][0] if isinstance(pages, dict) else next(iter(pages[0].values()))
first = sum(rank == 0 for rank in ranks)
three = sum(rank is not None and rank < 3 for rank in ranks)
verdict = "" if three * 10 >= len(ranks) * 9 else " **MISSED**"
print(f"| {name} | {pages} | {len(ranks)} | {first} | {three} ({three / len(ranks):.0%}){verdict} | {'; '.join(missed)} |")
