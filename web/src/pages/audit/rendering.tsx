// What a browser made of a page: its response beside the rendered document, what its scripts did, and a picture.
import { useState, type ReactNode } from "react";
import type { Schemas } from "../../api/client";
import { at } from "../../base";
import { Empty, NotChecked } from "../../parts/basics";
import { view } from "../../router";
import { count, plural, spoken } from "../../words";

type Detail = Schemas["UrlDetail"];

/** The facts of rendering, as the store has them: defaults are omitted. */
interface Rendering {
  reason: string;
  outcome: string;
  detail?: string;
  new_links?: number;
  raw?: { title?: string; description?: string; h1?: string; canonical?: string; noindex?: boolean; nofollow?: boolean; words?: number; links?: number };
  requests?: { url: string; kind?: string; status?: number; failure?: string; is_blocked?: boolean }[];
  errors?: string[];
  redirect?: string;
  history?: string[];
  missing?: string[];
}

const REASONS: Record<string, string> = {
  on: "Rendering is on for every page",
  "empty-root": "The response has an empty root element of an application",
  "scripts-only": "The response has scripts and hardly any text",
  "enable-javascript": "The response asks its readers to enable JavaScript",
};

export function RenderingTab({ detail }: { detail: Detail }) {
  const facts = detail.facts as { render?: Rendering } | null | undefined;
  if (!facts?.render) {
    return (
      <Empty icon="layout-template" title="This URL was not rendered">
        <p>Set <code>render.when</code> to <code>auto</code> or <code>on</code> to open pages that need JavaScript in a browser.</p>
      </Empty>
    );
  }
  const render = facts.render;
  return (
    <div className="twocols">
      <div>
        <Difference detail={detail} raw={render.raw} />
        <Picture detail={detail} />
      </div>
      <dl className="kv">
        {deeds(render).map(([name, value]) => (
          <div key={name} className="pair"><dt>{name}</dt><dd>{value}</dd></div>
        ))}
      </dl>
    </div>
  );
}

function Difference({ detail, raw }: { detail: Detail; raw: Rendering["raw"] }) {
  if (!raw) return <p className="t2">There is no rendered document to rely on; the facts of this page are those of its response.</p>;
  const { row } = detail;
  const number = (value: number | null | undefined) => (typeof value === "number" ? count(value) : "");
  const rows: [string, string, string][] = [
    ["Title", raw.title ?? "", row.title ?? ""],
    ["Description", raw.description ?? "", row.description ?? ""],
    ["H1", raw.h1 ?? "", row.h1 ?? ""],
    ["Canonical", raw.canonical ?? "", row.canonical ?? ""],
    ["Words", number(raw.words ?? 0), number(row.wordCount)],
    ["Links", number(raw.links ?? 0), number(row.links)],
  ];
  return (
    <table className="g">
      <thead><tr><th scope="col"><span className="vh">Fact</span></th><th scope="col">Response</th><th scope="col">Rendered</th></tr></thead>
      <tbody>
        {rows.map(([name, before, after]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="t2">{before || <NotChecked why="None" />}</td>
            <td>{after === before ? <span className="t3">same</span> : after || <NotChecked why="None" />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function deeds(render: Rendering): [string, ReactNode][] {
  const requests = render.requests ?? [];
  const failed = requests.filter((one) => one.failure || one.is_blocked || (one.status ?? 0) >= 400);
  const list = (texts: readonly string[] | undefined) => (texts?.length ? <ul>{texts.map((text, index) => <li key={index}>{text}</li>)}</ul> : <NotChecked why="None" />);
  return [
    ["Why", REASONS[render.reason] ?? spoken(render.reason)],
    ["Outcome", render.detail ? `${spoken(render.outcome)}: ${render.detail}` : spoken(render.outcome)],
    ["Added by scripts", plural(render.new_links ?? 0, "link")],
    ["Script redirect", render.redirect ?? <NotChecked why="None" />],
    ["Own URLs", list(render.history)],
    ["Requests", plural(requests.length, "request")],
    ["Failed requests", list(failed.map((one) => `${one.url} (${one.is_blocked ? "blocked" : (one.failure ?? `HTTP ${one.status}`)})`))],
    ["Console errors", list(render.errors)],
    ["Missing selectors", list(render.missing)],
  ];
}

/** The picture, if one was kept. */
function Picture({ detail }: { detail: Detail }) {
  const [isAbsent, setAbsent] = useState(false);
  const { row } = detail;
  if (isAbsent || typeof row.crawlId !== "number") return null;
  const source = at(view(`api/v1/crawls/${row.crawlId}/page/content`, { url: row.url, form: "screenshot" }));
  return <img className="pagepicture" src={source} alt="The page as rendered" onError={() => setAbsent(true)} />;
}
