//! The goods of the shop: a page for each kind and each article.

use super::document::{Document, Tongue};

/// A kind of goods.
pub(super) struct Kind {
    pub(super) path: &'static str,
    pub(super) english: &'static str,
    pub(super) german: &'static str,
    one: (&'static str, &'static str),
}

pub(super) const KINDS: [Kind; 5] = [
    Kind { path: "lamps", english: "Lamps", german: "Lampen", one: ("lamp", "Lampe") },
    Kind { path: "tables", english: "Tables", german: "Tische", one: ("table", "Tisch") },
    Kind { path: "chairs", english: "Chairs", german: "Stühle", one: ("chair", "Stuhl") },
    Kind { path: "shelves", english: "Shelves", german: "Regale", one: ("shelf", "Regal") },
    Kind { path: "clocks", english: "Clocks", german: "Uhren", one: ("clock", "Uhr") },
];

const WOODS: [(&str, &str); 9] = [
    ("oak", "Eiche"),
    ("ash", "Esche"),
    ("pine", "Kiefer"),
    ("elm", "Ulme"),
    ("beech", "Buche"),
    ("maple", "Ahorn"),
    ("walnut", "Nussbaum"),
    ("cherry", "Kirsche"),
    ("birch", "Birke"),
];

pub(super) fn all(tongue: Tongue) -> Vec<Document> {
    let articles = KINDS.iter().flat_map(|kind| WOODS.iter().map(move |wood| article(tongue, kind, *wood)));
    KINDS.iter().map(|kind| shelf(tongue, kind)).chain(articles).collect()
}

/// All goods of a kind.
fn shelf(tongue: Tongue, kind: &Kind) -> Document {
    let label = tongue.pick(kind.english, kind.german);
    let (title, heading, second) = match tongue {
        Tongue::English => (
            format!("{label} made of nine kinds of wood | Alder House"),
            format!("Our {}", label.to_lowercase()),
            format!("All {} at a glance", label.to_lowercase()),
        ),
        Tongue::German => (
            format!("{label} aus neun Sorten Holz | Alderhaus"),
            format!("Unsere {label}"),
            format!("Alle {label} auf einen Blick"),
        ),
    };
    let items: String = WOODS.iter().map(|wood| teaser(tongue, kind, *wood)).collect();
    Document::new(tongue, &format!("/goods/{}/", kind.path), title, heading, second)
        .with(&format!("<ul>\n{items}</ul>\n"))
}

fn teaser(tongue: Tongue, kind: &Kind, wood: (&str, &str)) -> String {
    let path = path_of(kind, wood.0);
    let sentence = tongue.prose(&format!("teaser {path}")).sentence();
    format!("<li><a href=\"{}\">{}</a>: {sentence}</li>\n", tongue.path(&path), name_of(tongue, kind, wood))
}

fn article(tongue: Tongue, kind: &Kind, wood: (&str, &str)) -> Document {
    let (path, name) = (path_of(kind, wood.0), name_of(tongue, kind, wood));
    let (title, second) = match tongue {
        Tongue::English => {
            (format!("{name}, made by hand | Alder House"), format!("How we build the {}", name.to_lowercase()))
        }
        Tongue::German => (format!("{name}, von Hand gebaut | Alderhaus"), format!("So entsteht: {name}")),
    };
    let picture = format!(
        "<p><img src=\"{{host:cdn.healthy.test}}/goods/{}.png\" alt=\"{name}\" width=\"640\" height=\"480\"></p>\n",
        wood.0
    );
    let shelf = tongue.pick(kind.english, kind.german);
    let data = data_of(tongue, &path, &name, wood.0);
    Document::new(tongue, &path, title, name, second)
        .below(shelf, &format!("/goods/{}/", kind.path))
        .with(&picture)
        .data(data)
}

fn data_of(tongue: Tongue, path: &str, name: &str, wood: &str) -> String {
    let text = tongue.prose(&format!("teaser {path}")).sentence();
    format!(
        "{{\"@context\": \"https://schema.org\", \"@type\": \"Product\", \"name\": \"{name}\", \"description\": \"{text}\", \
         \"image\": \"{{host:cdn.healthy.test}}/goods/{wood}.png\", \"sku\": \"{wood}\", \"mpn\": \"{wood}\", \"gtin\": \"4006381333931\", \
         \"brand\": {{\"@type\": \"Brand\", \"name\": \"Alder House\"}}, \
         \"offers\": {{\"@type\": \"Offer\", \"price\": \"49.00\", \"priceCurrency\": \"EUR\", \"priceValidUntil\": \"2099-12-31\", \
         \"availability\": \"https://schema.org/InStock\", \"url\": \"{{self}}{}\", \"itemCondition\": \"https://schema.org/NewCondition\"}}, \
         \"aggregateRating\": {{\"@type\": \"AggregateRating\", \"ratingValue\": \"4.5\", \"reviewCount\": \"12\", \"ratingCount\": \"12\", \"bestRating\": \"5\", \"worstRating\": \"1\"}}, \
         \"review\": {{\"@type\": \"Review\", \"author\": {{\"@type\": \"Person\", \"name\": \"Ann Miller\"}}, \"datePublished\": \"2026-03-01\", \"reviewBody\": \"Good.\", \
         \"reviewRating\": {{\"@type\": \"Rating\", \"ratingValue\": \"5\", \"bestRating\": \"5\", \"worstRating\": \"1\"}}}}}}",
        tongue.path(path)
    )
}

fn path_of(kind: &Kind, wood: &str) -> String {
    format!("/goods/{}/{wood}-{}", kind.path, kind.one.0)
}

fn name_of(tongue: Tongue, kind: &Kind, (english, german): (&str, &str)) -> String {
    match tongue {
        Tongue::English => {
            let (first, rest) = english.split_at(1);
            format!("{}{rest} {}", first.to_uppercase(), kind.one.0)
        }
        Tongue::German => format!("{} aus {german}", kind.one.1),
    }
}
