// The sites and runs that the tests share.
import { after, before } from "node:test";
import { World } from "./world.mjs";

export const world = new World();
export const attack = "<img src=x onerror=alert(1)><script>alert(2)</script>";
const escaped = attack.replace(/</g, "&lt;").replace(/>/g, "&gt;");

export let site, slow, docs, evil, url;
/** Runs that are completed before the first test. */
export let audit, again, capture, weave;

before(async () => {
  let hosts;
  [site, slow, hosts, docs, evil] = await Promise.all([
    world.site("web", "--pages", "300", "--seed", "7"),
    world.site("web", "--pages", "400", "--seed", "3", "--latency-median-ms", "60"),
    world.site("web", "--hosts", "40", "--pages", "120"),
    world.files("docs", {
      "index.html": `<html><head><title>Guide</title></head><body><main><h1>Guide</h1><p>Read about the harbour in this guide, which has enough words to be kept as the content of a page. See the <a href="second.html">second page</a>.</p><p><img src="https://images.example/a.png" alt="A map"></p></main></body></html>`,
      "second.html": `<html><head><title>Second</title></head><body><main><h1>Second page</h1><h2>Install</h2><p>Install the lighthouse with one command, and read the rest of this page afterwards, because it explains everything else.</p></main></body></html>`,
    }),
    world.answers(hostile),
  ]);
  await world.serve();
  await world.open();
  url = world.url;
  audit = await world.done("crawl", { url: `${site.url}/` });
  again = await world.done("crawl", { url: `${site.url}/`, settings: { scope: { exclude: ["/section-1/"] } } });
  capture = await world.done("captures", { url: `${docs.url}/` });
  weave = await world.done("weaves", { url: `http://h0.test:${hosts.port}/`, settings: { fetch: { resolve: [`*.test:127.0.0.1:${hosts.port}`] }, weave: { max_outbound_links: 3 } } });
});

after(() => world.close());

const FILENAME = "/%22%3E%3Cimg%20src=x%20onerror=alert(3)%3E.html";

/** A site that tries to run scripts from everything that a crawler stores. */
function hostile(path) {
  const headers = { "content-type": "text/html; charset=utf-8", "x-note": attack, server: attack, "content-disposition": `inline; filename="${attack.replace(/"/g, "")}.html"`, link: `<javascript:alert(4)>; rel="canonical"` };
  const page = (title, body) => ({ headers, body: `<!doctype html><html lang="&quot;&gt;${escaped}"><head><title>${title} ${escaped}</title><meta name="description" content="${escaped}"><meta property="og:title" content="${escaped}"><link rel="canonical" href="javascript:alert(5)"></head><body><main><h1>${title} ${escaped}</h1>${body}</main></body></html>` });
  const words = "These are plain words, enough of them for a page that is kept as content. ".repeat(4);
  if (path === "/") return page("Start", `<p>${words}</p><p><a href="/second?q=${encodeURIComponent(attack)}" title="${escaped}">${escaped}</a> <a href="${FILENAME}"><img src="/x.png" alt="${escaped}"></a> <a href="javascript:alert(6)">bad link</a> <a href="data:text/html,${encodeURIComponent(attack)}">data</a> <a href="/moved">moved</a></p><h2>${escaped}</h2><pre><code>${escaped}</code></pre><p>[a](javascript:alert(7)) ![b](javascript:alert(8)) &lt;svg onload=alert(9)&gt; [c]: data:text/html,x</p><table><tr><th>${escaped}</th></tr><tr><td>${escaped}</td></tr></table>`);
  if (path === "/moved") return { status: 301, headers: { ...headers, location: `/second?q=${encodeURIComponent(attack)}` }, body: "" };
  if (path.startsWith("/second") || path === FILENAME) return page("Second", `<p>${words}</p><a href="/">back ${escaped}</a>`);
  return { status: 404, headers: { "content-type": "text/plain" }, body: attack };
}

/** The number of rows of the grid, once it has some. */
export async function rowCount(page) {
  await page.getByRole("gridcell").first().waitFor();
  return Number(await page.getByRole("grid").first().getAttribute("aria-rowcount")) - 1;
}

/** Waits until the grid has more than this many rows, and returns how many. */
export async function moreRowsThan(page, than) {
  const found = await page.waitForFunction((seen) => {
    const rows = Number(document.querySelector("[role=grid]")?.getAttribute("aria-rowcount")) - 1;
    return rows > seen && rows;
  }, than);
  return found.jsonValue();
}

/** Waits until the grid has some, but fewer than this many rows, and returns how many. */
export async function fewerRowsThan(page, than) {
  const found = await page.waitForFunction((seen) => {
    const rows = Number(document.querySelector("[role=grid]")?.getAttribute("aria-rowcount")) - 1;
    return rows > 0 && rows < seen && rows;
  }, than);
  return found.jsonValue();
}
