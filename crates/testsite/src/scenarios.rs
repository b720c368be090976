//! Ready-made sites, each for one purpose.
//!
//! [`all`] and [`endless`] list them by name, for the binary and for tests that apply to every site.

use std::time::Duration;

use crate::fault::Fault;
use crate::monster::Monster;
use crate::page::Page;
use crate::reply::Reply;
use crate::site::Site;
use crate::sitemap;
use crate::trap::Trap;

/// Ten valid pages, three levels deep, with a missing one and a redirect.
pub fn small() -> Site {
    Site::new()
        .robots("User-agent: *\nAllow: /\n")
        .page("/", Page::titled("Home").nav(["/about", "/products/", "/blog/"]).text("Welcome."))
        .page("/about", Page::titled("About").link("/").link("team").link("/gone"))
        .page("/team", Page::titled("Team").link("/about"))
        .page("/products/", Page::titled("Products").link("one").link("two").link("/old-product"))
        .page("/products/one", Page::titled("One").link("two").link("../"))
        .page("/products/two", Page::titled("Two").link("one").link("?colour=red"))
        .redirect("/old-product", 301, "/products/one")
        .page("/blog/", Page::titled("Blog").link("2024/first").link("2024/second"))
        .page("/blog/2024/first", Page::titled("First").link("second").link("/blog/#latest"))
        .page("/blog/2024/second", Page::titled("Second").link("first"))
}

/// A page that links into a loop of redirects, one that redirects to itself, and a good page.
pub fn redirect_loop() -> Site {
    Site::new()
        .page("/", Page::titled("Home").link("/loop/1").link("/self").link("/good"))
        .redirect_loop("/loop", 3)
        .redirect("/self", 302, "/self")
        .page("/good", Page::titled("Good"))
}

/// A page that links to a chain of `hops` redirects ending in a page.
pub fn redirect_chain(hops: usize) -> Site {
    Site::new().page("/", Page::titled("Home").link(&format!("/chain/{hops}"))).redirect_chain("/chain", hops)
}

/// A page that links to `pages` others.
pub fn high_fan_out(pages: usize) -> Site {
    let path = |number: usize| format!("/page/{number}");
    let home = Page::titled("Home").links((0..pages).map(path));
    (0..pages).fold(Site::new().page("/", home), |site, number| {
        site.page(&path(number), Page::titled(&format!("Page {number}")).link("/"))
    })
}

/// A page that links to `pages` others, the last `failing` of which always respond with `status`.
pub fn always_failing(pages: usize, failing: usize, status: u16) -> Site {
    let sound = high_fan_out(pages);
    (pages - failing..pages).fold(sound, |site, number| site.reply(&format!("/page/{number}"), Reply::status(status)))
}

/// A page that links to `pages` others; robots.txt disallows every second one, under `/private/`.
pub fn half_refused(pages: usize) -> Site {
    let path = |number: usize| format!("/{}/{number}", if number % 2 == 1 { "private" } else { "public" });
    let site = Site::new()
        .robots("User-agent: *\nDisallow: /private/\n")
        .page("/", Page::titled("Home").links((0..pages).map(path)));
    (0..pages).fold(site, |site, number| site.page(&path(number), Page::titled(&format!("Page {number}"))))
}

/// Pages with images, scripts and stylesheets: shared ones, a missing one and a redirected one.
pub fn resources() -> Site {
    let page = |title| Page::titled(title).stylesheet("/site.css").script("/site.js").image("/logo.png");
    Site::new()
        .page("/", page("Home").link("/gallery").image("/missing.png"))
        .page("/gallery", page("Gallery").image("/moved.png").image("one.jpg"))
        .reply("/site.css", Reply::text("text/css", "body { background: url(/background.png) }"))
        .reply("/site.js", Reply::text("text/javascript", "console.log('/not-a-link');"))
        .reply("/logo.png", Reply::bytes("image/png", *b"\x89PNG\r\n\x1a\n"))
        .reply("/one.jpg", Reply::bytes("image/jpeg", *b"\xff\xd8\xff\xe0"))
        .redirect("/moved.png", 302, "/logo.png")
}

/// Pages that no page links to: in a sitemap index, in plain, gzip, text, RSS and Atom sitemaps.
pub fn sitemap_only() -> Site {
    let names = ["plain", "gzip", "text", "rss", "atom"];
    let site = Site::new()
        .robots("User-agent: *\nAllow: /\nSitemap: {origin}/sitemap.xml\n")
        .page("/", Page::titled("Home"))
        .reply("/sitemap.xml", sitemap::index(["/plain.xml", "/gzip.xml.gz", "/text.txt", "/rss.xml", "/atom.xml"]))
        .reply("/plain.xml", sitemap::xml(["/plain", "/"]))
        .reply("/gzip.xml.gz", sitemap::gzip_file(["/gzip"]))
        .reply("/text.txt", sitemap::text(["/text"]))
        .reply("/rss.xml", sitemap::rss(["/rss"]))
        .reply("/atom.xml", sitemap::atom(["/atom"]));
    names.into_iter().fold(site, |site, name| site.page(&format!("/{name}"), Page::titled(name)))
}

/// A link into each trap, and ten good pages.
pub fn traps() -> Site {
    let entries = ["/calendar/2024/01", "/session?page=1", "/a/", "/shop", "/maze/start"];
    let site = Site::new()
        .page("/", Page::titled("Home").links(entries).links(good_paths()))
        .trap("/calendar", Trap::Calendar)
        .trap("/session", Trap::SessionIds)
        .trap("/a", Trap::PathRepetition)
        .trap("/shop", Trap::Facets)
        .trap("/maze", Trap::SoftNotFound);
    with_good_pages(site)
}

/// A front page that links to one trap and ten good pages. `entry` is the first path of the trap, below `/trap`.
pub fn trap(trap: Trap, entry: &str) -> Site {
    let home = Page::titled("Home").links([format!("/trap{entry}")]).links(good_paths());
    with_good_pages(Site::new().page("/", home).trap("/trap", trap))
}

/// The same with a trap of stylesheets.
pub fn stylesheet_trap(trap: Trap) -> Site {
    let home = Page::titled("Home").stylesheet("/trap/1.css").links(good_paths());
    with_good_pages(Site::new().page("/", home).trap("/trap", trap))
}

/// A link to each fault (`/fault/NAME`), to monsters (`/monster/NAME`) and to ten good pages.
pub fn hostile() -> Site {
    const MEGABYTE: u64 = 1 << 20;
    hostile_with(
        10 << 30,
        Duration::from_secs(1),
        [
            ("many-links", Monster::ManyLinks(1_000_000)),
            ("deep-nesting", Monster::DeepNesting(100_000)),
            ("many-attributes", Monster::ManyAttributes(1_000_000)),
            ("huge-attribute", Monster::HugeAttribute(5 * MEGABYTE)),
            ("one-line", Monster::OneLine(100 * MEGABYTE)),
            ("nul-bytes", Monster::NulBytes),
        ],
    )
}

/// Like [`hostile`], with bombs of `decoded` bytes, slow responses of one byte per `every`, and these monsters.
pub fn hostile_with<'a>(decoded: u64, every: Duration, monsters: impl IntoIterator<Item = (&'a str, Monster)>) -> Site {
    let mut home = Page::titled("Home");
    let mut site = Site::new();
    for fault in Fault::all(decoded, every) {
        let path = format!("/fault/{}", fault.name());
        home = home.link(&path);
        site = site.fault(&path, fault);
    }
    for (name, monster) in monsters {
        let path = format!("/monster/{name}");
        home = home.link(&path);
        site = site.reply(&path, monster.reply());
    }
    with_good_pages(site.page("/", home.links(good_paths())))
}

/// Hostile sitemaps, all named in robots.txt, and one valid sitemap with one page.
pub fn hostile_sitemaps() -> Site {
    let names = ["laughs", "entity", "self", "attributes", "many", "deep/0", "sound"];
    let robots: String = names.iter().map(|name| format!("Sitemap: {{origin}}/{name}.xml\n")).collect();
    let site = Site::new()
        .robots(&robots)
        .page("/", Page::titled("Home"))
        .page("/found", Page::titled("Found"))
        .reply("/laughs.xml", Monster::BillionLaughs.reply())
        .reply("/entity.xml", Monster::ExternalEntity.reply())
        .reply("/self.xml", sitemap::index(["/self.xml"]))
        .reply("/attributes.xml", Monster::SitemapAttributes(80_000).reply())
        .reply("/many.xml", Monster::SitemapLocations(1_000_000).reply())
        .sitemap("/sound.xml", ["/found"]);
    (0..10).fold(site, |site, depth| {
        site.reply(&format!("/deep/{depth}.xml"), sitemap::index([format!("/deep/{}.xml", depth + 1)]))
    })
}

/// Pages whose links have a new session id at every visit.
pub fn session_ids() -> Site {
    Site::new().page("/", Page::titled("Home").link("/shop?page=1")).trap("/shop", Trap::SessionIds)
}

/// The same content under several URLs: query, case, trailing slash, index file, canonical and redirect.
pub fn duplicates() -> Site {
    let product = || Page::titled("Product").text("The one and only product.").canonical("/product");
    Site::new()
        .page(
            "/",
            Page::titled("Home").links([
                "/product",
                "/product/",
                "/Product",
                "/product?utm_source=mail",
                "/product?b=2&a=1",
                "/product?a=1&b=2",
                "/index.html",
                "/copy",
            ]),
        )
        .page("/index.html", Page::titled("Home").canonical("/"))
        .page("/product", product())
        .page("/product/", product())
        .page("/Product", product())
        .redirect("/copy", 301, "/product")
}

/// A client-routed shell: `pages` URLs with the same body, whose links are relative.
pub fn identical_shells(pages: usize) -> Site {
    let links: String = (0..pages).map(|number| format!("page-{number}")).collect::<Vec<_>>().join(" ");
    let shell = || {
        Page::titled("App")
            .links((0..pages).map(|number| format!("page-{number}")))
            .html(&format!("<div id=\"root\" data-routes=\"{links}\"></div>"))
    };
    (0..pages).fold(Site::new().page("/", shell()), |site, number| site.page(&format!("/page-{number}"), shell()))
}

/// Every scenario by name; the sized ones in a medium size.
pub fn all() -> Vec<(&'static str, Site)> {
    vec![
        ("small", small()),
        ("redirect-loop", redirect_loop()),
        ("redirect-chain", redirect_chain(20)),
        ("high-fan-out", high_fan_out(1000)),
        ("half-refused", half_refused(100)),
        ("resources", resources()),
        ("sitemap-only", sitemap_only()),
        ("traps", traps()),
        ("hostile", hostile()),
        ("hostile-sitemaps", hostile_sitemaps()),
        ("session-ids", session_ids()),
        ("duplicates", duplicates()),
        ("identical-shells", identical_shells(50)),
    ]
}

/// Endless sites by name, each with its own trap.
pub fn endless() -> Vec<(&'static str, Site)> {
    vec![
        ("endless-chain", trap(Trap::Chain, "/1")),
        ("endless-pager", trap(Trap::Pager, "/1")),
        ("endless-words", trap(Trap::Words, "/start")),
        ("endless-siblings", trap(Trap::Siblings, "/start-a")),
        ("endless-words-alone", Site::new().trap("", Trap::Words)),
        ("soft-404-tree", trap(Trap::SoftNotFoundTree, "/start")),
        ("path-sessions", trap(Trap::PathSessions, "/1")),
        ("import-chain", stylesheet_trap(Trap::ImportChain { bytes: 1 << 20 })),
        ("import-tree", stylesheet_trap(Trap::ImportTree)),
    ]
}

fn good_paths() -> impl Iterator<Item = String> {
    (0..10).map(|number| format!("/good/{number}"))
}

fn with_good_pages(site: Site) -> Site {
    good_paths().fold(site, |site, path| {
        let title = format!("Good page {path}");
        site.page(&path, Page::titled(&title).link("/"))
    })
}
