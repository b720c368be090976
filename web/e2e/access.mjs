// For everyone: assistive technology, keys, narrow screens, proxies and tokens.
import assert from "node:assert/strict";
import { test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import { again, audit, capture, url, weave, world } from "./sites.mjs";

/** Every page, with what stands on it. */
const views = () => ["/", "/?settings=1", `/p/${audit.projectID}`, `/r/${audit.id}?row=3&pane=details`, `/r/${audit.id}?tab=titles&row=1&pane=inlinks&side=issues`, `/r/${audit.id}?row=3&pane=text&side=structure`, `/r/${audit.id}?row=3&pane=headers&side=times`, `/r/${audit.id}/issues`, `/r/${audit.id}/receipt`, `/r/${audit.id}/report`, `/r/${again.id}/vs/${audit.id}`, `/c/${capture.id}`, `/w/${weave.id}`, `/w/${weave.id}?tab=links`, `/w/${weave.id}?tab=statistics`, "/nothing", "/r/999999"];

async function settled(page, view) {
  await page.goto(`${url}${view}`);
  await page.locator("h1, h2").first().waitFor({ state: "attached" });
  await page.waitForFunction(() => !document.querySelector(".skeleton"));
}

test("every page passes axe in both themes", async () => {
  const found = [];
  for (const colorScheme of ["light", "dark"]) {
    const page = await world.page({ colorScheme });
    for (const view of views()) {
      await settled(page, view);
      // A table has many rows of the same kind; some of them are enough.
      const axe = new AxeBuilder({ page }).exclude(".gridbody .gridrow:nth-child(n + 5)").exclude("tbody tr:nth-child(n + 5)");
      // Themes differ in colours only.
      const { violations } = await (colorScheme === "dark" ? axe.withRules(["color-contrast"]) : axe).analyze();
      found.push(...violations.filter((one) => one.impact === "serious" || one.impact === "critical").map((one) => `${colorScheme} ${view}: ${one.id} ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`));
    }
    await page.context().close();
  }
  assert.deepEqual(found, []);
});

test("no page scrolls sideways, on a phone or on a small screen", async () => {
  const wide = [];
  for (const viewport of [{ width: 390, height: 844 }, { width: 1280, height: 720 }]) {
    const page = await world.page({ viewport, hasTouch: viewport.width < 700 });
    for (const view of views()) {
      await settled(page, view);
      const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      if (inner > outer) wide.push(`${viewport.width} ${view}: ${inner}`);
    }
    await page.context().close();
  }
  assert.deepEqual(wide, []);
});

test("an audit is used from the keyboard", async () => {
  const page = await world.page();
  await page.goto(`${url}/r/${audit.id}`);
  await page.getByRole("gridcell", { name: "/", exact: true }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("Next row").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.getByText("Row 2 selected").waitFor();
  await page.keyboard.press("2");
  await page.waitForURL(/pane=inlinks/);
  const pane = page.getByLabel("Selected URL");
  const before = (await pane.boundingBox()).height;
  await page.getByRole("separator", { name: "Height of the pane" }).focus();
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction((height) => document.querySelector(".pane").offsetHeight > height, before);
  await page.keyboard.press("]");
  await page.waitForURL(/tab=pages/);
  await page.keyboard.press("/");
  await page.keyboard.type("section-1");
  await page.waitForURL(/search=section-1/);
  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: "Project, run or command" }).fill(`run ${weave.id} of`);
  await page.getByRole("button", { name: new RegExp(`^Run ${weave.id} of`) }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/w/${weave.id}`));
  await page.context().close();
});

test("the UI works below the path of a proxy", async () => {
  const page = await world.page();
  const base = await world.proxy("/tools/bluesnake");
  await page.goto(`${base}/r/${audit.id}/issues`);
  await page.getByRole("heading", { name: "How to fix it" }).waitFor();
  await page.getByRole("link", { name: "bluesnake, home" }).click();
  await page.getByRole("button", { name: "Start audit" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/tools/bluesnake/");
  await page.getByRole("link", { name: new RegExp(`^Run ${weave.id} `) }).click();
  await page.locator(".sigma canvas").first().waitFor();
  await page.keyboard.press("Control+k");
  const opening = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Open the API reference" }).click();
  await (await opening).waitForURL(/\/tools\/bluesnake\/api\/docs$/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a server with a token asks for it once", async () => {
  const guarded = await world.run("bluesnake", "--db", `${world.folder}/guarded.db`, "serve", "--port", "0", "--token", "0123456789abcdef");
  const page = await world.page();
  await page.goto(`${await world.uiOf(() => guarded.url)}/`);
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
  await page.context().close();
});
