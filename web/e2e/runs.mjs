// Runs and projects: compare, delete, settings.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { again, audit, docs, url, world } from "./sites.mjs";

test("two runs are compared", async () => {
  const page = await world.page();
  await page.goto(`${url}/p/${audit.projectID}`);
  for (const run of [audit, again]) await page.locator("li.card", { has: page.getByRole("link", { name: `Run ${run.id}`, exact: true }) }).getByRole("checkbox", { name: "Compare" }).check();
  await page.getByRole("link", { name: `Compare run ${audit.id} with run ${again.id}` }).click();
  await page.getByText("1 setting differs").waitFor();
  await page.getByRole("tab", { name: /Not visited/ }).click();
  await page.getByRole("cell", { name: /section-1/ }).first().waitFor();
  await page.getByRole("button", { name: "Swap the runs" }).click();
  await page.waitForURL(new RegExp(`/r/${audit.id}/vs/${again.id}`));
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a run is deleted after a question, and only that one", async () => {
  const run = await world.done("crawl", { url: `${docs.url}/` });
  const page = await world.page();
  await page.goto(`${url}/p/${run.projectID}`);
  const actions = page.getByRole("button", { name: `Actions for run ${run.id}` });
  const link = page.getByRole("link", { name: `Run ${run.id}`, exact: true });
  await actions.click();
  await page.getByRole("button", { name: `Delete run ${run.id}…` }).click();
  await page.getByRole("heading", { name: `Delete run ${run.id}?` }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await link.waitFor();
  await actions.click();
  await page.getByRole("button", { name: `Delete run ${run.id}…` }).click();
  await page.getByRole("button", { name: `Delete run ${run.id}`, exact: true }).click();
  await page.getByText(`Deleted run ${run.id}`).waitFor();
  await link.waitFor({ state: "detached" });
  assert.ok((await world.api("GET", "runs?limit=1000")).items.some((one) => one.id === audit.id));
  await page.context().close();
});

test("settings are refused beside their field, accepted when they are right, exported and imported", async () => {
  const page = await world.page();
  await page.goto(`${url}/p/${audit.projectID}?settings=crawl`);
  await page.getByRole("textbox", { name: "Exclude", exact: true }).fill("/tag/(");
  await page.getByRole("textbox", { name: "Exclude", exact: true }).press("Enter");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("1 problem").waitFor();
  await page.getByRole("alert").filter({ hasText: "unclosed group" }).waitFor();
  await page.getByRole("textbox", { name: "Exclude, entry 1" }).fill("/tag/");
  await page.getByRole("button", { name: "File" }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as TOML, for --config" }).click();
  const file = await (await downloading).path();
  assert.equal(readFileSync(file, "utf8"), '[scope]\nexclude = ["/tag/"]\n');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved the settings").waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByText("Default: none").first().waitFor();
  await page.getByRole("button", { name: "Reset" }).click();
  await page.getByText("All settings have their defaults").waitFor();
  await page.getByRole("button", { name: "File" }).click();
  await page.getByLabel(/Import TOML/).setInputFiles({ name: "mine.toml", mimeType: "text/plain", buffer: Buffer.from("[politeness]\nrate = 3 # slowly\n") });
  await page.getByText("Imported 1 setting").waitFor();
  await page.getByText("Default: 10").waitFor();
  await page.context().close();
});

test("the report of a run is opened and downloaded", async () => {
  const page = await world.page();
  await page.goto(`${url}/r/${audit.id}/report`);
  const opening = page.waitForEvent("popup");
  await page.getByRole("link", { name: "Open report" }).click();
  const report = await opening;
  await report.getByRole("heading", { level: 1 }).waitFor();
  assert.match(await report.content(), /127\.0\.0\.1/);
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download report" }).click();
  assert.match((await downloading).suggestedFilename(), /\.html$/);
  await page.context().close();
});
