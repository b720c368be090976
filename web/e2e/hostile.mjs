// What crawled pages contain stays text, wherever it is shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { attack, evil, url, world } from "./sites.mjs";

async function nothingRan(page) {
  assert.deepEqual([page.alerts, page.errors], [[], []]);
  assert.equal(await page.locator("img[src=x], [onerror], [onload], main script, dialog script").count(), 0);
  assert.equal(await page.locator('a[href^="javascript:" i], a[href^="data:" i], a[href^="vbscript:" i]').count(), 0);
}

test("hostile titles, URLs, anchors, headers and file names stay text in an audit", async () => {
  const run = await world.done("crawl", { url: `${evil.url}/`, settings: { keep: { html: true } } });
  const page = await world.page();
  await page.goto(`${url}/r/${run.id}?n=1&pane=details&cols=number,url,status,title,description,h1,h2,canonical,lang,parentUrl`);
  await page.getByText(`Start ${attack}`).first().waitFor();
  await page.getByRole("gridcell").getByTitle(/onerror=alert\(3\)/).first().waitFor();
  for (const [tab, shows] of [["Outlinks", attack], ["Inlinks", attack], ["Headers", attack], ["Source", "onerror"], ["Text", attack], ["Issues", /./], ["Redirects", /./]]) {
    await page.getByLabel("Selected URL").getByRole("tab", { name: new RegExp(`^${tab}`) }).click();
    await page.getByLabel("Selected URL").getByText(shows).first().waitFor();
    await nothingRan(page);
  }
  for (const view of ["side=structure", "side=times", "side=issues", "disposition=redirected&cols=url,redirectUrl&row=0&pane=chain"]) {
    await page.goto(`${url}/r/${run.id}?${view}`);
    await page.getByRole("gridcell").first().waitFor();
    await nothingRan(page);
  }
  for (const view of [`r/${run.id}/issues`, `r/${run.id}/receipt`, `p/${run.projectID}`]) {
    await page.goto(`${url}/${view}`);
    await page.getByRole("heading").first().waitFor();
    await nothingRan(page);
  }
  await page.context().close();
});

test("hostile Markdown stays text in a capture, rendered, as source and in hits", async () => {
  const run = await world.done("captures", { url: `${evil.url}/` });
  const page = await world.page();
  await page.goto(`${url}/c/${run.id}`);
  await page.locator(".markdown").waitFor();
  await nothingRan(page);
  for (const view of ["Markdown", "Text", "Rendered"]) {
    await page.getByRole("tab", { name: view }).click();
    await page.locator(".reading").getByText("onerror").first().waitFor();
    await nothingRan(page);
  }
  await page.getByRole("searchbox", { name: "Search the text" }).fill("onerror");
  await page.locator(".snippet").first().waitFor();
  await nothingRan(page);
  await page.context().close();
});

test("hostile addresses of views stay text", async () => {
  const page = await world.page();
  for (const view of [`?url=${encodeURIComponent(attack)}`, `?job=${encodeURIComponent(attack)}&settings=1`, `r/1?tab=${encodeURIComponent(attack)}&status=${encodeURIComponent(attack)}&cols=${encodeURIComponent(attack)}&side=${encodeURIComponent(attack)}`, `r/1/issues?check=${encodeURIComponent(attack)}`]) {
    await page.goto(`${url}/${view}`);
    await page.locator("h1").first().waitFor({ state: "attached" });
    await nothingRan(page);
  }
  await page.context().close();
});
