//! The template of every page.

use crate::page::escape;
use crate::prose::{Language, Prose};
use crate::reply::Reply;

/// The language of a page, with the words of the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    English,
    German,
}

impl Tongue {
    pub(super) fn code(self) -> &'static str {
        self.pick("en", "de")
    }

    /// The words in this language.
    pub(super) fn pick<'a>(self, english: &'a str, german: &'a str) -> &'a str {
        match self {
            Self::English => english,
            Self::German => german,
        }
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::English => Self::German,
            Self::German => Self::English,
        }
    }

    /// A path of the English site in this language.
    pub(super) fn path(self, path: &str) -> String {
        match self {
            Self::English => path.to_owned(),
            Self::German => format!("/de{path}"),
        }
    }

    /// Sentences for a page.
    pub(super) fn prose(self, name: &str) -> Prose {
        let language = match self {
            Self::English => Language::English,
            Self::German => Language::German,
        };
        Prose::of(&format!("healthy {name}"), language)
    }
}

/// A page. All texts are plain, except `main`, `head` and `data`.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) tongue: Tongue,
    pub(super) path: String,
    /// The path of the English version.
    pub(super) original: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) heading: String,
    pub(super) subheading: String,
    /// What is between the headings.
    pub(super) lead: String,
    /// What comes after the second heading.
    pub(super) main: String,
    /// The pages above, from the start page down: label and path.
    pub(super) trail: Vec<(String, String)>,
    /// More elements of the head.
    pub(super) head: String,
    /// JSON-LD of this page, besides the trail.
    pub(super) data: String,
}

impl Document {
    /// A page with a title and texts of its own; `path` is that of the English version.
    pub(super) fn new(tongue: Tongue, path: &str, title: String, heading: String, subheading: String) -> Self {
        let mut prose = tongue.prose(path);
        let name = heading.to_lowercase();
        let description = match tongue {
            Tongue::English => {
                format!("All about {name}: what it is, how we make it, and what else you may want to know.")
            }
            Tongue::German => {
                format!("Alles über {name}: was dahinter steckt, wie wir arbeiten und was sonst noch wichtig ist.")
            }
        };
        Self {
            tongue,
            path: tongue.path(path),
            original: path.to_owned(),
            title,
            description,
            heading,
            subheading,
            lead: format!("<p>{}</p>\n", prose.sentences(4)),
            main: prose.paragraphs(230),
            trail: vec![(tongue.pick("Start page", "Startseite").to_owned(), tongue.path("/"))],
            head: String::new(),
            data: String::new(),
        }
    }

    /// Below another page.
    pub(super) fn below(mut self, label: &str, path: &str) -> Self {
        self.trail.push((label.to_owned(), self.tongue.path(path)));
        self
    }

    /// With more content.
    pub(super) fn with(mut self, html: &str) -> Self {
        self.main.push_str(html);
        self
    }

    /// With structured data.
    pub(super) fn data(mut self, json: String) -> Self {
        self.data = json;
        self
    }

    pub(super) fn reply(&self) -> Reply {
        Reply::html(self.html())
            .header("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
            .header(
                "Content-Security-Policy",
                "default-src 'self' https://cdn.healthy.test:{port}; frame-ancestors 'none'",
            )
            .header("X-Content-Type-Options", "nosniff")
            .header("Referrer-Policy", "strict-origin-when-cross-origin")
            .header("Set-Cookie", "visit=1; Path=/; Secure; HttpOnly; SameSite=Lax")
            .header("Server", "nginx")
            .encode("gzip")
    }

    fn html(&self) -> String {
        let Self { tongue, lead, main, head, .. } = self;
        let (heading, subheading) = (escape(&self.heading), escape(&self.subheading));
        format!(
            "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n{meta}{head}{data}</head>\n<body>\n\
             <header>\n<a class=\"skip\" href=\"#content\">{skip}</a>\n{brand}{menu}</header>\n{trail}\
             <main id=\"content\">\n<h1>{heading}</h1>\n{lead}<h2>{subheading}</h2>\n{main}</main>\n{footer}</body>\n</html>\n",
            lang = tongue.code(),
            meta = self.meta(),
            data = self.json_ld(),
            skip = tongue.pick("Skip to the content", "Direkt zum Inhalt"),
            brand = self.brand(),
            menu = self.menu(),
            trail = self.breadcrumbs(),
            footer = self.footer(),
        )
    }

    fn meta(&self) -> String {
        let (title, description, path) = (escape(&self.title), escape(&self.description), &self.path);
        let versions: String = [Tongue::English, Tongue::German]
            .map(|tongue| (tongue.code(), tongue.path(&self.original)))
            .into_iter()
            .chain([("x-default", self.original.clone())])
            .map(|(code, path)| format!("<link rel=\"alternate\" hreflang=\"{code}\" href=\"{{self}}{path}\">\n"))
            .collect();
        format!(
            "<title>{title}</title>\n<meta name=\"description\" content=\"{description}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <link rel=\"canonical\" href=\"{{self}}{path}\">\n{versions}\
             <meta property=\"og:title\" content=\"{title}\">\n<meta property=\"og:description\" content=\"{description}\">\n\
             <meta property=\"og:image\" content=\"{{host:cdn.healthy.test}}/house.png\">\n\
             <link rel=\"icon\" href=\"/favicon.png\">\n\
             <link rel=\"stylesheet\" href=\"{{host:cdn.healthy.test}}/site.css\">\n\
             <script src=\"{{host:cdn.healthy.test}}/site.js\" defer></script>\n"
        )
    }

    fn json_ld(&self) -> String {
        let items: Vec<String> = self
            .trail
            .iter()
            .chain([&(self.heading.clone(), self.path.clone())])
            .enumerate()
            .map(|(at, (label, path))| {
                let position = at + 1;
                format!("{{\"@type\": \"ListItem\", \"position\": {position}, \"name\": \"{label}\", \"item\": \"{{self}}{path}\"}}")
            })
            .collect();
        let trail = format!(
            "<script type=\"application/ld+json\">{{\"@context\": \"https://schema.org\", \"@type\": \"BreadcrumbList\", \
             \"itemListElement\": [{}]}}</script>\n",
            items.join(", ")
        );
        if self.data.is_empty() {
            return trail;
        }
        format!("{trail}<script type=\"application/ld+json\">{}</script>\n", self.data)
    }

    fn brand(&self) -> String {
        format!(
            "<a href=\"{}\"><img src=\"{{host:cdn.healthy.test}}/logo.svg\" alt=\"{}\" width=\"120\" height=\"40\"></a>\n",
            self.tongue.path("/"),
            self.tongue.pick("Alder House, to the start page", "Alderhaus, zur Startseite"),
        )
    }

    fn menu(&self) -> String {
        let tongue = self.tongue;
        let shelves = super::goods::KINDS
            .iter()
            .map(|kind| (format!("/goods/{}/", kind.path), tongue.pick(kind.english, kind.german)));
        let more =
            [("/about", "About us", "Über uns"), ("/blog/", "Our blog", "Unser Blog"), ("/help/", "Help", "Hilfe")];
        let more = more.map(|(path, english, german)| (path.to_owned(), tongue.pick(english, german)));
        let items: String = shelves
            .chain(more)
            .map(|(path, label)| format!("<li><a href=\"{}\">{label}</a></li>", tongue.path(&path)))
            .collect();
        let other = tongue.other();
        format!(
            "<nav><ul>{items}</ul></nav>\n<nav class=\"languages\"><a href=\"{}\" hreflang=\"{}\">{}</a></nav>\n",
            other.path(&self.original),
            other.code(),
            other.pick("This page in English", "Diese Seite auf Deutsch"),
        )
    }

    fn breadcrumbs(&self) -> String {
        let links: Vec<String> =
            self.trail.iter().map(|(label, path)| format!("<a href=\"{path}\">{label}</a>")).collect();
        format!("<nav class=\"breadcrumb\">{} › {}</nav>\n", links.join(" › "), escape(&self.heading))
    }

    fn footer(&self) -> String {
        let tongue = self.tongue;
        let own = [
            ("/contact", "Contact us", "Kontakt"),
            ("/imprint", "Imprint", "Impressum"),
            ("/privacy", "Privacy", "Datenschutz"),
        ];
        let own: String = own
            .iter()
            .map(|(path, english, german)| {
                format!("<li><a href=\"{}\">{}</a></li>", tongue.path(path), tongue.pick(english, german))
            })
            .collect();
        let labels = [
            ("News about us", "Neues von uns"),
            ("Pictures of our work", "Bilder unserer Arbeit"),
            ("The wood group", "Die Holzgruppe"),
        ];
        let social: String = super::REFUSING
            .iter()
            .zip(labels)
            .map(|((path, _), (english, german))| {
                let label = tongue.pick(english, german);
                format!(
                    "<li><a href=\"{{host:social.test}}{path}\" target=\"_blank\" rel=\"noopener\">{label}</a></li>"
                )
            })
            .collect();
        format!("<footer><ul>{own}{social}</ul><p>Alder House, Mill Lane 4</p></footer>\n")
    }
}
