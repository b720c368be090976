// The settings of a job as its JSON Schema describes them, and what a user changed. Pure.
export interface Setting {
  group: string;
  key: string;
  help: string;
  kind: "boolean" | "number" | "choice" | "text" | "list" | "map";
  choices: readonly string[];
  /** Numbers in a list. */
  isNumeric: boolean;
  isInteger: boolean;
  initial: unknown;
}

export interface Group {
  name: string;
  help: string;
  settings: Setting[];
}

/** Values by `group.key`; an absent one has its default. */
export type Values = Readonly<Record<string, unknown>>;

interface Described {
  description?: string;
  default?: unknown;
  type?: string;
  enum?: string[];
  items?: Described;
  properties?: Record<string, Described>;
}

/** What people change most comes first; groups that are not named follow in their order. */
const ORDER = ["scope", "limits", "politeness", "discover", "capture", "weave", "fetch", "resources", "parse", "keep", "extract", "audit", "traps", "memory"];
const rank = (name: string) => (ORDER.indexOf(name) + ORDER.length + 1) % (ORDER.length + 1);

/** The groups of settings in the schema of a request. */
export function groupsOf(schema: unknown): Group[] {
  const groups = (schema as { properties?: { settings?: Described } }).properties?.settings?.properties ?? {};
  const sorted = Object.entries(groups).sort(([a], [b]) => rank(a) - rank(b));
  return sorted.map(([name, group]) => ({
    name,
    help: group.description ?? "",
    settings: Object.entries(group.properties ?? {}).map(([key, described]) => settingOf(name, key, described)),
  }));
}

function settingOf(group: string, key: string, described: Described): Setting {
  const isNumber = (type: string | undefined) => type === "integer" || type === "number";
  const kind = described.enum
    ? "choice"
    : described.type === "boolean"
      ? "boolean"
      : isNumber(described.type)
        ? "number"
        : described.type === "array"
          ? "list"
          : described.type === "object"
            ? "map"
            : "text";
  return {
    group,
    key,
    kind,
    help: described.description ?? "",
    choices: described.enum ?? [],
    isNumeric: isNumber(described.items?.type),
    isInteger: described.type === "integer",
    initial: described.default,
  };
}

export function pathOf(setting: Setting): string {
  return `${setting.group}.${setting.key}`;
}

export function valueOf(setting: Setting, values: Values): unknown {
  const path = pathOf(setting);
  return path in values ? values[path] : setting.initial;
}

export function isChanged(setting: Setting, values: Values): boolean {
  const path = pathOf(setting);
  return path in values && JSON.stringify(values[path]) !== JSON.stringify(setting.initial);
}

/** Values with one changed; a value equal to the default is dropped. */
export function withValue(values: Values, setting: Setting, value: unknown): Values {
  const { [pathOf(setting)]: _, ...rest } = values;
  return JSON.stringify(value) === JSON.stringify(setting.initial) ? rest : { ...rest, [pathOf(setting)]: value };
}

/** `{ "a.b": 1 }` → `{ a: { b: 1 } }`, as requests have it. */
export function nested(values: Values): Record<string, Record<string, unknown>> {
  const groups: Record<string, Record<string, unknown>> = {};
  for (const [path, value] of Object.entries(values)) {
    const [group = "", key = ""] = path.split(".");
    (groups[group] ??= {})[key] = value;
  }
  return groups;
}

export function flat(groups: unknown): Values {
  const values: Record<string, unknown> = {};
  for (const [group, settings] of Object.entries((groups ?? {}) as Record<string, Record<string, unknown>>)) {
    for (const [key, value] of Object.entries(settings ?? {})) values[`${group}.${key}`] = value;
  }
  return values;
}

/** A value as people read it. */
export function shown(value: unknown): string {
  if (value === true) return "on";
  if (value === false) return "off";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  if (value === "" || value === null || value === undefined) return "none";
  if (typeof value === "object") return Object.keys(value).length === 0 ? "none" : JSON.stringify(value);
  return typeof value === "number" ? value.toLocaleString("en") : String(value);
}

/** `title_max_pixels` → `Maximum title`, with its unit apart. */
export function nameOf(key: string): { name: string; unit: string } {
  const units: [RegExp, string][] = [[/_ms$/, "ms"], [/_bytes$/, "bytes"], [/_seconds$/, "s"], [/_percent$/, "%"], [/_pixels$/, "px"]];
  const unit = units.find(([pattern]) => pattern.test(key));
  const plain = (unit ? key.replace(unit[0], "") : key).replace(/^(.*)_(min|max)$/, "$2_$1").replace(/^min_/, "minimum_").replace(/^max_/, "maximum_");
  const words = plain.replace(/_/g, " ").replace(/\b(url|html|llms|dns|http2|h1|h2)(s?)\b/g, (_, word: string, s: string) => word.toUpperCase() + s);
  const name = words.replace("robots", "robots.txt").replace(/^robots\.txt token/, "robots.txt name");
  return { name: name.charAt(0) === "r" && name.startsWith("robots.txt") ? name : name.charAt(0).toUpperCase() + name.slice(1), unit: unit?.[1] ?? "" };
}

const FLAGS: Record<string, string> = {
  "politeness.rate": "--rate",
  "limits.session_budget": "--budget",
  "scope.max_depth": "--max-depth",
};

/** The command that does the same; only what differs from the defaults. */
export function commandOf(job: "crawl" | "capture" | "weave", urls: readonly string[], values: Values): string {
  const quote = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);
  const flags = Object.entries(values).map(([path, value]) => {
    const flag = FLAGS[path];
    if (flag) return `${flag} ${quote(String(value))}`;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `--set ${quote(`${path}=${text}`)}`;
  });
  return ["bluesnake", job, ...urls.map(quote), ...flags].join(" ");
}
