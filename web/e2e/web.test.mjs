import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import { World } from "./world.mjs";

const world = new World();
const attack = "<img src=x onerror=alert(1)><script>alert(2)</script>";
const escaped = attack.replace(/</g, "&lt;").replace(/>/g, "&gt;");
let site, slow, hosts, docs, audit, again, capture, weave, url;

before(async () => {
  [site, slow, hosts, docs] = await Promise.all([
    world.site("web", "--pages", "300", "--seed", "7"),
    world.site("web", "--pages", "400", "--seed", "3", "--latency-median-ms", "60"),
    world.site("web", "--hosts", "40", "--pages", "120"),
    world.files("docs", {
      "index.html": `<html><head><title>Guide ${escaped}</title></head><body><main><h1>Guide ${escaped}</h1><p>Read about the harbour in this guide, which has enough words to be kept as the content of a page. See <a href="second.html" title="${escaped}">${escaped}</a>.</p><pre><code>${escaped}</code></pre><p><img src="https://images.example/a.png" alt="A map"></p><p><a href="javascript:alert(3)">bad link</a></p></main></body></html>`,
      "second.html": `<html><head><title>Second</title></head><body><main><h1>Second page</h1><h2>Install</h2><p>Install the lighthouse with one command, and read the rest of this page afterwards, because it explains everything else.</p></main></body></html>`,
      "x'onclick=alert(4)'.html": `<html><head><title>Name</title></head><body><main><h1>Name</h1><p>${"A page with a strange name. ".repeat(8)}</p></main></body></html>`,
    }),
  ]);
  await world.serve();
  await world.open();
  url = world.server.url;
  audit = await world.done("crawl", { url: `${site.url}/` });
  again = await world.done("crawl", { url: `${site.url}/`, settings: { scope: { exclude: ["/section-1/"] } } });
  capture = await world.done("captures", { url: `${docs.url}/` });
  weave = await world.done("weaves", { url: `http://h0.test:${hosts.port}/`, settings: { fetch: { resolve: [`*.test:127.0.0.1:${hosts.port}`] }, weave: { max_outbound_links: 3 } } });
});

after(() => world.close());

const rowCount = async (page) => {
  await page.getByRole("gridcell").first().waitFor();
  return Number(await page.getByRole("grid").first().getAttribute("aria-rowcount")) - 1;
};

test("an audit is started, watched, paused, found again after a reload, and resumed", async () => {
  const page = await world.page();
  await page.goto(`${url}/`);
  await page.getByRole("button", { name: "Start audit" }).click();
  await page.getByText("Enter a host or URL").waitFor();
  await page.getByRole("textbox", { name: "Host or URL" }).fill(`${slow.url}/`);
  await page.getByRole("button", { name: "Rate 10 requests/s" }).click();
  await page.getByRole("textbox", { name: "Rate" }).fill("0");
  await page.keyboard.press("Escape");
  await page.getByText(`bluesnake crawl ${slow.url}/ --rate 0`).waitFor();
  await page.getByRole("button", { name: "Start audit" }).click();
  await page.waitForURL(/\/r\/\d+$/);
  await page.getByText("Running", { exact: true }).waitFor();
  const first = await rowCount(page);
  await page.waitForFunction((seen) => Number(document.querySelector("[role=grid]")?.getAttribute("aria-rowcount")) - 1 > seen + 20, first);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await page.reload();
  await page.getByText("Paused", { exact: true }).waitFor();
  const paused = await rowCount(page);
  assert.ok(paused > 20, `${paused}`);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("Completed", { exact: true }).waitFor({ timeout: 90_000 });
  assert.ok((await rowCount(page)) >= paused);
  assert.deepEqual([page.errors, page.alerts], [[], []]);
});

test("rows are filtered, sorted and opened, and an inlink is followed", async () => {
  const page = await world.page();
  await page.goto(`${url}/r/${audit.id}`);
  await page.getByRole("gridcell", { name: "/robots.txt" }).waitFor();
  const all = await rowCount(page);
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("button", { name: /^404/ }).click();
  await page.waitForURL(/status=404/);
  await page.waitForFunction((seen) => Number(document.querySelector("[role=grid]").getAttribute("aria-rowcount")) - 1 < seen, all);
  await page.getByRole("columnheader", { name: /Inlinks/ }).getByRole("button").click();
  await page.waitForURL(/sort=inlinks&order=desc/);
  await page.getByRole("gridcell", { name: /\/missing\// }).first().click();
  await page.getByRole("tab", { name: /Inlinks/ }).click();
  const from = page.getByLabel("Selected URL").getByRole("cell").first().getByRole("link");
  await from.click();
  await page.waitForURL(/[?&]n=\d+/);
  await page.getByLabel("Selected URL").getByText("200").first().waitFor();
  await page.goBack();
  await page.waitForURL(/status=404/);
  await page.getByRole("grid").focus();
  await page.keyboard.press("End");
  await page.getByText(/Row \d+ selected/).waitFor();
  assert.deepEqual(page.errors, []);
});

test("columns are hidden and shown, and the export has exactly this list", async () => {
  const page = await world.page();
  await page.goto(`${url}/r/${audit.id}?status=4xx`);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "Depth" }).uncheck();
  await page.getByRole("columnheader", { name: "Depth" }).waitFor({ state: "detached" });
  await page.waitForURL(/cols=/);
  await page.keyboard.press("Escape");
  const rows = await rowCount(page);
  await page.getByRole("button", { name: `Export ${rows} rows` }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "CSV" }).click();
  const stream = await (await downloading).createReadStream();
  let text = "";
  for await (const chunk of stream) text += chunk;
  assert.equal(text.trim().split("\n").length, rows + 1);
});

test("a million rows: the end, a jump and the wheel", async () => {
  const page = await world.page();
  await page.route(/\/api\/v1\/runs\/\d+\/rows\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
    const items = Array.from({ length: Math.max(0, Math.min(limit, 1_000_000 - offset)) }, (_, index) => ({ number: offset + index + 1, url: `${site.url}/row-${offset + index + 1}`, status: 200 }));
    return route.fulfill({ json: { total: 1_000_000, offset, version: 1_000_000, columns: [], items } });
  });
  await page.goto(`${url}/r/${audit.id}`);
  await page.getByRole("gridcell", { name: "/row-1", exact: true }).waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("End");
  await page.getByRole("gridcell", { name: "/row-1000000" }).waitFor();
  const took = await page.evaluate(async () => {
    const grid = document.querySelector("[role=grid]");
    const start = performance.now();
    grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * 0.7;
    while (![...grid.querySelectorAll("[role=gridcell]")].some((cell) => /^\/row-(69|70)\d{4}$/.test(cell.textContent ?? ""))) await new Promise(requestAnimationFrame);
    return performance.now() - start;
  });
  assert.ok(took < 1_000, `a jump took ${took} ms`);
  await page.getByRole("textbox", { name: "Go to row" }).fill("700,000");
  await page.keyboard.press("Enter");
  await page.getByRole("gridcell", { name: "/row-700000" }).waitFor();
  const top = () => page.evaluate(() => Number([...document.querySelectorAll(".gridbody .gridrow")].find((row) => row.getBoundingClientRect().top >= document.querySelector(".gridhead").getBoundingClientRect().bottom - 1)?.getAttribute("aria-rowindex")));
  const from = await top();
  await page.getByRole("grid").hover();
  await page.mouse.wheel(0, 260);
  await page.waitForFunction((before) => Number([...document.querySelectorAll(".gridbody .gridrow")].find((row) => row.getBoundingClientRect().top >= document.querySelector(".gridhead").getBoundingClientRect().bottom - 1)?.getAttribute("aria-rowindex")) > before, from);
  const moved = (await top()) - from;
  assert.ok(moved >= 9 && moved <= 11, `the wheel moved ${moved} rows instead of 10`);
});

test("an issue leads to its pages and says how to fix it", async () => {
  const page = await world.page();
  await page.goto(`${url}/r/${audit.id}`);
  await page.getByLabel("Summary").getByRole("button", { name: /Viewport Not Set/ }).click();
  await page.waitForURL(/issue=viewport-missing/);
  await page.getByText("Fix:").first().waitFor();
  await page.getByRole("link", { name: "All about this check" }).click();
  await page.getByRole("heading", { name: "How to fix it" }).waitFor();
  await page.getByRole("link", { name: "Open these URLs in the grid" }).click();
  await page.waitForURL(/\/r\/\d+\?issue=viewport-missing/);
  await page.getByRole("gridcell", { name: "/", exact: true }).waitFor();
});

test("two runs are compared, and a run is deleted after a question", async () => {
  const page = await world.page();
  await page.goto(`${url}/r/${again.id}/vs/${audit.id}`);
  await page.getByText("1 setting differs").waitFor();
  await page.getByRole("tab", { name: /Not visited/ }).click();
  await page.getByRole("cell", { name: /section-1/ }).first().waitFor();
  const run = await world.done("crawl", { url: `${docs.url}/` });
  await page.goto(`${url}/p/${run.projectID}`);
  await page.getByRole("button", { name: `Actions for run ${run.id}` }).click();
  await page.getByRole("button", { name: `Delete run ${run.id}…` }).click();
  await page.getByRole("heading", { name: `Delete run ${run.id}?` }).waitFor();
  await page.getByRole("button", { name: `Delete run ${run.id}`, exact: true }).click();
  await page.getByText(`Deleted run ${run.id}`).waitFor();
  await page.getByRole("link", { name: `Run ${run.id}`, exact: true }).waitFor({ state: "detached" });
});

test("a captured page is searched and read, and what it contains stays text", async () => {
  const page = await world.page();
  const outside = [];
  page.on("request", (request) => { if (!request.url().startsWith(url) && !request.url().startsWith("data:")) outside.push(request.url()); });
  await page.goto(`${url}/c/${capture.id}`);
  await page.getByRole("heading", { name: /Guide/ }).first().waitFor();
  assert.equal(await page.locator(".markdown img, .markdown script, .markdown [onerror]").count(), 0);
  assert.equal(await page.locator('a[href^="javascript:"]').count(), 0);
  await page.getByRole("link", { name: /Image: A map/ }).waitFor();
  await page.getByRole("searchbox", { name: "Search the text" }).fill("lighthouse");
  await page.getByRole("button", { name: /Install/ }).first().click();
  await page.getByRole("heading", { name: "Install" }).waitFor();
  await page.getByRole("tab", { name: "Markdown" }).click();
  await page.getByText("## Install").waitFor();
  assert.deepEqual([page.alerts, outside, page.errors], [[], [], []]);
});

test("hostile titles, URLs and links stay text in the audit", async () => {
  const run = await world.done("crawl", { url: `${docs.url}/` });
  const page = await world.page();
  await page.goto(`${url}/r/${run.id}?n=1&pane=details&cols=number,url,status,title`);
  await page.getByText(`Guide ${attack}`).first().waitFor();
  for (const tab of ["Outlinks", "Inlinks", "Headers", "Issues"]) await page.getByRole("tab", { name: new RegExp(`^${tab}`) }).last().click();
  assert.deepEqual([page.alerts, page.errors], [[], []]);
  assert.equal(await page.locator("img[src=x], [onerror]").count(), 0);
});

test("a host of a weave is found, and its neighbours are shown", async () => {
  const page = await world.page();
  await page.goto(`${url}/w/${weave.id}`);
  await page.locator(".sigma canvas").first().waitFor();
  await page.getByRole("grid", { name: "Hosts by rank" }).getByRole("gridcell", { name: /test/ }).first().click();
  await page.getByText(/^1 of \d+$/).waitFor();
  await page.getByRole("button", { name: "Neighbours only" }).click();
  await page.waitForURL(/around=/);
  await page.getByText(/Around/).waitFor();
  assert.deepEqual(page.errors, []);
});

test("settings are refused beside their field, and accepted when they are right", async () => {
  const page = await world.page();
  await page.goto(`${url}/p/${audit.projectID}?settings=crawl`);
  await page.getByRole("textbox", { name: "Exclude", exact: true }).fill("/tag/(");
  await page.getByRole("textbox", { name: "Exclude", exact: true }).press("Enter");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("1 problem").waitFor();
  await page.getByRole("alert").filter({ hasText: "unclosed group" }).waitFor();
  await page.getByRole("textbox", { name: "Exclude, entry 1" }).fill("/tag/");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved the settings").waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByText("Default: none").first().waitFor();
});

test("two tabs show one run, and an open page survives a restart of the server", async () => {
  const [one, other] = [await world.page(), await world.page()];
  await one.goto(`${url}/r/${audit.id}`);
  await other.goto(`${url}/r/${audit.id}?tab=pages`);
  for (const page of [one, other]) await page.getByRole("gridcell", { name: "/", exact: true }).waitFor();
  const port = world.server.port;
  await world.stopServer();
  await one.getByText("Connection to the server lost.").waitFor();
  await one.getByRole("gridcell", { name: "/", exact: true }).waitFor();
  await world.serve(port);
  await one.getByText("Connection to the server lost.").waitFor({ state: "detached", timeout: 30_000 });
});

test("the UI works below the path of a proxy", async () => {
  const page = await world.page();
  const base = await world.proxy("/tools/bluesnake");
  await page.goto(`${base}/r/${audit.id}/issues`);
  await page.getByRole("heading", { name: "How to fix it" }).waitFor();
  await page.getByRole("link", { name: "bluesnake, home" }).click();
  await page.getByRole("button", { name: "Start audit" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/tools/bluesnake/");
});

test("every page passes axe in both themes, and keys are listed", async () => {
  const views = ["/", "/?settings=1", `/p/${audit.projectID}`, `/r/${audit.id}?row=3&pane=details`, `/r/${audit.id}?tab=titles&row=1&pane=inlinks`, `/r/${audit.id}/issues`, `/r/${audit.id}/receipt`, `/r/${audit.id}/report`, `/r/${again.id}/vs/${audit.id}`, `/c/${capture.id}`, `/w/${weave.id}`, "/nothing"];
  const found = [];
  for (const colorScheme of ["light", "dark"]) {
    const page = await world.page({ colorScheme });
    for (const view of views) {
      await page.goto(`${url}${view}`);
      await page.locator("h1, h2").first().waitFor();
      await page.waitForFunction(() => !document.querySelector(".skeleton"));
      const axe = new AxeBuilder({ page });
      // Themes differ in colours only.
      const { violations } = await (colorScheme === "dark" ? axe.withRules(["color-contrast"]) : axe).analyze();
      found.push(...violations.filter((one) => one.impact === "serious" || one.impact === "critical").map((one) => `${colorScheme} ${view}: ${one.id} ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`));
    }
    await page.goto(`${url}/r/${audit.id}`);
    await page.getByRole("gridcell", { name: "/", exact: true }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Next row").waitFor();
    await page.context().close();
  }
  assert.deepEqual(found, []);
});

test("a server with a token asks for it once", async () => {
  const guarded = await world.run("bluesnake", "--db", `${world.folder}/guarded.db`, "serve", "--port", "0", "--token", "0123456789abcdef");
  const page = await world.page();
  await page.goto(`${guarded.url}/`);
  await page.getByLabel("Token").fill("wrong-wrong-wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Wrong token").waitFor();
  await page.getByLabel("Token").fill("0123456789abcdef");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Crawl your first site" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Crawl your first site" }).waitFor();
  const stored = await page.evaluate(() => JSON.stringify(localStorage) + document.cookie);
  assert.ok(!stored.includes("0123456789abcdef"), stored);
});
