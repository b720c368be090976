//! Pages as the common frameworks write them: which framework it is, and that only the content is left.

use bluesnake_extract::{Framework, Options, Page, extract};
use url::Url;

const CONTENT: &str = "<h1>Title</h1><p>The text of this page, which is long enough to be one.</p>";

/// `{}` in the page is replaced by the content.
fn check(framework: Framework, page: &str) {
    let html = page.replace("{}", CONTENT);
    let url = Url::parse("https://example.com/docs/").unwrap();
    let extracted = extract(&Page { html: &html, url: &url }, &Options::default());
    assert_eq!(extracted.framework, Some(framework), "{page}");
    assert_eq!(
        extracted.markdown, "# Title\n\nThe text of this page, which is long enough to be one.",
        "{framework:?}"
    );
}

#[test]
fn sphinx() {
    check(
        Framework::Sphinx,
        "<div class=related role=navigation><ul><li>next</li></ul></div><div class=document><div class=documentwrapper><div class=bodywrapper><div class=body role=main>{}</div></div></div><div class=sphinxsidebar role=navigation><div class=sphinxsidebarwrapper><h3>Contents</h3></div></div></div><div class=footer>Copyright</div>",
    );
    check(
        Framework::Sphinx,
        "<div class=bd-sidebar>menu</div><main class=bd-main><div class=bd-content><div class=bd-article-container><div class=bd-header-article><ul class=bd-breadcrumbs><li>Home</li></ul></div><article class=bd-article>{}</article><footer class=prev-next-footer>previous</footer></div><div class=bd-sidebar-secondary>On this page</div></div></main>",
    );
    check(
        Framework::ReadTheDocs,
        "<nav class=wy-nav-side>menu</nav><section class=wy-nav-content-wrap><div class=wy-nav-content><div class=rst-content><div role=navigation aria-label='Page navigation'><ul class=wy-breadcrumbs><li>Docs</li><li class=wy-breadcrumbs-aside><a href=x>Edit on GitHub</a></li></ul></div><div role=main class=document itemscope><div itemprop=articleBody>{}</div></div><footer><div class=rst-footer-buttons>Next</div></footer></div></div></section>",
    );
}

#[test]
fn mkdocs() {
    check(
        Framework::MkdocsMaterial,
        "<meta name=generator content='mkdocs-1.6.1, mkdocs-material-9.7.0'><header class=md-header>Site</header><div class=md-main><div class='md-sidebar md-sidebar--primary'>menu</div><div class=md-content><article class='md-content__inner md-typeset'><a class='md-content__button md-icon' href=x title='Edit this page'>edit</a>{}<aside class=md-source-file>Last update</aside></article></div></div><footer class=md-footer>Next</footer>",
    );
    check(
        Framework::Mkdocs,
        "<meta name=generator content='mkdocs-1.6.1'><div class=navbar>menu</div><div class=container><div class=col-md-3><div class='navbar-light bs-sidebar'>toc</div></div><div class=col-md-9 role=main>{}</div></div><footer>Built with MkDocs</footer>",
    );
}

#[test]
fn javascript_frameworks() {
    check(
        Framework::Docusaurus,
        "<meta name=generator content='Docusaurus v3.9.2'><nav class=navbar>Site</nav><aside class=theme-doc-sidebar-container>menu</aside><main><article><nav class=theme-doc-breadcrumbs>Home</nav><span class='theme-doc-version-badge badge'>Version: 3</span><div class='theme-doc-toc-mobile'><button>On this page</button></div><div class='theme-doc-markdown markdown'>{}</div><footer class=theme-doc-footer><a class=theme-edit-this-page>Edit this page</a></footer></article><nav class=pagination-nav>Next</nav></main>",
    );
    check(
        Framework::Vitepress,
        "<meta name=generator content='VitePress v1.5'><header class=VPNav>Site</header><aside class=VPSidebar>menu</aside><div class=VPDoc><div class=aside>On this page</div><div class=content><main class=main><div class='vp-doc _docs'>{}</div></main><footer class=VPDocFooter><div class=edit-info>Edit this page</div></footer></div></div>",
    );
    check(
        Framework::Vuepress,
        "<meta name=generator content='VuePress 2'><aside class=sidebar>menu</aside><main class=page><div class=theme-default-content>{}</div><footer class=page-meta>Last Updated</footer></main>",
    );
    check(
        Framework::Nextra,
        "<aside class=nextra-sidebar-container>menu</aside><article class='nextra-content'><main><div class=nextra-breadcrumb>Docs</div>{}</main></article><nav class=nextra-toc>On This Page</nav>",
    );
    check(
        Framework::Starlight,
        "<meta name=generator content='Starlight v0.30'><header>Site</header><nav class=sidebar>menu</nav><main><div class=content-panel><div class=sl-markdown-content>{}</div><footer class=sl-flex>Next</footer></div></main>",
    );
    check(
        Framework::Gitbook,
        "<meta name=generator content='GitBook'><aside>menu</aside><main><header><nav>Docs</nav></header>{}<div class=feedback>Was this helpful?</div></main>",
    );
    check(
        Framework::Readme,
        "<nav class=rm-Sidebar>menu</nav><main><div class='rm-Markdown markdown-body'>{}</div></main>",
    );
    check(
        Framework::Mintlify,
        "<meta name=generator content='Mintlify'><div id=sidebar>menu</div><div id=content-area><div class='mdx-content'>{}</div></div><div id=table-of-contents>On this page</div>",
    );
}

#[test]
fn language_tools() {
    check(
        Framework::Mdbook,
        "<nav id=sidebar class=sidebar><div class=sidebar-scrollbox>menu</div></nav><div id=page-wrapper class=page-wrapper><div class=page><div id=menu-bar>The Book</div><div id=content class=content><main>{}</main><nav class=nav-wrapper><a class=nav-chapters>Next</a></nav></div></div><nav class=nav-wide-wrapper><a class=nav-chapters>Next</a></nav></div>",
    );
    check(
        Framework::Rustdoc,
        "<meta name=generator content=rustdoc><nav class=sidebar><h2>Crate</h2></nav><main><div class=width-limiter><rustdoc-search></rustdoc-search><section id=main-content class=content>{}</section></div></main>",
    );
    check(
        Framework::Javadoc,
        "<meta name=generator content='javadoc/DocletWriter'><header role=banner><nav role=navigation><div class=top-nav>Overview</div></nav></header><div class=flex-content><main role=main>{}</main><footer role=contentinfo>Copyright</footer></div>",
    );
    check(
        Framework::Doxygen,
        "<meta name=generator content='Doxygen 1.9'><div id=top><div id=titlearea>Project</div></div><div id=nav-path class=navpath><ul><li>a</li></ul></div><div class=contents>{}</div><hr class=footer><address class=footer>Generated</address>",
    );
}

#[test]
fn static_sites() {
    check(
        Framework::Antora,
        "<meta name=generator content='Antora 3'><header class=header><nav class=navbar>Site</nav></header><div class=body><div class=nav-container>menu</div><main class=article><div class=toolbar role=navigation>Docs</div><div class=content><aside class='toc sidebar'>Contents</aside><article class=doc>{}</article></div></main></div>",
    );
    check(
        Framework::Docsy,
        "<header><nav class='td-navbar'>Site</nav></header><div class=td-main><aside class=td-sidebar>menu</aside><main role=main><nav class=td-breadcrumbs>Docs</nav><div class=td-content>{}<div class=td-page-meta__lastmod>Last modified</div></div></main></div>",
    );
    check(
        Framework::Hugo,
        "<meta name=generator content='Hugo 0.140'><header>Site</header><main><article>{}</article></main><footer>Hugo</footer>",
    );
    check(
        Framework::Jekyll,
        "<meta name=generator content='Jekyll v4'><div class=side-bar>menu</div><div class=main><div class=main-header>Search</div><div class=main-content-wrap><div id=main-content class=main-content><main>{}</main></div></div></div>",
    );
    check(
        Framework::Docbook,
        "<div class=navheader><table><tr><td>Prev</td></tr></table></div><div class=sect1><div class=titlepage>{}</div></div><div class=navfooter>Next</div>",
    );
    check(
        Framework::Mediawiki,
        "<meta name=generator content='MediaWiki 1.43'><div id=mw-navigation>menu</div><div id=content><div id=siteSub>From a wiki</div><div id=mw-content-text><div class=mw-parser-output>{}<div class=printfooter>Retrieved</div></div></div><div id=catlinks class=catlinks>Categories</div></div>",
    );
}
