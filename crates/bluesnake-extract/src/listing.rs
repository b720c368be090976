//! Pages that a generator makes beside the documentation: its index of words, its index of modules, its search form.

use crate::framework::Framework;
use crate::tree::{Attr, Tree};

/// Whether a page is one of these. They have no text of their own.
pub(crate) fn is_listing(tree: &Tree, framework: Option<Framework>) -> bool {
    let is_sphinx = matches!(framework, Some(Framework::Sphinx | Framework::ReadTheDocs));
    tree.ids().any(|id| {
        tree.classes(id).any(|class| INDEX_CLASSES.contains(&class))
            || (is_sphinx && tree.attr(id, Attr::Id) == Some("search-results"))
    })
}

/// Of Sphinx, in all of its themes.
const INDEX_CLASSES: [&str; 4] = ["genindex-jumpbox", "genindextable", "modindex-jumpbox", "modindextable"];

#[cfg(test)]
mod tests {
    use crate::{Options, Page, extract};

    #[test]
    fn detects_generated_indexes_and_search_forms() {
        let check = |body: &str, expected: bool| {
            let html = format!("<meta name=generator content='Sphinx 8.1'><body>{body}<p>Some words.</p>");
            let url = "https://a.example/page.html".parse().unwrap();
            let extracted = extract(&Page { html: &html, url: &url }, &Options::default());
            assert_eq!(extracted.is_listing, expected, "{body}");
        };
        check("<div class=genindex-jumpbox><a href=#A>A</a></div>", true);
        check("<table class='indextable modindextable'><tr><td>os</table>", true);
        check("<h1>Search</h1><div id=search-results></div>", true);
        check("<h1>How to search</h1><section id=search></section>", false);
        check("<h1>Index</h1><ul id=index class=index><li>of a chapter</ul>", false);
    }
}
