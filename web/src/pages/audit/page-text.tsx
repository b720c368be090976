// The source of a page, and what it says: headings, data for other programs, and its text.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, ask, Problem, type Row, type Schemas } from "../../api/client";
import { Empty, Skeleton } from "../../parts/basics";
import { count, spoken } from "../../words";

type Detail = Schemas["UrlDetail"];

function useSource(row: Row) {
  return useQuery({
    queryKey: ["content", row.crawlId, row.url],
    enabled: typeof row.crawlId === "number",
    retry: false,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/crawls/{id}/page/content", { params: { path: { id: row.crawlId ?? 0 }, query: { url: row.url } }, parseAs: "text", signal })),
  });
}

/** The stored source. It is shown as text: what a page contains never becomes part of this one. */
export function Source({ row }: { row: Row }) {
  const source = useSource(row);
  if (source.data) return <pre className="source">{source.data}</pre>;
  if (source.isLoading) return <Skeleton rows={5} />;
  const isAbsent = !source.error || (source.error instanceof Problem && source.error.status === 404);
  return (
    <Empty icon="file-code" title={isAbsent ? "The source is not stored" : source.error?.message ?? ""}>
      <p>Turn on the setting <code>keep.html</code> to store documents with the next run.</p>
    </Empty>
  );
}

const BLOCKS = "address, article, aside, blockquote, br, dd, div, dl, dt, footer, form, h1, h2, h3, h4, h5, h6, header, hr, li, main, nav, ol, p, pre, section, table, td, th, tr, ul";

/** The visible text of a document. A parsed document runs nothing and loads nothing. */
export function textOf(html: string): string {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const hidden of parsed.querySelectorAll("script, style, noscript, template, head")) hidden.remove();
  for (const block of parsed.querySelectorAll(BLOCKS)) block.prepend("\n");
  return (parsed.body?.textContent ?? "").replace(/[^\S\n]+/g, " ").replace(/ ?\n\s*/g, "\n").trim();
}

type Pair = readonly [string, string];

/** What the page tells others about itself, as far as it is not in the details. */
function factsOf(facts: Record<string, unknown>): Pair[] {
  const plain = Object.entries(facts).filter(([, value]) => typeof value !== "object").map(([name, value]): Pair => [spoken(name), typeof value === "number" ? count(value) : String(value)]);
  const list = (name: string) => (Array.isArray(facts[name]) ? (facts[name] as unknown[]) : []);
  const pairs = list("open_graph").filter((one): one is [string, string] => Array.isArray(one)).map(([name, value]): Pair => [String(name), String(value)]);
  const types = list("json_ld_types").map(String);
  return [...(types.length ? [["Structured data", types.join(", ")] as const] : []), ...pairs, ...plain];
}

export function Text({ detail }: { detail: Detail }) {
  const source = useSource(detail.row);
  const text = useMemo(() => (source.data ? textOf(source.data) : ""), [source.data]);
  const facts = detail.facts as Record<string, unknown> | null | undefined;
  if (!facts) return <Empty icon="file-text" title="This URL was not read as a page" />;
  const headings = (facts["headings"] as [number, string][] | undefined) ?? [];
  return (
    <div className="twocols">
      <div>
        <h3>Headings</h3>
        <ul className="outline">
          {headings.map(([level, heading], index) => (
            <li key={index} style={{ paddingLeft: (level - 1) * 14 }}><span className="t3">H{level}</span> {heading}</li>
          ))}
        </ul>
        {headings.length === 0 && <p className="t3">None</p>}
        <h3>Text</h3>
        {text ? <p className="pagetext">{text}</p> : <p className="t3 small">{source.isLoading ? "" : "The source is not stored. Turn on the setting keep.html to read the text here."}</p>}
      </div>
      <dl className="kv">
        {factsOf(facts).map(([name, value], index) => (
          <div key={index} className="pair"><dt>{name}</dt><dd>{value}</dd></div>
        ))}
      </dl>
    </div>
  );
}
