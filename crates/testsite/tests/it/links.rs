//! Extracts links independently, so that the server does not check itself.

/// The values of `href` in anchors, in document order, as a browser would see them.
pub(crate) fn links(html: &str) -> Vec<String> {
    let hidden = [("<!--", "-->"), ("<script>", "</script>"), ("<textarea>", "</textarea>"), ("<style>", "</style>")];
    let visible = hidden.iter().fold(html.to_owned(), |html, (open, close)| without(&html, open, close));
    let anchors = visible.replace("<A ", "<a ").replace("<a\n", "<a ");
    anchors.split("<a ").skip(1).map(|anchor| attribute(anchor, "href")).collect()
}

/// The absolute URL of a reference found on the page `base`, without fragment.
pub(crate) fn join(base: &str, reference: &str) -> String {
    let reference = reference.split('#').next().expect("a split has a first part");
    let (scheme, behind) = base.split_once("://").expect("a base is absolute");
    let (host, path) = behind.split_at(behind.find('/').expect("a base has a path"));
    let path = path.split('?').next().expect("a split has a first part");
    let directory = &path[..=path.rfind('/').expect("a path has a slash")];
    match reference {
        _ if reference.contains("://") => reference.to_owned(),
        _ if reference.starts_with("//") => format!("{scheme}:{reference}"),
        _ if reference.starts_with('/') => format!("{scheme}://{host}{}", without_dots(reference)),
        _ if reference.starts_with('?') || reference.is_empty() => format!("{scheme}://{host}{path}{reference}"),
        _ => format!("{scheme}://{host}{}", without_dots(&format!("{directory}{reference}"))),
    }
}

/// The page's `<base href>`, or its own URL.
pub(crate) fn base_of(url: &str, html: &str) -> String {
    html.split_once("<base ").map_or(url.to_owned(), |(_, rest)| join(url, &attribute(rest, "href")))
}

fn without(html: &str, open: &str, close: &str) -> String {
    let (mut kept, mut rest) = (String::new(), html);
    while let Some((before, behind)) = rest.split_once(open) {
        kept.push_str(before);
        rest = behind.split_once(close).map_or("", |(_, after)| after);
    }
    kept + rest
}

fn attribute(tag: &str, name: &str) -> String {
    let at = tag.to_ascii_lowercase().find(name).expect("the tag has the attribute");
    let value = tag[at + name.len()..].trim_start().trim_start_matches('=').trim_start();
    let raw = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
        _ => value.split([' ', '>', '\n']).next(),
    };
    let text = raw.expect("a split has a first part").trim();
    text.replace("&#47;", "/").replace("&#x3a;", ":").replace("&amp;", "&")
}

fn without_dots(target: &str) -> String {
    let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
    let mut kept = Vec::new();
    for segment in path.split('/') {
        match segment {
            "." => {}
            ".." if kept.len() > 1 => drop(kept.pop()),
            ".." => {}
            name => kept.push(name),
        }
    }
    if path.ends_with("/.") || path.ends_with("/..") {
        kept.push("");
    }
    format!("{}{query}", kept.join("/"))
}
