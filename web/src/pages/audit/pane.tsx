// Everything about one URL, below the grid.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { api, ask, type Run, type Schemas } from "../../api/client";
import { useKeys } from "../../keys";
import { Empty, Icon, Message, NotChecked, Outside, Priority, Skeleton, Status, Tabs, Url } from "../../parts/basics";
import { copy } from "../../parts/toast";
import { Link, view } from "../../router";
import { count, moment, plural, responseTime, size, spoken, within } from "../../words";
import { Links } from "./links";
import { Source, Text } from "./page-text";
import { RenderingTab } from "./rendering";

interface Props {
  run: Run;
  number: number;
  tab: string;
  onTab: (tab: string) => void;
  onStep: (by: number) => void;
  onClose: () => void;
}

type Detail = Schemas["UrlDetail"];
const HEIGHT = "bluesnake.pane";

export function Pane({ run, number, tab, onTab, onStep, onClose }: Props) {
  const [height, setHeight] = useState(() => Number(localStorage.getItem(HEIGHT)) || (innerHeight < 800 ? 204 : 268));
  const detail = useQuery({
    queryKey: ["url", run.id, number],
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{id}/urls/{number}", { params: { path: { id: run.id, number } }, signal })),
  });
  const data = detail.data;
  const tabs = [
    { id: "details", name: "Details" },
    { id: "inlinks", name: "Inlinks", count: data ? (data.row.uniqueInlinks ?? null) : undefined },
    { id: "outlinks", name: "Outlinks", count: data ? (data.row.links ?? null) : undefined },
    { id: "headers", name: "Headers", count: data?.headers.length },
    { id: "chain", name: "Redirects", count: data?.chain.length },
    { id: "source", name: "Source" },
    { id: "text", name: "Text" },
    { id: "issues", name: "Issues", count: data?.issues.length },
    { id: "rendering", name: "Rendering" },
  ];
  useKeys(tabs.map((one, index) => ({ keys: String(index + 1), does: `Pane: ${one.name}`, run: () => onTab(one.id) })));
  useEffect(() => localStorage.setItem(HEIGHT, String(height)), [height]);
  const resize = (next: number) => setHeight(Math.max(120, Math.min(innerHeight - 260, next)));
  const keys = (event: React.KeyboardEvent) => {
    const step = event.key === "ArrowUp" ? 24 : event.key === "ArrowDown" ? -24 : 0;
    if (step === 0) return;
    event.preventDefault();
    resize(height + step);
  };
  const drag = (event: React.PointerEvent) => {
    const [start, from] = [event.clientY, height];
    const move = (moved: PointerEvent) => resize(from + start - moved.clientY);
    const end = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
  };
  return (
    <section className="pane" style={{ height }} aria-label="Selected URL">
      <div className="paneresize" role="separator" aria-orientation="horizontal" aria-label="Height of the pane" aria-valuenow={Math.round(height)} aria-valuemin={120} aria-valuemax={innerHeight - 260} tabIndex={0} onPointerDown={drag} onKeyDown={keys} />
      <header>
        {data && <Status status={data.row.status} disposition={data.row.disposition} reason={data.row.reason} />}
        <h2 className="grow">{data && <Url text={within(data.row.url, run.domain)} full={data.row.url} />}</h2>
        <button type="button" className="btn ghost icon" aria-label="Previous row" onClick={() => onStep(-1)}><Icon name="chevron-up" /></button>
        <button type="button" className="btn ghost icon" aria-label="Next row" onClick={() => onStep(1)}><Icon name="chevron-down" /></button>
        <button type="button" className="btn ghost icon" aria-label="Copy the URL" onClick={() => data && void copy(data.row.url, "the URL")}><Icon name="copy" /></button>
        {data && /^https?:\/\//.test(data.row.url) && (
          <a className="btn ghost icon" aria-label="Open the URL in a new tab" href={data.row.url} target="_blank" rel="noopener noreferrer nofollow"><Icon name="external-link" /></a>
        )}
        <button type="button" className="btn ghost icon" aria-label="Close the pane" onClick={onClose}><Icon name="x" /></button>
      </header>
      <Tabs tabs={tabs} current={tab} onChoose={onTab} label="About the URL" />
      <div className="panebody" tabIndex={0} role="region" aria-label="About the URL">
        {detail.error && <Message kind="err" icon="circle-alert">{detail.error.message}</Message>}
        {detail.isPending && <Skeleton rows={5} />}
        {data && tab === "details" && <Details run={run} detail={data} />}
        {data && (tab === "inlinks" || tab === "outlinks") && <Links key={`${tab} ${number}`} run={run} number={number} kind={tab} />}
        {data && tab === "headers" && <Headers detail={data} />}
        {data && tab === "chain" && <Chain run={run} hops={data.chain.length > 0 ? [data.row, ...data.chain] : []} />}
        {data && tab === "source" && <Source row={data.row} />}
        {data && tab === "text" && <Text detail={data} />}
        {data && tab === "rendering" && <RenderingTab detail={data} />}
        {data && tab === "issues" && <UrlIssues run={run} issues={data.issues} />}
      </div>
    </section>
  );
}

function Details({ run, detail }: { run: Run; detail: Detail }) {
  const { row } = detail;
  const here = (url: string | null | undefined) => (url ? <Link to={view(`/r/${run.id}`, { search: url })}>{within(url, run.domain)}</Link> : <NotChecked why="None" />);
  const left: [string, ReactNode][] = [
    ["URL", <Outside key="u" url={row.url} />],
    ["Status", <><Status status={row.status} disposition={row.disposition} reason={row.reason} /> {row.reason && <span className="t3">{spoken(row.reason).toLowerCase()}{row.attempts ? `, after ${plural(row.attempts, "attempt")}` : ""}</span>}</>],
    ["Number, depth", `${count(row.number)}${typeof row.depth === "number" ? `, ${plural(row.depth, "link")} from the start` : ""}`],
    ["First found on", <>{here(row.parentUrl)} {row.source && <span className="t3">({row.source})</span>}</>],
    ["Indexable", row.indexable === "Yes" ? "Yes" : row.indexable === "No" ? `No${row.indexableReason ? `: ${spoken(row.indexableReason).toLowerCase()}` : ""}` : <NotChecked />],
    ["Canonical", here(row.canonical)],
    ["Title", row.title ? <>{row.title} <span className="t3">{plural(row.titleLength ?? 0, "character")}</span></> : <NotChecked why="None" />],
    ["Description", row.description ? <>{row.description} <span className="t3">{plural(row.descriptionLength ?? 0, "character")}</span></> : <NotChecked why="None" />],
    ["H1", row.h1 ?? <NotChecked why="None" />],
  ];
  const right: [string, ReactNode][] = [
    ["Inlinks", typeof row.inlinks === "number" ? `${plural(row.inlinks, "link")} from ${plural(row.uniqueInlinks ?? 0, "URL")}` : <NotChecked why="Known when the run is completed" />],
    ["Outlinks", typeof row.outlinks === "number" ? `${plural(row.outlinks, "link")}, ${count(row.externalOutlinks ?? 0)} external` : <NotChecked why="Known when the run is completed" />],
    ["Issues", detail.issues.length ? <ul className="issuelinks">{detail.issues.map((issue, index) => <li key={index}><Priority of={issue.priority} /> <Link to={view(`/r/${run.id}/issues`, { check: issue.id })}>{issue.name}</Link></li>)}</ul> : "None"],
    ["Response time", typeof row.responseTime === "number" ? <>{responseTime(row.responseTime)} {typeof row.firstByteTime === "number" && <span className="t3">first byte after {responseTime(row.firstByteTime)}</span>}</> : <NotChecked />],
    ["Fetched", row.visitedAtMs ? moment(row.visitedAtMs / 1000) : <NotChecked />],
    ["Media type", row.contentType ? <>{row.contentType} <span className="t3">{row.httpVersion}</span></> : <NotChecked />],
    ["Size", typeof row.size === "number" ? <>{size(row.size)} {typeof row.transferSize === "number" && row.transferSize !== row.size && <span className="t3">{size(row.transferSize)} on the wire</span>}</> : <NotChecked />],
    ["Words", typeof row.wordCount === "number" ? <>{count(row.wordCount)} {typeof row.mainWords === "number" && <span className="t3">{count(row.mainWords)} without navigation</span>}</> : <NotChecked />],
    ["Same content as", row.identicalTo ?? row.nearDuplicateOf ? <>{here(row.identicalTo ?? row.nearDuplicateOf)} {row.similarity ? <span className="t3">{row.similarity} % similar</span> : null}</> : <NotChecked why="None" />],
    ["Detail", row.detail ?? row.error ?? <NotChecked why="None" />],
  ];
  return (
    <div className="twocols">
      {[left, right].map((list, index) => (
        <dl key={index} className="kv">
          {list.map(([name, value]) => (
            <div key={name} className="pair"><dt>{name}</dt><dd>{value}</dd></div>
          ))}
        </dl>
      ))}
    </div>
  );
}

function Headers({ detail }: { detail: Detail }) {
  if (detail.headers.length === 0) return <Empty icon="list" title="No response headers are stored for this URL"><p>Headers that many responses share are stored once; a URL that was not fetched has none.</p></Empty>;
  return (
    <dl className="kv wide">
      {detail.headers.map((header, index) => (
        <div key={index} className="pair"><dt className="mono">{header.name}</dt><dd className="mono">{header.value}</dd></div>
      ))}
    </dl>
  );
}

function Chain({ run, hops }: { run: Run; hops: readonly { number: number; status?: number | null; url: string }[] }) {
  if (hops.length === 0) return <Empty icon="corner-down-right" title="This URL does not redirect" />;
  return (
    <ol className="chain">
      {hops.map((hop) => (
        <li key={hop.number}>
          <Status status={hop.status} />
          <Link to={view(`/r/${run.id}`, { n: hop.number, pane: "details", search: hop.url })}><Url text={within(hop.url, run.domain)} full={hop.url} /></Link>
        </li>
      ))}
    </ol>
  );
}

function UrlIssues({ run, issues }: { run: Run; issues: readonly Schemas["UrlIssueView"][] }) {
  if (issues.length === 0) return <Empty isGood icon="circle-check" title="No issue was found on this URL" />;
  return (
    <ul className="urlissues">
      {issues.map((issue, index) => (
        <li key={index}>
          <Priority of={issue.priority} />
          <div>
            <Link to={view(`/r/${run.id}/issues`, { check: issue.id })}>{issue.name}</Link>
            {issue.detail && <span className="t2"> {issue.detail}</span>}
            <p className="t2">{issue.why} <b>Fix:</b> {issue.fix}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
