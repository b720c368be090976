import { expect, test } from "vitest";
import { isScaled, lastOffset, offsetAt, offsetShowing, scrollTopAt, sizerHeight, TALLEST, windowAt } from "./scroll";

const short = { rows: 100, rowHeight: 26, viewHeight: 520 };
const long = { rows: 1_000_000, rowHeight: 26, viewHeight: 520 };

test("a short list scrolls one to one", () => {
  expect(sizerHeight(short)).toBe(2600);
  expect(isScaled(short)).toBe(false);
  expect(offsetAt(130, short)).toBe(130);
  expect(scrollTopAt(130, short)).toBe(130);
});

test("a long list is never taller than browsers allow, and both ends are reached", () => {
  expect(sizerHeight(long)).toBe(TALLEST);
  expect(offsetAt(0, long)).toBe(0);
  expect(offsetAt(TALLEST - 520, long)).toBe(lastOffset(long));
  expect(scrollTopAt(lastOffset(long), long)).toBe(TALLEST - 520);
});

test("bar and list agree everywhere", () => {
  for (const row of [0, 1, 700_000, 999_980]) {
    expect(offsetAt(scrollTopAt(row * 26, long), long)).toBeCloseTo(row * 26, 3);
  }
});

test("a window has the visible rows and some around them", () => {
  const [from, to] = windowAt(700_000 * 26, long);
  expect(from).toBeLessThanOrEqual(700_000 - 12);
  expect(to).toBeGreaterThanOrEqual(700_020);
  expect(to - from).toBeLessThan(60);
  expect(windowAt(0, { ...short, rows: 3 })).toEqual([0, 3]);
  expect(windowAt(0, { ...short, rows: 0 })).toEqual([0, 0]);
});

test("a row is shown with the least movement", () => {
  expect(offsetShowing(5, 0, short)).toBe(0);
  expect(offsetShowing(20, 0, short)).toBe(26);
  expect(offsetShowing(3, 520, short)).toBe(78);
});
