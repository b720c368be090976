// The filters of a list of URLs: in the address, in requests and as sentences. Pure.
import { responseTime, spoken } from "../../words";

export const FIELDS = ["type", "disposition", "reason", "status", "contentType", "indexable", "internal", "page", "source", "depth", "minDepth", "maxDepth", "minWords", "maxWords", "minSize", "maxSize", "minTime", "maxTime", "minInlinks", "maxInlinks", "issue", "search", "prefix", "contains", "lacks"] as const;
export type Field = (typeof FIELDS)[number];
/** As the server reads them in a query; it checks the values. */
export type Filters = Partial<Record<Field, never>>;
export type FilterTexts = Partial<Record<Field, string>>;

/** The filters in the address: those of the aspect, changed by the user's own. */
export function filtersOf(query: URLSearchParams, fixed: FilterTexts): FilterTexts {
  const filters: FilterTexts = { ...fixed };
  for (const field of FIELDS) {
    const value = query.get(field);
    if (value) filters[field] = value;
  }
  return filters;
}

export function asQuery(filters: FilterTexts): Filters {
  return filters as unknown as Filters;
}

export interface Chip {
  fields: Field[];
  name: string;
  value: string;
}

const NAMES: Partial<Record<Field, string>> = {
  type: "Type", disposition: "Class", reason: "Reason", status: "Status", contentType: "Media type", source: "Found by", depth: "Depth", issue: "Finding", search: "Text", prefix: "Below", contains: "Contains", lacks: "Lacks",
};

const RANGES: [Field, Field, string, (value: string) => string][] = [
  ["minDepth", "maxDepth", "Depth", (value) => value],
  ["minWords", "maxWords", "Words", (value) => Number(value).toLocaleString("en")],
  ["minSize", "maxSize", "Size", (value) => `${Number(value).toLocaleString("en")} bytes`],
  ["minTime", "maxTime", "Time", (value) => responseTime(Number(value))],
  ["minInlinks", "maxInlinks", "Inlinks", (value) => Number(value).toLocaleString("en")],
];

/** Filters as sentences: a field, then its value. */
export function chipsOf(filters: FilterTexts, checkName: (id: string) => string): Chip[] {
  const chips: Chip[] = [];
  if (filters.internal) chips.push({ fields: ["internal"], name: "Where", value: filters.internal === "true" ? "internal" : "external" });
  if (filters.page) chips.push({ fields: ["page"], name: "Page", value: filters.page === "true" ? "yes" : "no" });
  if (filters.indexable) chips.push({ fields: ["indexable"], name: "Indexable", value: filters.indexable === "true" ? "yes" : "no" });
  for (const [field, name] of Object.entries(NAMES) as [Field, string][]) {
    const value = filters[field];
    if (!value) continue;
    const isWord = field === "disposition" || field === "reason" || field === "source";
    chips.push({ fields: [field], name, value: field === "issue" ? checkName(value) : isWord ? spoken(value.replace(/^.*\//, "")).toLowerCase() : value });
  }
  for (const [min, max, name, text] of RANGES) {
    const [low, high] = [filters[min], filters[max]];
    if (low && high) chips.push({ fields: [min, max], name, value: low === high ? text(low) : `${text(low)} to ${text(high)}` });
    else if (low) chips.push({ fields: [min], name, value: `≥ ${text(low)}` });
    else if (high) chips.push({ fields: [max], name, value: `≤ ${text(high)}` });
  }
  return chips;
}
