import { expect, test } from "vitest";
import everySetting from "../../../bluesnake.example.toml?raw";
import { flat } from "./schema";
import { fromToml, toToml } from "./toml";

test("settings survive a file", () => {
  const values = { "politeness.rate": 4, "scope.exclude": ["/a\\?", 'say "x"'], "fetch.headers": { "X-One": "1" }, "keep.html": true };
  expect(flat(fromToml(toToml(values)))).toEqual(values);
});

test("reads what people write", () => {
  const text = `# mine\n[scope]\nexclude = [ 'C:\\x', # why\n  "b",\n]\nmax_depth=1_000\n\n[fetch]\nheaders.accept = "a"\n[limits]  # end`;
  expect(fromToml(text)).toEqual({ scope: { exclude: ["C:\\x", "b"], max_depth: 1000 }, fetch: { headers: { accept: "a" } }, limits: {} });
});

test("reads the example of every setting", () => {
  const example = fromToml(everySetting);
  expect(Object.keys(flat(example)).length).toBeGreaterThan(80);
});

test("names the line of a mistake", () => {
  for (const [text, why] of [["[scope]\nrate = ", "line 2: expected a value"], ["a = \"x", "line 1: unclosed string"], ["a = [1 2]", "line 1: expected , or ]"], ["\n\nwhat", "line 3: expected ="], ["a = 1 b = 2", "line 1: expected the end of the line"]]) {
    expect(() => fromToml(text ?? "")).toThrow(why);
  }
});
