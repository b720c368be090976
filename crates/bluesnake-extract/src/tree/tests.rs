//! Compares the tree with that of a fully standard-compliant parser.

use std::collections::BTreeMap;
use std::path::Path;

use dom_query::{Document, NodeRef};

use super::{NodeId, Tag, Tree};

/// Elements whose content is ignored here.
const UNREAD: &[&str] =
    &["script", "style", "noscript", "iframe", "textarea", "template", "svg", "head", "title", "select", "object"];

/// Elements that the standard implies and that make no difference.
const IMPLIED: &[&str] = &["html", "body", "tbody", "colgroup"];

/// Each text that is not white space, after its path of elements.
fn ours(html: &str) -> Vec<String> {
    let tree = Tree::parse(html);
    let name = |id: NodeId| tree.tag(id).map(|tag| format!("{tag:?}").to_lowercase()).unwrap_or_default();
    let texts = tree.ids().filter_map(|id| Some((id, tree.text(id)?)));
    let paths = texts.map(|(id, text)| (tree.ancestors(id).map(name).collect::<Vec<_>>(), text.to_owned()));
    listed(paths.collect())
}

fn theirs(html: &str) -> Vec<String> {
    let document = Document::from(html);
    let mut paths = Vec::new();
    for node in document.root().descendants_it().filter(NodeRef::is_text) {
        let names = node.ancestors_it(None).filter_map(|above| above.node_name()).map(|name| known(&name));
        paths.push((names.collect(), node.text().to_string()));
    }
    listed(paths)
}

fn known(name: &str) -> String {
    if Tag::named(name) == Tag::Other { "other".to_owned() } else { name.to_owned() }
}

fn listed(paths: Vec<(Vec<String>, String)>) -> Vec<String> {
    let is_read = |path: &Vec<String>| !path.iter().any(|name| UNREAD.contains(&name.as_str()));
    let texts = paths.into_iter().filter(|(path, text)| is_read(path) && !text.trim().is_empty());
    let mut shown: Vec<(String, String)> = Vec::new();
    for (path, text) in texts {
        let names = path.iter().rev().filter(|name| !IMPLIED.contains(&name.as_str()) && *name != "#document");
        let path = names.cloned().collect::<Vec<_>>().join(">");
        let text = text.split_whitespace().collect::<String>();
        match shown.last_mut() {
            // One parser may see two texts where the other sees one.
            Some((last, words)) if *last == path => words.push_str(&text),
            _ => shown.push((path, text)),
        }
    }
    shown.into_iter().map(|(path, text)| format!("{path}: {text}")).collect()
}

#[test]
fn end_tags_that_may_be_left_out_are() {
    let check = |html: &str| assert_eq!(ours(html), theirs(html), "{html}");
    check("<p>a<p>b<div>c</div>d");
    check("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e");
    check("<dl><dt>a<dd>b<dt>c<dd>d</dl>e");
    check("<table><tr><td>a<td>b<tr><th>c</table>d");
    check("<table><thead><tr><th>a<tbody><tr><td>b<tfoot><tr><td>c</table>d");
    check("<table><td>a<table><td>b</table>c</table>d");
    check("<table><caption>a<tr><td>b</table>");
    check("<h1>a<h2>b</h2>c</h1>d");
    check("<div>a</p>b</div>c</div>d");
    check("<pre>\na\n\nb</pre>");
    check("<a href=x>a<a href=y>b</a>c");
    check("<span>a<div>b</span>c</div>d");
    check("<ul><li><p>a<li>b</ul>");
    check("<table><tr><form><td>a</form><td>b</table>");
    check("<select><option>a<option>b</select>c");
    check("<button><p>a</button>b");
    check("a<br/>b</br>c<hr>d");
    check("<li>a<div><li>b</div>c");
    check("<body>a<body class=x>b");
    check("<template>a<template>b</template></template>c");
    check("<svg><title>t</title></svg>a<script>b<c></script>d");
    check("&lt;p>&amp;copy;&copy;&notit;&#x41;");
    check("<!-- a --><!doctype html>b<!-->c<![CDATA[d]]>e");
}

#[test]
fn vectors_of_web_pages_have_the_tree_that_browsers_build() {
    let in_target = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/vectors");
    let folder = std::env::var_os("BLUESNAKE_VECTORS").map_or_else(in_target, Into::into).join("web-pages/cache");
    assert!(folder.is_dir(), "{} is missing; run tools/vectors web-pages", folder.display());
    let (mut pages, mut same, mut all) = (0, 0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let (same_here, all_here) = compare(&String::from_utf8_lossy(&bytes));
        if same_here < all_here {
            println!("{}: {same_here} of {all_here} texts are where a browser has them", path.display());
        }
        (pages, same, all) = (pages + 1, same + same_here, all + all_here);
    }
    println!("{pages} pages: {same} of {all} texts are where a browser has them");
    assert_eq!(pages, 110);
    assert!(all > 15_000 && same * 1000 >= all * 995, "{same} of {all} texts are where a browser has them");
}

/// How many texts both trees have in the same place, and how many there are.
fn compare(html: &str) -> (usize, usize) {
    let (ours, theirs) = (ours(html), theirs(html));
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    ours.iter().for_each(|text| *counts.entry(text).or_default() += 1);
    let mut take = |text: &String| counts.get_mut(text).filter(|count| **count > 0).map(|count| *count -= 1).is_some();
    (theirs.iter().filter(|text| take(text)).count(), theirs.len())
}
