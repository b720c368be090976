// A run while it goes on: rows arrive, pause and resume, two tabs, a lost server, a lost event stream.
import assert from "node:assert/strict";
import { test } from "node:test";
import { moreRowsThan, rowCount, slow, url, world } from "./sites.mjs";

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
  await moreRowsThan(page, first + 20);
  // The other tab sees the same run, and what is done in the first one.
  const other = await world.page();
  await other.goto(page.url().replace(/\/r\/\d+$/, "/"));
  await other.getByRole("heading", { name: /^Running/ }).waitFor();
  await other.getByRole("link", { name: /^Open run/ }).click();
  await other.getByText("Running", { exact: true }).waitFor();
  assert.equal(new URL(other.url()).pathname, new URL(page.url()).pathname);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  for (const tab of [page, other]) await tab.getByRole("button", { name: "Resume" }).waitFor();
  await page.reload();
  await page.getByText("Paused", { exact: true }).waitFor();
  const paused = await rowCount(page);
  assert.ok(paused > 20, `${paused}`);
  await other.getByRole("button", { name: "Resume" }).click();
  for (const tab of [page, other]) await tab.getByText("Completed", { exact: true }).waitFor({ timeout: 90_000 });
  assert.ok((await moreRowsThan(page, paused)) > paused);
  assert.deepEqual([page.errors, page.alerts, other.errors], [[], [], []]);
  await Promise.all([page, other].map((tab) => tab.context().close()));
});

test("progress is polled while the event stream is broken, and a live list stays still until asked", async () => {
  const page = await world.page();
  await page.route("**/api/v1/events*", (route) => route.abort());
  const { runId } = await world.api("POST", "crawl", { url: `${slow.url}/`, mode: "fresh", settings: { politeness: { rate: 25 } } });
  await page.goto(`${url}/r/${runId}`);
  await page.getByText("Running", { exact: true }).waitFor();
  await moreRowsThan(page, (await rowCount(page)) + 5);
  await page.getByRole("button", { name: "Follow newest rows" }).click();
  await page.waitForURL(/follow=1/);
  await page.goto(`${url}/r/${runId}?sort=url`);
  const shown = await rowCount(page);
  const fresh = page.getByRole("button", { name: /new rows?$/ });
  await fresh.waitFor();
  assert.equal(await rowCount(page), shown);
  await fresh.click();
  await moreRowsThan(page, shown);
  await world.api("POST", `runs/${runId}/pause`);
  await page.getByRole("button", { name: "Resume" }).waitFor();
  assert.deepEqual(page.errors.filter((error) => !/events/.test(error)), []);
  await page.context().close();
});

test("an open page survives a restart of the server", async () => {
  const page = await world.page();
  const { runId } = await world.api("POST", "crawl", { url: `${slow.url}/`, mode: "fresh", settings: { politeness: { rate: 25 } } });
  await page.goto(`${url}/r/${runId}`);
  await moreRowsThan(page, await rowCount(page));
  await world.stopServer();
  await page.getByText("Connection to the server lost.").waitFor();
  await page.getByRole("gridcell").first().waitFor();
  await world.serve();
  await page.getByText("Connection to the server lost.").waitFor({ state: "detached", timeout: 60_000 });
  // The killed session left a run that can be resumed.
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("Running", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await page.context().close();
});

test("a tab that nobody sees gives its connection back, and catches up later", async () => {
  const page = await world.page();
  const see = (isHidden) => page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
  const opened = page.waitForRequest(/\/events$/);
  await page.goto(`${url}/`);
  const stream = await opened;
  const closed = page.waitForEvent("requestfailed", (request) => request === stream);
  await see(true);
  await closed;
  const { runId } = await world.api("POST", "crawl", { url: `${slow.url}/`, mode: "fresh", settings: { politeness: { rate: 25 } } });
  await see(false);
  await page.getByRole("link", { name: `Open run ${runId}` }).waitFor();
  await page.getByRole("button", { name: `Pause run ${runId}` }).click();
  await page.getByRole("link", { name: `Open run ${runId}` }).waitFor({ state: "detached" });
  assert.deepEqual(page.errors, []);
  await page.context().close();
});
