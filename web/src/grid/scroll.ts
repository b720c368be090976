// The mapping between a list of any length and a scroll bar. Pure.
//
// Browsers cut elements at some ten million pixels, so the scrolled element is at most `TALLEST` pixels tall. In longer
// lists the position of the bar and the position in the list differ by a factor: dragging the bar moves far, but the
// wheel and keys move by rows.

export const TALLEST = 8_000_000;

export interface Extent {
  rows: number;
  rowHeight: number;
  viewHeight: number;
}

/** The height of the scrolled element. */
export function sizerHeight({ rows, rowHeight }: Extent): number {
  return Math.min(rows * rowHeight, TALLEST);
}

/** The largest offset in the list, in pixels. */
export function lastOffset({ rows, rowHeight, viewHeight }: Extent): number {
  return Math.max(0, rows * rowHeight - viewHeight);
}

function factor(extent: Extent): number {
  const bar = sizerHeight(extent) - extent.viewHeight;
  return bar > 0 ? lastOffset(extent) / bar : 1;
}

/** The offset in the list at a position of the bar. */
export function offsetAt(scrollTop: number, extent: Extent): number {
  return clamp(scrollTop * factor(extent), extent);
}

/** The position of the bar at an offset in the list. */
export function scrollTopAt(offset: number, extent: Extent): number {
  return clamp(offset, extent) / factor(extent);
}

export function clamp(offset: number, extent: Extent): number {
  return Math.min(Math.max(0, offset), lastOffset(extent));
}

/** Whether the bar is shorter than the list, so that wheel and keys need help. */
export function isScaled({ rows, rowHeight }: Extent): boolean {
  return rows * rowHeight > TALLEST;
}

/** The first row to draw and the one after the last, with some rows around what is visible. */
export function windowAt(offset: number, extent: Extent, around = 12): [number, number] {
  const first = Math.floor(offset / extent.rowHeight);
  const visible = Math.ceil(extent.viewHeight / extent.rowHeight) + 1;
  // Rounded, so that the window changes only every few rows.
  const from = Math.max(0, Math.floor((first - around) / 8) * 8);
  return [from, Math.min(extent.rows, first + visible + around)];
}

/** The offset at which a row is visible, as near to the present one as possible. */
export function offsetShowing(row: number, offset: number, extent: Extent): number {
  const top = row * extent.rowHeight;
  if (top < offset) return clamp(top, extent);
  const bottom = top + extent.rowHeight;
  return bottom > offset + extent.viewHeight ? clamp(bottom - extent.viewHeight, extent) : clamp(offset, extent);
}
