"""One function per generator: writes its sources, runs it, and says which file each page became."""

import json
import os
import shutil
import struct
import sys
import zlib
from collections import Counter, namedtuple

import pages
from check import Check, text_within
from model import Abilities, Truth, lower, plain, words
from to_asciidoc import AsciiDoc
from to_comments import Doxygen, Javadoc, Rustdoc, doxygen_label, identifier, javadoc_file, class_name, rustdoc_file
from to_docbook import DocBook, page_id
from to_markdown import Docusaurus, MdBook, MkDocs, VitePress
from to_texinfo import Texinfo, node
from to_rst import ReStructuredText
from tools import run

# `file` maps the path of a page to its file; `chrome` are texts of the template, which are not content. `generated` is
# the element of pages that contain much text of the generator's own, which an extractor may keep or drop. `menu` gives
# the entry of a page in menus.
Generator = namedtuple(
    "Generator", "abilities make file chrome generated menu", defaults=[None, lambda page: plain(page.title)]
)


def build(name, folder, tools):
    generator = ALL[name]
    site = lower(pages.site(), generator.abilities)
    for old in ("source", "html"):
        shutil.rmtree(folder / old, ignore_errors=True)
    source, html = folder / "source", folder / "html"
    source.mkdir(parents=True)
    generator.make(site, source, html, tools)
    truths = truth_of(site, generator)
    problems = Check(html, truths).run()
    if problems:
        sys.exit(f"error: {name} does not show what the source says:\n" + "\n".join(problems))
    for file, truth in truths.items():
        if generator.generated:
            inside = words(text_within((html / file).read_text(encoding="utf-8"), generator.generated))
            truth["optional"] += (Counter(inside) - Counter(truth["words"]) - Counter(truth["optional"])).elements()
    menu = sorted({generator.menu(page) for page in site.pages})
    document = {"generator": name, "menu": menu, "chrome": generator.chrome, "pages": truths}
    (folder / "truth.json").write_text(json.dumps(document, ensure_ascii=False, indent=1))


def truth_of(site, generator):
    def resolve(page, target):
        internal = site.target(page, target)
        if internal is None:
            return target
        path, fragment = internal
        return generator.file(path) + (f"#{fragment}" if fragment else "")

    return {
        generator.file(page.path): Truth(site, page, resolve, generator.abilities).add_page().json()
        for page in site.pages
    }


def write_pages(renderer, folder):
    for page in renderer.site.pages:
        file = folder / (page.path + renderer.extension)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(renderer.page(page))


def write_image(folder):
    """A small grey picture."""
    folder.mkdir(parents=True, exist_ok=True)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x80" * 64 for _ in range(32))
    header = struct.pack(">IIBBBBB", 64, 32, 8, 0, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    (folder / "console.png").write_bytes(data)


def plain_file(path):
    return f"{path}.html"


def folder_file(path):
    return f"{path}.html" if path.endswith("index") else f"{path}/index.html"


def sphinx(theme):
    def make(site, source, html, tools):
        write_pages(ReStructuredText(site), source)
        write_image(source)
        settings = {
            "project": site.name,
            "author": "The authors",
            "version": "4.2",
            "release": "4.2.0",
            "html_theme": theme,
            "extensions": ["sphinx_design"],
            "highlight_language": "text",
            "html_copy_source": True,
        }
        (source / "conf.py").write_text("".join(f"{key} = {value!r}\n" for key, value in settings.items()))
        run([tools.python(), "-m", "sphinx", "-q", "-b", "html", "-d", source.parent / "doctrees", source, html])
        shutil.rmtree(source.parent / "doctrees")

    abilities = Abilities(functions=True, contents=True, subpages="list")
    chrome = [
        "Quick search",
        "View page source",
        "Built with",
        "Previous",
        "Next",
        "Back to top",
        "Toggle table of contents",
        "Copyright",
    ]
    return Generator(abilities, make, plain_file, chrome)


def mkdocs(theme):
    def make(site, source, html, tools):
        write_pages(MkDocs(site), source / "docs")
        write_image(source / "docs")
        navigation = [{site.name: "index.md"}]
        for opener, subpages in site.chapters():
            entries = [{plain(page.title): f"{page.path}.md"} for page in subpages]
            navigation.append({plain(opener.title): [f"{opener.path}.md", *entries]})
        features = ["navigation.indexes", "navigation.footer", "navigation.top", "content.code.copy", "toc.follow"]
        settings = {
            "site_name": site.name,
            "theme": {"name": theme, **({"features": features} if theme == "material" else {})},
            "nav": navigation,
            "markdown_extensions": [
                "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables", {"toc": {"permalink": True}},
                {"pymdownx.highlight": {"anchor_linenums": True}}, "pymdownx.inlinehilite", "pymdownx.superfences", "pymdownx.details",
            ],
        }  # fmt: skip
        (source / "mkdocs.yml").write_text(json.dumps(settings))
        run([tools.python(), "-m", "mkdocs", "build", "--quiet", "--site-dir", html], cwd=source)

    chrome = [
        "Skip to content",
        "Built with MkDocs",
        "Made with",
        "Previous",
        "Next",
        "Back to top",
        "Table of contents",
        "Initializing search",
        "Edit on",
    ]
    return Generator(Abilities(), make, folder_file, chrome)


def make_mdbook(site, source, html, tools):
    write_pages(MdBook(site), source / "src")
    write_image(source / "src")
    summary = ["# Summary\n", f"[{site.name}](index.md)\n"]
    for opener, subpages in site.chapters():
        summary.append(f"- [{plain(opener.title)}]({opener.path}.md)")
        summary += [f"    - [{plain(page.title)}]({page.path}.md)" for page in subpages]
    (source / "src/SUMMARY.md").write_text("\n".join(summary) + "\n")
    (source / "book.toml").write_text(f'[book]\ntitle = "{site.name}"\n\n[build]\nbuild-dir = "{html}"\n')
    run([tools.mdbook(), "build", source])


def make_docusaurus(site, source, html, tools):
    write_pages(Docusaurus(site), source / "docs")
    write_image(source / "static")
    (source / "node_modules").symlink_to(tools.node() / "node_modules")
    (source / "package.json").write_text('{"private": true}')
    sidebar = ["index"]
    for opener, subpages in site.chapters():
        link = {"type": "doc", "id": opener.path}
        sidebar.append(
            {"type": "category", "label": plain(opener.title), "link": link, "items": [page.path for page in subpages]}
        )
    (source / "sidebars.json").write_text(json.dumps({"docs": sidebar}))
    settings = {
        "title": site.name,
        "url": "https://docs.invalid",
        "baseUrl": "/",
        "onBrokenLinks": "throw",
        "plugins": [["@docusaurus/plugin-content-docs", {"routeBasePath": "/", "sidebarPath": "./sidebars.json"}]],
        "themes": ["@docusaurus/theme-classic"],
        "themeConfig": {
            "navbar": {
                "title": site.name,
                "items": [
                    {"type": "doc", "docId": "guide/index", "label": "Guides"},
                    {"type": "doc", "docId": "help/faq", "label": "Questions"},
                ],
            },
            "footer": {
                "copyright": "Copyright the authors",
                "links": [{"title": "More", "items": [{"label": "Licence", "to": "/help/licence"}]}],
            },
        },
    }
    (source / "docusaurus.config.js").write_text(f"module.exports = {json.dumps(settings)};\n")
    run(["npx", "docusaurus", "build", "--out-dir", html], cwd=source)


def docusaurus_file(path):
    return f"{path}.html" if path.endswith("index") else f"{path}/index.html"


def make_vitepress(site, source, html, tools):
    write_pages(VitePress(site), source)
    write_image(source / "public")
    (source / "node_modules").symlink_to(tools.node() / "node_modules")
    (source / "package.json").write_text('{"private": true, "type": "module"}')
    sidebar = [
        {
            "text": plain(opener.title),
            "link": f"/{opener.path}",
            "items": [{"text": plain(page.title), "link": f"/{page.path}"} for page in subpages],
        }
        for opener, subpages in site.chapters()
    ]
    theme = {
        "sidebar": sidebar,
        "nav": [{"text": "Guides", "link": "/guide/"}, {"text": "Questions", "link": "/help/faq"}],
        "footer": {"message": "Published by the authors."},
        "search": {"provider": "local"},
    }
    (source / ".vitepress").mkdir()
    settings = {"title": site.name, "outDir": str(html), "themeConfig": theme}
    (source / ".vitepress/config.mjs").write_text(f"export default {json.dumps(settings)};\n")
    run(["npx", "vitepress", "build", "."], cwd=source)


def make_asciidoctor(site, source, html, tools):
    write_pages(AsciiDoc(site), source)
    root = tools.debian() / "usr"
    libraries = [
        root / "share/rubygems-integration/all/gems/asciidoctor-2.0.18/lib",
        root / "lib/ruby/3.1.0",
        root / "lib/ruby/vendor_ruby",
    ]
    libraries += [root / "lib" / f"{os.uname().machine}-linux-gnu/ruby/3.1.0"]
    asciidoctor = [
        root / "bin/ruby3.1",
        "--disable-gems",
        *[f"-I{library}" for library in libraries],
        "-e",
        "require 'asciidoctor'; require 'asciidoctor/cli'; cli = Asciidoctor::Cli::Invoker.new(ARGV); cli.invoke!; exit cli.code",
    ]
    for page in site.pages:
        target = html / f"{page.path}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        run([*asciidoctor, "--", "-o", target, source / f"{page.path}.adoc"], env=tools.debian_environment())
    write_image(html)


def make_docbook(site, source, html, tools):
    (source / "book.xml").write_text(DocBook(site).book())
    write_image(html)
    root = tools.debian() / "usr"
    settings = {
        "base.dir": f"{html}/",
        "use.id.as.filename": 1,
        "chapter.autolabel": 0,
        "part.autolabel": 0,
        "chunk.section.depth": 0,
        "toc.max.depth": 1,
        "chunker.output.encoding": "UTF-8",
        "chunk.quietly": 1,
    }
    parameters = [part for name, value in settings.items() for part in ("--stringparam", name, str(value))]
    style = root / "share/xml/docbook/stylesheet/docbook-xsl/html/chunk.xsl"
    run([root / "bin/xsltproc", "--nonet", *parameters, style, source / "book.xml"], env=tools.debian_environment())


def make_texinfo(site, source, html, tools):
    (source / "tidepool.texi").write_text(Texinfo(site).book())
    write_image(source)
    root = tools.debian() / "usr"
    libraries = [
        root / "share/texinfo",
        *[
            root / f"share/texinfo/lib/{name}/lib"
            for name in ("libintl-perl", "Text-Unidecode", "Unicode-EastAsianWidth")
        ],
        root / "share/perl5",
    ]
    environment = {**tools.debian_environment(), "TEXINFO_XS": "omit"}
    run(
        [
            "perl",
            *[f"-I{library}" for library in libraries],
            root / "bin/texi2any",
            "--html",
            "--split=node",
            "--no-warn",
            "-o",
            html,
            source / "tidepool.texi",
        ],
        env=environment,
    )
    write_image(html)


def make_doxygen(site, source, html, tools):
    write_pages(Doxygen(site), source)
    write_image(source)
    settings = {
        "PROJECT_NAME": site.name, "INPUT": source, "FILE_PATTERNS": "*.md", "RECURSIVE": "YES", "OUTPUT_DIRECTORY": source.parent,
        "GENERATE_LATEX": "NO", "GENERATE_TREEVIEW": "YES", "USE_MDFILE_AS_MAINPAGE": source / "index.md", "IMAGE_PATH": source, "QUIET": "YES",
        "TOC_INCLUDE_HEADINGS": 3, "AUTOLINK_SUPPORT": "NO", "HTML_TIMESTAMP": "NO",
    }  # fmt: skip
    (source / "Doxyfile").write_text("".join(f"{key} = {value}\n" for key, value in settings.items()))
    run([tools.debian() / "usr/bin/doxygen", source / "Doxyfile"], env=tools.debian_environment())


def make_rustdoc(site, source, html, tools):
    (source / "lib.rs").write_text(Rustdoc(site).crate())
    run(["rustdoc", "--edition", "2024", "--crate-name", "tidepool", "--out-dir", html, source / "lib.rs"])


def make_javadoc(site, source, html, tools):
    Javadoc(site).write(source)
    packages = [f"net.tidepool.{opener.chapter}" for opener, _ in site.chapters()]
    options = [
        "-quiet",
        "-Xdoclint:none",
        "-notimestamp",
        "-encoding",
        "UTF-8",
        "-docencoding",
        "UTF-8",
        "-windowtitle",
        site.name,
    ]
    run(
        [tools.javadoc(), *options, "-overview", source / "overview.html", "-sourcepath", source, "-d", html, *packages]
    )


ALL = {
    "sphinx-furo": sphinx("furo"),
    "sphinx-rtd": sphinx("sphinx_rtd_theme"),
    "sphinx-alabaster": sphinx("alabaster"),
    "mkdocs-material": mkdocs("material"),
    "mkdocs-readthedocs": mkdocs("readthedocs"),
    "mdbook": Generator(
        Abilities(cards=False, note_titles=False, hidden_lines=True), make_mdbook, plain_file,
        ["Keyboard shortcuts", "Show this help", "Press", "Print this book", "Auto Light Rust"],
    ),
    "docusaurus": Generator(
        Abilities(definitions=False, subpages="cards"), make_docusaurus, docusaurus_file,
        ["Skip to main content", "On this page", "Previous", "Next", "Edit this page", "Copyright the authors"],
    ),
    "vitepress": Generator(
        Abilities(definitions=False, footnotes=False), make_vitepress, plain_file,
        ["Skip to content", "On this page", "Previous page", "Next page", "Main Navigation", "Return to top", "Published by the authors"],
    ),
    "asciidoctor": Generator(Abilities(cards=False), make_asciidoctor, plain_file, ["Table of Contents", "Last updated"]),
    "docbook": Generator(
        Abilities(cards=False, subpages="links", page_contents=True), make_docbook, lambda path: f"{page_id(path)}.html", ["Prev", "Next", "Up", "Home"],
    ),
    "texinfo": Generator(
        Abilities(cards=False, subpages="links"), make_texinfo, lambda path: "index.html" if path == "index" else node(path).replace(" ", "-") + ".html",
        ["Next", "Previous", "Up"],
    ),
    "doxygen": Generator(
        Abilities(cards=False, definitions=False, footnotes=False, note_titles=False, subpages="list"), make_doxygen,
        lambda path: f"{doxygen_label(path)}.html", ["Generated by", "Loading", "Searching", "Main Page", "Related Pages"],
    ),
    "rustdoc": Generator(
        Abilities(cards=False, definitions=False, images=False, hidden_lines=True), make_rustdoc, rustdoc_file,
        ["All Items", "Module Items", "In crate tidepool"], "main-content", lambda page: identifier(page.name),
    ),
    "javadoc": Generator(
        Abilities(cards=False, notes=False, footnotes=False, images=False, functions=True), make_javadoc, javadoc_file,
        ["Skip navigation links", "JavaScript is disabled on your browser", "Overview Package Class"], "main", lambda page: class_name(page.path),
    ),
}  # fmt: skip
