//! Sites whose pages need a browser, with declared truth, and pages that try to hurt one.

use crate::{Page, Reply, Site};

/// Every way in which a script can bring up a link, each with the one path it leads to. All paths are pages.
pub const LINK_SOURCES: [(&str, &str); 12] = [
    ("/static", "<a href=/static>static</a>"),
    ("/timer", "<script>setTimeout(() => add('/timer'), 50)</script>"),
    ("/late-timer", "<script>setTimeout(() => add('/late-timer'), 1500)</script>"),
    ("/from-data", "<script>fetch('/data.json').then(r => r.json()).then(data => add(data.link))</script>"),
    (
        "/shadow",
        "<x-box></x-box><script>customElements.define('x-box', class extends HTMLElement {
          connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<a href=/shadow>shadow</a>' } })</script>",
    ),
    ("/slotted", "<x-slot><a href=/slotted>slotted</a></x-slot>"),
    ("/declared", "<div><template shadowrootmode=open><a href=/declared>declared</a></template></div>"),
    ("/pushed", "<script>history.pushState({}, '', '/pushed'); history.replaceState({}, '', '/')</script>"),
    (
        "/seen",
        "<div id=far style='margin-top: 5000px'>far</div><script>new IntersectionObserver((seen, observer) => {
          if (seen.some(one => one.isIntersecting)) { add('/seen'); observer.disconnect() } }).observe(far)</script>",
    ),
    ("/scrolled", "<script>addEventListener('scroll', () => add('/scrolled'), {once: true})</script>"),
    ("/frame-after-frame", "<script>let n = 0; const next = () => ++n < 20 ? requestAnimationFrame(next) : add('/frame-after-frame'); next()</script>"),
    ("/worker", "<script>new Worker('/worker.js').onmessage = message => add(message.data)</script>"),
];

/// A page with all of [`LINK_SOURCES`]; an inert template mentions a path that is not one of them.
pub fn link_sources() -> Site {
    let add = "<script>function add(path) { const link = document.createElement('a'); link.href = path;
      link.textContent = path; document.body.append(link) }</script>";
    let body: String = LINK_SOURCES.iter().map(|(_, html)| *html).collect();
    let inert = "<template><a href=/inert>inert</a></template>";
    let mut site = Site::new()
        .reply("/", Reply::html(format!("<!doctype html><title>Sources</title>{add}{body}{inert}")))
        .reply("/data.json", Reply::text("application/json", r#"{"link": "/from-data"}"#))
        .reply("/worker.js", Reply::text("text/javascript", "postMessage('/worker')"));
    for (path, _) in LINK_SOURCES {
        site = site.page(path, Page::titled(path));
    }
    site
}

/// An application: every page is the same shell, filled in by a script with a router and data from the server.
pub fn application(pages: usize) -> Site {
    let shell = "<!doctype html><html><head><title>Application</title></head><body><div id=root></div>
      <script src=/app.js></script></body></html>";
    let script = format!(
        "const number = Number(location.pathname.split('/')[2] || 0);
        fetch(`/data/${{number}}.json`).then(r => r.json()).then(data => setTimeout(() => {{
          document.title = data.title;
          const next = [number * 2 + 1, number * 2 + 2].filter(one => one < {pages});
          const links = next.map(one => `<a href=/page/${{one}}>page ${{one}}</a>`).join(' ');
          root.innerHTML = `<h1>${{data.title}}</h1><p>${{data.text}} ${{Math.random()}} ${{Date.now()}}</p>${{links}}`;
        }}, 30 * (number % 5)));"
    );
    let mut site = Site::new().reply("/", Reply::html(shell)).reply("/app.js", Reply::text("text/javascript", script));
    for number in 0..pages {
        let data = format!(r#"{{"title": "Page {number}", "text": "{}"}}"#, "word ".repeat(20 + number));
        site = site.reply(&format!("/data/{number}.json"), Reply::text("application/json", data));
        if number > 0 {
            site = site.reply(&format!("/page/{number}"), Reply::html(shell));
        }
    }
    site
}

/// Pages that try to keep a browser busy, with the words of how rendering them may end.
pub const HOSTILE: [(&str, &str, &[&str]); 11] = [
    ("/loop", "for (;;);", &["hung"]),
    ("/allocate", "const all = []; for (;;) all.push(new Array(1e6).fill({}))", &["hung", "crashed"]),
    ("/grow", "for (;;) document.body.append(document.createElement('p'))", &["hung", "crashed"]),
    ("/poll", "setInterval(() => fetch('/poll-me?' + Math.random()), 100)", &["complete"]),
    (
        "/messages",
        "const c = new MessageChannel(); c.port1.onmessage = () => c.port2.postMessage(1); c.port2.postMessage(1)",
        &["complete"],
    ),
    (
        "/dialogs",
        "for (let i = 0; i < 50; i++) { alert(i); confirm(i); prompt(i) } onbeforeunload = () => 'stay'",
        &["complete"],
    ),
    ("/print", "print()", &["complete"]),
    (
        "/windows",
        "for (let i = 0; i < 50; i++) open('/'); const a = document.createElement('a'); a.href = '/'; a.target = '_blank'; document.body.append(a); for (let i = 0; i < 50; i++) a.click()",
        &["complete"],
    ),
    (
        "/download",
        "const a = document.createElement('a'); a.href = '/file.bin'; a.download = 'x'; document.body.append(a); a.click()",
        &["complete"],
    ),
    ("/redirects", "setInterval(() => location.href = '/redirects?' + Math.random(), 1)", &["complete"]),
    ("/blank", "location.href = 'about:blank'", &["left"]),
];

/// A site with a start page that links to all of [`HOSTILE`].
pub fn hostile() -> Site {
    let mut site = Site::new()
        .page("/", Page::titled("Hostile").links(HOSTILE.map(|(path, ..)| path)))
        .reply("/file.bin", Reply::bytes("application/octet-stream", vec![0; 64]))
        .reply("/poll-me", Reply::status(204));
    for (path, script, _) in HOSTILE {
        site = site
            .reply(path, Reply::html(format!("<!doctype html><title>{path}</title><p>text<script>{script}</script>")));
    }
    site
}
