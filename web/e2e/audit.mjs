// The audit: filters, order, columns, exports, one URL, and issues.
import assert from "node:assert/strict";
import { test } from "node:test";
import { audit, fewerRowsThan, rowCount, url, world } from "./sites.mjs";

test("rows are filtered, sorted and opened, and an inlink is followed", async () => {
  const page = await world.page();
  await page.goto(`${url}/r/${audit.id}`);
  await page.getByRole("gridcell", { name: "/robots.txt" }).waitFor();
  const all = await rowCount(page);
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("button", { name: /^404/ }).click();
  await page.waitForURL(/status=404/);
  await fewerRowsThan(page, all);
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
  await page.context().close();
});

test("columns are hidden, moved and resized, and the export has exactly this list", async () => {
  const page = await world.page();
  await page.goto(`${url}/r/${audit.id}?status=4xx`);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "Depth" }).uncheck();
  await page.getByRole("columnheader", { name: "Depth" }).waitFor({ state: "detached" });
  await page.waitForURL(/cols=/);
  await page.keyboard.press("Escape");
  const inlinks = page.getByRole("columnheader", { name: /^Inlinks/ });
  const before = (await inlinks.boundingBox()).width;
  await inlinks.getByRole("button").focus();
  await page.keyboard.press("Shift+ArrowRight");
  await page.waitForFunction((width) => [...document.querySelectorAll("[role=columnheader]")].find((one) => one.textContent === "Inlinks").offsetWidth > width, before);
  await page.keyboard.press("Alt+ArrowLeft");
  await page.waitForURL(/inlinks(,|%2C)title/);
  const rows = await rowCount(page);
  await page.getByRole("button", { name: `Export ${rows} rows` }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "CSV" }).click();
  const stream = await (await downloading).createReadStream();
  let text = "";
  for await (const chunk of stream) text += chunk;
  assert.equal(text.trim().split("\n").length, rows + 1);
  await page.context().close();
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
  await page.waitForURL(/\/r\/\d+\?.*issue=viewport-missing/);
  await page.getByRole("gridcell", { name: "/", exact: true }).waitFor();
  await page.context().close();
});

test("every count is a filter: receipt, histogram, folder", async () => {
  const page = await world.page();
  await page.goto(`${url}/r/${audit.id}/receipt`);
  await page.getByText("adds up").waitFor();
  await page.getByRole("link", { name: "Client error" }).click();
  await page.waitForURL(/reason=fetched/);
  const errors = await rowCount(page);
  await page.getByRole("button", { name: /^Remove the filter Reason/ }).click();
  await page.waitForFunction((seen) => Number(document.querySelector("[role=grid]").getAttribute("aria-rowcount")) - 1 > seen, errors);
  const bars = page.locator(".twocharts .hist").first().getByRole("button");
  const [first, last] = [await bars.first().boundingBox(), await bars.nth(1).boundingBox()];
  await page.mouse.move(first.x + 2, first.y + 30);
  await page.mouse.down();
  await page.mouse.move(last.x + 2, last.y + 30);
  await page.mouse.up();
  await page.waitForURL(/minDepth=0&maxDepth=\d/);
  await page.getByRole("tab", { name: "Structure" }).click();
  await page.getByLabel("Summary").getByRole("button", { name: /^section-1\// }).click();
  await page.waitForURL(/prefix=/);
  await page.getByRole("gridcell", { name: /^\/section-1\// }).first().waitFor();
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a run that reaches nothing says why, and does not praise the site", async () => {
  const run = await world.done("crawl", { url: "http://127.0.0.1:1/", settings: { fetch: { retry_delays_ms: [1] } } });
  const page = await world.page();
  await page.goto(`${url}/r/${run.id}`);
  await page.getByRole("alert").filter({ hasText: "Nothing was fetched from 127.0.0.1:1." }).waitFor();
  await page.getByText("Internal No Response").first().waitFor();
  assert.equal(await page.getByText("No issues found").count(), 0);
  await page.context().close();
});

test("a rendered page is shown beside its response, with a picture", async () => {
  const site = await world.files("shell", {
    "index.html": `<!doctype html><title>Shell</title><div id=root></div><script src=/app.js></script>`,
    "app.js": `document.title = "Application"; document.getElementById("root").innerHTML = "<h1>Hello</h1><a href=/about.html>About</a>"; console.error("a broken widget")`,
    "about.html": "<!doctype html><title>About</title><h1>About</h1><p>A page without scripts.</p>",
  });
  const run = await world.done("crawl", { url: site.url, settings: { render: { when: "auto", screenshot: true }, politeness: { rate: 0 } } });
  const page = await world.page();
  await page.goto(`${url}/r/${run.id}?n=1&pane=rendering`);
  const pane = page.getByRole("region", { name: "About the URL" });
  await pane.getByRole("row", { name: "Title Shell Application" }).waitFor();
  await pane.getByText("a broken widget").waitFor();
  await pane.getByText("The response has an empty root element of an application").waitFor();
  const picture = pane.getByRole("img", { name: "The page as rendered" });
  await picture.waitFor();
  assert.ok((await picture.evaluate((image) => image.decode().then(() => image.naturalWidth))) > 0);
  await page.context().close();
});
