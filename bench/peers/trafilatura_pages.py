"""trafilatura on pages of documentation: trafilatura_pages.py ROUNDS <LIST

Without the URL, which trafilatura would join to relative links as if all pages were at the root.
Reads lines of JSON with `file` and `url`, writes a line with `markdown` for each, then one with `cpu_ms_per_page`.
"""

import json
import pathlib
import sys
import time

from trafilatura import extract

OPTIONS = {
    "output_format": "markdown",
    "include_links": True,
    "include_tables": True,
    "include_images": True,
    "include_formatting": True,
    "favor_recall": True,
}


def main(rounds):
    pages = [pathlib.Path(page["file"]).read_text(encoding="utf-8") for page in map(json.loads, sys.stdin)]
    extracted = []
    start = time.process_time()
    for _ in range(rounds):
        extracted = [extract(html, **OPTIONS) or "" for html in pages]
    elapsed = time.process_time() - start
    for markdown in extracted:
        print(json.dumps({"markdown": markdown}))
    print(json.dumps({"cpu_ms_per_page": elapsed * 1000 / rounds / len(pages)}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
