import { expect, test } from "vitest";
import { changedQuery, pathOf } from "../../address";
import { chipsOf, filtersOf } from "./filters";

const name = (id: string) => `check ${id}`;

test("filters of the address add to those of the aspect", () => {
  const query = new URLSearchParams("status=404&minInlinks=4&row=7");
  expect(filtersOf(query, { internal: "true" })).toEqual({ internal: "true", status: "404", minInlinks: "4" });
});

test("chips read as sentences", () => {
  const texts = chipsOf({ internal: "true", minInlinks: "4", issue: "title-missing", minTime: "1200", maxTime: "1200" }, name).map((chip) => `${chip.name} ${chip.value}`);
  expect(texts).toEqual(["Where internal", "Finding check title-missing", "Time 1.20 s", "Inlinks ≥ 4"]);
});

test("a change of the address keeps the rest, and null removes", () => {
  expect(changedQuery("?a=1&b=2", { b: null, c: 3 })).toBe("a=1&c=3");
});

test("the path of a view is relative to where the UI is mounted", () => {
  expect(pathOf("/tools/bluesnake/r/12", "/tools/bluesnake/")).toBe("/r/12");
  expect(pathOf("/", "/")).toBe("/");
  expect(pathOf("/r/12/", "/")).toBe("/r/12");
});
