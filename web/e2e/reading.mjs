// Captures and weaves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { capture, url, weave, world } from "./sites.mjs";

test("a captured page is searched and read without contacting its site", async () => {
  const page = await world.page();
  const outside = [];
  page.on("request", (request) => { if (!request.url().startsWith(url) && !request.url().startsWith("data:")) outside.push(request.url()); });
  await page.goto(`${url}/c/${capture.id}`);
  await page.getByRole("heading", { name: /Guide/ }).first().waitFor();
  await page.getByRole("link", { name: /Image: A map/ }).waitFor();
  assert.equal(await page.locator(".markdown img").count(), 0);
  await page.getByRole("searchbox", { name: "Search the text" }).fill("lighthouse");
  await page.getByRole("button", { name: /Install/ }).first().click();
  await page.getByRole("heading", { name: "Install" }).waitFor();
  await page.getByRole("tab", { name: "Markdown" }).click();
  await page.getByText("## Install").waitFor();
  assert.deepEqual([page.alerts, outside, page.errors], [[], [], []]);
  await page.context().close();
});

test("a host of a weave is found, and its neighbours and links are shown", async () => {
  const page = await world.page();
  await page.goto(`${url}/w/${weave.id}`);
  await page.locator(".sigma canvas").first().waitFor();
  const hosts = page.getByRole("grid", { name: "Hosts by rank" });
  await hosts.getByRole("gridcell", { name: /test/ }).first().click();
  await page.getByText(/^1 of \d+$/).waitFor();
  await page.getByRole("button", { name: "Neighbours only" }).click();
  await page.waitForURL(/around=/);
  await page.getByText(/Around/).waitFor();
  await page.getByRole("tab", { name: /^Links/ }).click();
  await page.getByRole("region", { name: "Links" }).getByRole("cell").first().waitFor();
  await page.getByRole("button", { name: "Show the whole graph" }).click();
  await page.waitForURL((address) => !address.search.includes("around"));
  await page.getByRole("combobox", { name: "Find a host" }).fill("h0.test");
  await page.getByRole("option", { name: /h0\.test/ }).first().click();
  await page.waitForURL(/host=h0\.test/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a click on the graph selects a host", async () => {
  const page = await world.page();
  await page.goto(`${url}/w/${weave.id}`);
  await page.locator(".sigma canvas").first().waitFor();
  // Hosts are where the server placed them; sigma fits their extent into the canvas.
  const box = await page.locator(".sigma").boundingBox();
  const { nodes } = await world.api("GET", `weaves/${weave.id}/picture?limit=500`);
  const extent = (values) => [Math.min(...values), Math.max(...values)];
  const [[left, right], [low, high]] = [extent(nodes.map((node) => node.x)), extent(nodes.map((node) => node.y))];
  const [across, down] = [right - left, high - low];
  const fit = down > across ? 1 : Math.min(across / down, box.width / box.height);
  const scale = ((Math.min(box.width, box.height) - 2 * 56) * fit) / Math.max(across, down);
  await page.mouse.click(box.x + box.width / 2 + (nodes[0].x - (left + right) / 2) * scale, box.y + box.height / 2 + (nodes[0].y - (low + high) / 2) * scale);
  await page.waitForURL((address) => address.searchParams.get("host") === nodes[0].host);
  await page.getByRole("button", { name: "Neighbours only" }).waitFor();
  await page.context().close();
});
