//! A blog of 36 posts on four pages.

use super::document::{Document, Tongue};

const POSTS: usize = 36;
const PER_PAGE: usize = 9;
pub(super) const PAGES: usize = POSTS / PER_PAGE;

const TOPICS: [(&str, &str); 6] = [
    ("Drying boards", "Bretter trocknen"),
    ("Choosing a saw", "Eine Säge wählen"),
    ("Oil and wax", "Öl und Wachs"),
    ("Joints that last", "Verbindungen mit Dauer"),
    ("Light at home", "Licht im Haus"),
    ("A tidy workshop", "Ordnung in der Werkstatt"),
];

const SEASONS: [(&str, &str); 6] = [
    ("in spring", "im Frühling"),
    ("in summer", "im Sommer"),
    ("in autumn", "im Herbst"),
    ("in winter", "im Winter"),
    ("for beginners", "für Anfänger"),
    ("on a budget", "für wenig Geld"),
];

pub(super) fn all(tongue: Tongue) -> Vec<Document> {
    let pages = (1..=PAGES).map(|page| list(tongue, page));
    pages.chain((0..POSTS).map(|number| post(tongue, number))).collect()
}

/// The path of a page of the list.
pub(super) fn path_of_page(page: usize) -> String {
    if page == 1 { "/blog/".to_owned() } else { format!("/blog/page/{page}/") }
}

fn path_of(number: usize) -> String {
    let slug = name_of(Tongue::English, number).to_lowercase().replace(' ', "-");
    format!("/blog/{slug}")
}

fn name_of(tongue: Tongue, number: usize) -> String {
    let (topic, season) = (TOPICS[number % 6], SEASONS[number / 6]);
    format!("{} {}", tongue.pick(topic.0, topic.1), tongue.pick(season.0, season.1))
}

fn list(tongue: Tongue, page: usize) -> Document {
    let path = path_of_page(page);
    let (title, heading, second) = match tongue {
        Tongue::English => (
            format!("Our blog about wood, page {page} of {PAGES} | Alder House"),
            format!("The blog of the workshop, page {page}"),
            format!("Posts on page {page}"),
        ),
        Tongue::German => (
            format!("Unser Blog über Holz, Seite {page} von {PAGES} | Alderhaus"),
            format!("Der Blog der Werkstatt, Seite {page}"),
            format!("Beiträge auf Seite {page}"),
        ),
    };
    let posts: String = ((page - 1) * PER_PAGE..page * PER_PAGE).map(|number| excerpt(tongue, number)).collect();
    let mut document = Document::new(tongue, &path, title, heading, second);
    document.head = neighbours(tongue, page, |rel, path| format!("<link rel=\"{rel}\" href=\"{{self}}{path}\">\n"));
    document.with(&posts).with(&pager(tongue, page))
}

fn excerpt(tongue: Tongue, number: usize) -> String {
    let (path, name) = (tongue.path(&path_of(number)), name_of(tongue, number));
    let text = tongue.prose(&format!("excerpt {path}")).sentences(3);
    format!("<article><h3><a href=\"{path}\">{name}</a></h3><p>{text}</p></article>\n")
}

fn pager(tongue: Tongue, page: usize) -> String {
    let links = neighbours(tongue, page, |rel, path| {
        let label = if rel == "next" {
            tongue.pick("Older posts", "Ältere Beiträge")
        } else {
            tongue.pick("Newer posts", "Neuere Beiträge")
        };
        format!("<li><a href=\"{path}\">{label}</a></li>")
    });
    format!("<nav class=\"pagination\"><ul>{links}</ul></nav>\n")
}

fn neighbours(tongue: Tongue, page: usize, write: impl Fn(&str, &str) -> String) -> String {
    let prev = (page > 1).then(|| write("prev", &tongue.path(&path_of_page(page - 1))));
    let next = (page < PAGES).then(|| write("next", &tongue.path(&path_of_page(page + 1))));
    [prev, next].into_iter().flatten().collect()
}

fn post(tongue: Tongue, number: usize) -> Document {
    let (path, name) = (path_of(number), name_of(tongue, number));
    let title = format!("{name} | {}", tongue.pick("The blog of Alder House", "Blog vom Alderhaus"));
    let second = match tongue {
        Tongue::English => format!("What we learned: {}", name.to_lowercase()),
        Tongue::German => format!("Was wir gelernt haben: {name}"),
    };
    let (next, outward) = (path_of((number + 1) % POSTS), tongue.pick("a page about wood", "eine Seite über Holz"));
    let links = format!(
        "<h3 id=\"more\">{}</h3>\n<p><a href=\"{}\">{}</a>, <a href=\"#more\">{}</a>, <a href=\"{{host:partner.test}}/wood\">{outward}</a></p>\n",
        tongue.pick("Read on", "Weiterlesen"),
        tongue.path(&next),
        name_of(tongue, (number + 1) % POSTS),
        tongue.pick("the end of this page", "das Ende dieser Seite"),
    );
    let data = data_of(&name, &tongue.path("/about"));
    let label = tongue.pick("Our blog", "Unser Blog");
    Document::new(tongue, &path, title, name, second).below(label, "/blog/").with(&links).data(data)
}

fn data_of(name: &str, author: &str) -> String {
    format!(
        "{{\"@context\": \"https://schema.org\", \"@type\": \"BlogPosting\", \"headline\": \"{name}\", \
         \"image\": \"{{host:cdn.healthy.test}}/house.png\", \"datePublished\": \"2026-02-01\", \"dateModified\": \"2026-02-03\", \
         \"author\": {{\"@type\": \"Person\", \"name\": \"Ann Alder\", \"url\": \"{{self}}{author}\"}}, \
         \"publisher\": {{\"@type\": \"Organization\", \"name\": \"Alder House\", \"url\": \"{{self}}/\", \"logo\": \"{{host:cdn.healthy.test}}/house.png\"}}}}"
    )
}
