//! The start page, and pages about the house and its help.

use super::blog;
use super::document::{Document, Tongue};

/// Path, heading and subheading in both languages.
type Words = (&'static str, (&'static str, &'static str), (&'static str, &'static str));

const HOUSE: [Words; 4] = [
    ("/about", ("About our house and us", "Über unser Haus und uns"), ("Who works here", "Wer hier arbeitet")),
    ("/contact", ("Contact and opening hours", "Kontakt und Öffnungszeiten"), ("The way to us", "Der Weg zu uns")),
    (
        "/imprint",
        ("Imprint of the workshop", "Impressum der Werkstatt"),
        ("Who is responsible", "Wer verantwortlich ist"),
    ),
    ("/privacy", ("Privacy and your data", "Datenschutz und Ihre Daten"), ("What we store", "Was wir speichern")),
];

const HELP: [Words; 4] = [
    ("/help/orders", ("Orders and payment", "Bestellung und Bezahlung"), ("How to order", "So bestellen Sie")),
    (
        "/help/delivery",
        ("Delivery and returns", "Lieferung und Rückgabe"),
        ("How long it takes", "Wie lange es dauert"),
    ),
    ("/help/care", ("Care of wooden things", "Pflege von Dingen aus Holz"), ("What wood likes", "Was Holz mag")),
    (
        "/help/repairs",
        ("Repairs and spare parts", "Reparatur und Ersatzteile"),
        ("What we repair", "Was wir reparieren"),
    ),
];

pub(super) fn all(tongue: Tongue) -> Vec<Document> {
    let house = HOUSE.iter().map(|words| simple(tongue, *words));
    let label = tongue.pick("Help", "Hilfe");
    let help = HELP.iter().map(|words| simple(tongue, *words).below(label, "/help/"));
    [start(tongue), topics(tongue)].into_iter().chain(house).chain(help).collect()
}

fn simple(tongue: Tongue, (path, heading, second): Words) -> Document {
    let heading = tongue.pick(heading.0, heading.1);
    let title = format!("{heading} | {}", tongue.pick("Alder House", "Alderhaus"));
    Document::new(tongue, path, title, heading.to_owned(), tongue.pick(second.0, second.1).to_owned())
}

fn start(tongue: Tongue) -> Document {
    let words = (
        "/",
        ("Things made of wood by hand", "Von Hand gemacht aus Holz"),
        ("From our workshop", "Aus unserer Werkstatt"),
    );
    let pages: String = (1..=blog::PAGES)
        .map(|page| {
            let label = tongue.pick("Posts of our blog, page", "Beiträge unseres Blogs, Seite");
            format!("<li><a href=\"{}\">{label} {page}</a></li>\n", tongue.path(&blog::path_of_page(page)))
        })
        .collect();
    let partner = tongue.pick("Our partner for wood", "Unser Partner für Holz");
    let mut document = simple(tongue, words)
        .with(&format!("<ul>\n{pages}<li><a href=\"{{host:partner.test}}/\" target=\"_blank\" rel=\"noopener\">{partner}</a></li></ul>\n"))
        .with("<form action=\"/letters\" method=\"post\"><label>E-Mail <input name=\"email\" type=\"email\"></label></form>\n")
        .data(
            "{\"@context\": \"https://schema.org\", \"@type\": \"Organization\", \"name\": \"Alder House\", \"url\": \"{self}/\", \
             \"logo\": \"{host:cdn.healthy.test}/house.png\", \"sameAs\": [\"https://social.test/alder-house\"]}"
                .to_owned(),
        );
    document.trail.clear();
    document
}

fn topics(tongue: Tongue) -> Document {
    let words = ("/help/", ("Help for our customers", "Hilfe für unsere Kunden"), ("All topics", "Alle Themen"));
    let items: String = HELP
        .iter()
        .map(|(path, heading, _)| {
            format!("<li><a href=\"{}\">{}</a></li>\n", tongue.path(path), tongue.pick(heading.0, heading.1))
        })
        .collect();
    simple(tongue, words).with(&format!("<ul>\n{items}</ul>\n"))
}
