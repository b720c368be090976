// The columns of a list of URLs, and which of them each aspect starts with.
import type { ReactNode } from "react";
import type { Row } from "../../api/client";
import type { Column } from "../../grid/grid";
import { NotChecked, Status, Url } from "../../parts/basics";
import { count, kilobytes, responseTime, spoken, within } from "../../words";

type UrlColumn = Column<Row> & { needs: (keyof Row)[] };

function number(id: keyof Row, name: string, width: number, extra: Partial<UrlColumn> = {}): UrlColumn {
  return { id, name, width, isNumber: true, needs: [id], cell: (row) => (typeof row[id] === "number" ? count(row[id]) : <NotChecked />), text: (row) => String(row[id] ?? ""), ...extra };
}

function text(id: keyof Row, name: string, width: number, extra: Partial<UrlColumn> = {}): UrlColumn {
  return { id, name, width, needs: [id], cell: (row) => textCell(row[id]), text: (row) => String(row[id] ?? ""), ...extra };
}

function textCell(value: unknown): ReactNode {
  if (value === null || value === undefined || value === "") return <NotChecked why="None" />;
  return <span title={String(value)}>{String(value)}</span>;
}

const TYPES: Record<string, string> = { javascript: "script", images: "image", fonts: "font", others: "other" };

/** Every column. Columns of URLs show them without the host of the site; that of numbers has room for the largest. */
export function columnsOf(host: string, largest: number): Map<string, UrlColumn> {
  const url = (id: keyof Row, name: string, width: number, extra: Partial<UrlColumn> = {}) =>
    text(id, name, width, { cell: (row) => (row[id] ? <Url text={within(String(row[id]), host)} full={String(row[id])} /> : <NotChecked why="None" />), ...extra });
  const list: UrlColumn[] = [
    number("number", "#", Math.max(58, 26 + 7 * count(largest).length), { sort: "number", cell: (row) => <span className="rn">{count(row.number)}</span> }),
    url("url", "URL", 180, { sort: "url", grows: 4 }),
    text("status", "Status", 92, { sort: "status", needs: ["status", "disposition", "reason"], cell: (row) => <Status status={row.status} disposition={row.disposition} reason={row.reason} /> }),
    text("type", "Type", 64, { cell: (row) => TYPES[row.type ?? ""] ?? textCell(row.type) }),
    text("contentType", "Media type", 120, { sort: "contentType" }),
    text("indexable", "Indexable", 78, { needs: ["indexable", "indexableReason"], cell: (row) => (row.indexable === "Yes" ? "Yes" : row.indexable === "No" ? <span title={row.indexableReason ?? ""}>No</span> : <NotChecked />) }),
    text("title", "Title", 130, { sort: "title", grows: 3 }),
    number("titleLength", "Title length", 88, { help: "Characters of the title" }),
    text("description", "Description", 240, { grows: 4 }),
    number("descriptionLength", "Description length", 122, { help: "Characters of the description" }),
    text("h1", "H1", 180, { grows: 2 }),
    number("h1Length", "H1 length", 80, { help: "Characters of the first h1" }),
    text("h2", "H2", 160),
    number("wordCount", "Words", 76, { sort: "wordCount" }),
    number("depth", "Depth", 68, { sort: "depth" }),
    number("inlinks", "Inlinks", 80, { sort: "inlinks" }),
    number("uniqueInlinks", "Unique inlinks", 92),
    number("outlinks", "Outlinks", 74),
    number("externalOutlinks", "External", 74),
    number("linkScore", "Link score", 82, { sort: "linkScore", cell: (row) => (row.linkScore === null || row.linkScore === undefined ? <NotChecked /> : row.linkScore.toFixed(1)) }),
    number("responseTime", "Time", 78, { sort: "responseTime", cell: (row) => (row.responseTime === null || row.responseTime === undefined ? <NotChecked /> : responseTime(row.responseTime)) }),
    number("size", "kB", 70, { sort: "size", cell: (row) => (row.size === null || row.size === undefined ? <NotChecked /> : kilobytes(row.size)) }),
    url("redirectUrl", "To", 220, { grows: 4 }),
    number("hops", "Hops", 58),
    url("canonical", "Canonical", 220, { grows: 4 }),
    text("metaRobots", "Meta robots", 130),
    text("xRobotsTag", "X-Robots-Tag", 130),
    text("reason", "Reason", 130, { cell: (row) => (row.reason ? spoken(row.reason) : <NotChecked />) }),
    text("disposition", "Class", 90, { cell: (row) => (row.disposition ? spoken(row.disposition) : <NotChecked />) }),
    text("detail", "Detail", 220),
    number("attempts", "Attempts", 70),
    url("parentUrl", "First found on", 200),
    text("source", "Found by", 90),
    url("nearDuplicateOf", "Similar to", 200),
    number("similarity", "Similarity", 78, { cell: (row) => (typeof row.similarity === "number" ? `${row.similarity} %` : <NotChecked why="None" />) }),
    url("identicalTo", "Identical to", 200),
    text("lang", "Language", 78),
    text("httpVersion", "HTTP", 76),
  ];
  return new Map(list.map((column) => [column.id, column]));
}

const START = ["number", "url", "status"];
const SETS: Record<string, string[]> = {
  all: ["type", "indexable", "title", "depth", "inlinks", "responseTime", "size"],
  pages: ["indexable", "title", "wordCount", "depth", "inlinks", "outlinks", "responseTime"],
  files: ["contentType", "size", "inlinks", "responseTime"],
  external: ["contentType", "inlinks", "responseTime", "parentUrl"],
  redirected: ["redirectUrl", "hops", "inlinks", "parentUrl"],
  failed: ["reason", "attempts", "inlinks", "parentUrl"],
  excluded: ["disposition", "reason", "detail", "inlinks"],
  responses: ["reason", "type", "inlinks", "responseTime", "parentUrl"],
  titles: ["title", "titleLength", "indexable", "inlinks"],
  descriptions: ["description", "descriptionLength", "indexable"],
  headings: ["h1", "h1Length", "h2", "indexable"],
  content: ["wordCount", "nearDuplicateOf", "similarity", "identicalTo"],
  canonicals: ["canonical", "indexable", "inlinks"],
  directives: ["metaRobots", "xRobotsTag", "indexable", "inlinks"],
  links: ["outlinks", "externalOutlinks", "inlinks", "linkScore"],
  images: ["contentType", "size", "inlinks"],
};

/** The columns that a kind of list starts with; those marked are dropped first in narrow windows. */
export function usualColumns(kind: string, width: number): string[] {
  if (width < 700) return ["url", "status"];
  const set = [...START, ...(SETS[kind] ?? SETS["all"]!)];
  const dropped = width < 1360 ? new Set(["type", "title", "outlinks", "h1Length", "externalOutlinks"]) : new Set<string>();
  return set.filter((id) => !dropped.has(id) || kind === "titles");
}
