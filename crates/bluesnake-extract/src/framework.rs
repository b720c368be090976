//! Which framework generated the page, by its generator tag or its theme.

use serde::{Deserialize, Serialize};

/// A program or theme that makes documentation pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Framework {
    Antora,
    Asciidoctor,
    Docbook,
    Docsy,
    Docusaurus,
    Doxygen,
    Gitbook,
    Hugo,
    Javadoc,
    Jekyll,
    Mdbook,
    Mediawiki,
    Mintlify,
    Mkdocs,
    MkdocsMaterial,
    Nextra,
    ReadTheDocs,
    Readme,
    Redoc,
    Rustdoc,
    Sphinx,
    Starlight,
    Swagger,
    Texinfo,
    Vitepress,
    Vuepress,
}

impl Framework {
    /// By the content of `<meta name="generator">`.
    pub(crate) fn of_generator(generator: &str) -> Option<Self> {
        let generator = generator.to_ascii_lowercase();
        let found = GENERATORS.iter().find(|(name, _)| generator.contains(name));
        found.map(|(_, framework)| *framework)
    }
}

/// The first match wins, so specific entries come before general ones.
const GENERATORS: &[(&str, Framework)] = &[
    ("mkdocs-material", Framework::MkdocsMaterial),
    ("mkdocs", Framework::Mkdocs),
    ("docusaurus", Framework::Docusaurus),
    ("vitepress", Framework::Vitepress),
    ("vuepress", Framework::Vuepress),
    ("starlight", Framework::Starlight),
    ("nextra", Framework::Nextra),
    ("mdbook", Framework::Mdbook),
    ("rustdoc", Framework::Rustdoc),
    ("javadoc", Framework::Javadoc),
    ("gitbook", Framework::Gitbook),
    ("mintlify", Framework::Mintlify),
    ("antora", Framework::Antora),
    ("asciidoctor", Framework::Asciidoctor),
    ("docbook", Framework::Docbook),
    ("doxygen", Framework::Doxygen),
    ("makeinfo", Framework::Texinfo),
    ("texi2any", Framework::Texinfo),
    ("mediawiki", Framework::Mediawiki),
    ("readme", Framework::Readme),
    ("sphinx", Framework::Sphinx),
    ("jekyll", Framework::Jekyll),
    ("hugo", Framework::Hugo),
];
