import { expect, test } from "vitest";
import { insertion } from "./difference";

test("finds what was inserted", () => {
  const cases: [string, string, [string, string, string]][] = [
    ["Tents for two | Shop", "Tents for two, and four | Shop", ["Tents for two", ", and four", " | Shop"]],
    ["Returns", "Returns and refunds", ["Returns", " and refunds", ""]],
    ["", "New", ["", "New", ""]],
    ["same", "same", ["same", "", ""]],
    ["a a", "a", ["a", "", ""]],
    ["https://a.test/x", "https://a.test/y", ["https://a.test/", "y", ""]],
  ];
  for (const [old, now, expected] of cases) expect(insertion(old, now)).toEqual(expected);
});
