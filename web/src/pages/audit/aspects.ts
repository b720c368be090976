// The aspects of an audit: parts of its URLs that add up to all of them, responses by class, and findings by theme.
import { useQuery } from "@tanstack/react-query";
import { api, ask, type Check, type Schemas } from "../../api/client";
import type { MarkName } from "../../parts/basics";
import type { IconName } from "../../parts/icons";
import { spoken } from "../../words";
import { asQuery, type FilterTexts } from "./filters";

export interface Aspect {
  id: string;
  name: string;
  icon?: IconName;
  /** The shape of a class of statuses. */
  mark?: MarkName;
  /** `null`: not checked. */
  count: number | null;
  filters: FilterTexts;
  /** Which columns it starts with. */
  columns: string;
  /** The highest priority of its findings. */
  priority?: string;
  /** Whether it shows findings of this theme. */
  theme?: string;
}

type Facets = Schemas["FacetsView"];

function useFacets(run: number, by: string, filters: FilterTexts, isLive: boolean) {
  return useQuery({
    queryKey: ["facets", run, by, filters],
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{id}/facets", { params: { path: { id: run }, query: { by, ...asQuery(filters) } }, signal })),
    refetchInterval: isLive ? 2_000 : false,
  });
}

function counts(facets: Facets | undefined, name: string): Map<string, number> {
  const facet = facets?.facets.find((one) => one.name === name);
  return new Map(facet?.values.map((one) => [one.value ?? "", one.count]));
}

const INSIDE: FilterTexts = { disposition: "fetched", internal: "true" };
const FILES: [string, string, IconName][] = [["images", "Images", "layout-template"], ["css", "Style sheets", "file-code"], ["javascript", "Scripts", "file-code"], ["fonts", "Fonts", "file-text"], ["others", "Other files", "package"]];
const CLASSES: [string, string, IconName, string][] = [
  ["redirected", "Redirects", "corner-down-right", "redirected"],
  ["failed", "Failed", "triangle-alert", "failed"],
  ["refused", "Refused", "ban", "excluded"],
  ["recorded", "Recorded only", "list", "excluded"],
  ["skipped", "Skipped", "ban", "excluded"],
  ["pending", "Pending", "hourglass", "excluded"],
];

const THEMES: Record<string, string> = { llms: "llms.txt", urls: "URLs", amp: "AMP", "structured-data": "Structured data" };

export interface Aspects {
  urls: Aspect[];
  responses: Aspect[];
  themes: Aspect[];
  total: number;
  version: number;
}

export function useAspects(run: number, isLive: boolean, checks: readonly Check[] | undefined): Aspects {
  const all = useFacets(run, "disposition,status", {}, isLive);
  const inside = useFacets(run, "type", INSIDE, isLive);
  const outside = useFacets(run, "internal", { disposition: "fetched" }, isLive);
  const types = counts(inside.data, "type");
  const classes = counts(all.data, "disposition");
  const external = counts(outside.data, "internal").get("false") ?? 0;
  const total = all.data?.total ?? 0;
  const urls: Aspect[] = [
    { id: "all", name: "All URLs", icon: "list", count: total, filters: {}, columns: "all" },
    { id: "pages", name: "Pages", icon: "file-text", count: types.get("html") ?? 0, filters: { ...INSIDE, type: "html" }, columns: "pages" },
    ...FILES.map(([type, name, icon]): Aspect => ({ id: type, name, icon, count: types.get(type) ?? 0, filters: { ...INSIDE, type }, columns: "files" })),
    { id: "external", name: "External", icon: "external-link", count: external, filters: { disposition: "fetched", internal: "false" }, columns: "external" },
    ...CLASSES.map(([id, name, icon, columns]): Aspect => ({ id, name, icon, count: classes.get(id) ?? 0, filters: { disposition: id }, columns })),
  ];
  const isKept = (aspect: Aspect) => aspect.count !== 0 || aspect.id === "all" || aspect.id === "pages" || aspect.id === "failed";
  const statuses = counts(all.data, "status");
  const inClass = (digit: string) => [...statuses].reduce((sum, [status, count]) => (status.startsWith(digit) ? sum + count : sum), 0);
  const responses = (["2", "3", "4", "5"] as const).map((digit, index): Aspect => ({
    id: `${digit}xx`, name: ["Success 2xx", "Redirects 3xx", "Client errors 4xx", "Server errors 5xx"][index] ?? "", mark: (["dot", "bent", "triangle", "square"] as const)[index], count: inClass(digit), filters: { status: `${digit}xx` }, columns: "responses",
  }));
  return { urls: urls.filter(isKept), responses, themes: themesOf(checks ?? []), total, version: all.data?.version ?? 0 };
}

const ORDER = ["high", "medium", "low"];

/** Findings by theme. A theme is not checked if none of its checks was made. */
export function themesOf(checks: readonly Check[]): Aspect[] {
  const themes = new Map<string, Check[]>();
  for (const check of checks) themes.set(check.theme, [...(themes.get(check.theme) ?? []), check]);
  return [...themes].sort(([a], [b]) => a.localeCompare(b)).map(([theme, list]) => {
    const found = list.filter((check) => check.findings > 0);
    const isChecked = list.some((check) => !check.notChecked);
    return {
      id: theme,
      name: THEMES[theme] ?? spoken(theme),
      theme,
      count: isChecked ? found.reduce((sum, check) => sum + check.findings, 0) : null,
      filters: theme === "images" ? { type: "images" } : theme === "urls" || theme === "responses" || theme === "sitemaps" ? {} : { page: "true" },
      columns: theme,
      priority: ORDER.find((priority) => found.some((check) => check.priority === priority)),
    };
  });
}
