// The summary of a run: receipt, issues, structure and times. Every number is a filter.
import { useQuery } from "@tanstack/react-query";
import { api, ask, type Run, type Schemas } from "../../api/client";
import { CheckName, Empty, Icon, Priority, Skeleton, Tabs } from "../../parts/basics";
import { Histogram, Stack } from "../../parts/charts";
import { Link, useQueryState, view } from "../../router";
import { count, percent, plural, responseTime } from "../../words";
import type { FilterTexts } from "./filters";
import { usePrevious } from "./run-actions";
import { Structure } from "./structure";

interface Props {
  run: Run;
  isLive: boolean;
  issues: Schemas["IssuesView"] | undefined;
  onFilter: (filters: FilterTexts, tab?: string) => void;
  theme?: string;
  onClose: () => void;
}

const TABS = [{ id: "overview", name: "Overview" }, { id: "issues", name: "Issues" }, { id: "structure", name: "Structure" }, { id: "times", name: "Times" }];

export function Side(props: Props) {
  const [query, setQuery] = useQueryState();
  const tab = query.get("side") ?? "overview";
  return (
    <aside className="side" aria-label="Summary">
      <div className="sidetop">
        <Tabs tabs={TABS} current={tab} onChoose={(id) => setQuery({ side: id === "overview" && innerWidth > 1000 ? null : id })} label="Summary" />
        <button type="button" className="btn ghost icon onlynarrow" aria-label="Close the summary" onClick={props.onClose}><Icon name="x" /></button>
      </div>
      {tab === "overview" && (
        <>
          <ReceiptSection run={props.run} isLive={props.isLive} onFilter={props.onFilter} />
          <IssueSection {...props} limit={9} />
          <Charts run={props.run} isLive={props.isLive} onFilter={props.onFilter} />
        </>
      )}
      {tab === "issues" && <IssueSection {...props} limit={200} />}
      {tab === "structure" && <Structure run={props.run} onFilter={props.onFilter} />}
      {tab === "times" && <Times run={props.run} onFilter={props.onFilter} />}
    </aside>
  );
}

export const CLASSES: [string, string, string][] = [["fetched", "Fetched", "f1"], ["redirected", "Redirected", "f5"], ["failed", "Failed", "f4"], ["refused", "Refused", "f3 hatch"], ["recorded", "Recorded, not fetched", "f8"], ["skipped", "Skipped", "f8 hatch"], ["pending", "Pending", "f0"]];

export interface ReceiptData {
  seen: number;
  addsUp: boolean;
  classes: Record<string, { count: number; reasons: Record<string, number> }>;
}

export function useReceipt(run: number, isLive: boolean) {
  return useQuery({
    queryKey: ["receipt", run],
    refetchInterval: isLive ? 2_000 : false,
    queryFn: async ({ signal }) => (await ask(api.GET("/api/v1/runs/{id}/receipt", { params: { path: { id: run } }, signal }))) as unknown as ReceiptData,
  });
}

function ReceiptSection({ run, isLive, onFilter }: Pick<Props, "run" | "isLive" | "onFilter">) {
  const receipt = useReceipt(run.id, isLive);
  if (!receipt.data) return <Skeleton rows={8} />;
  const { classes, seen } = receipt.data;
  const parts = CLASSES.map(([id, name, fill]) => ({ id, name, fill, count: classes[id]?.count ?? 0 })).filter((part) => part.count > 0 || (part.id !== "pending" && part.id !== "skipped"));
  return (
    <section className="sec">
      <header>
        <h2>Receipt</h2>
        <Link to={`/r/${run.id}/receipt`}>Reasons</Link>
      </header>
      <Stack parts={parts} label={`${count(seen)} URLs by class`} />
      <div className="legend">
        {parts.map((part) => (
          <Legend key={part.id} fill={part.fill} name={part.name} value={part.count} whole={seen} onChoose={() => onFilter({ disposition: part.id }, "all")} />
        ))}
        <hr />
        <span />
        <b>URLs seen</b>
        <b className="num">{count(seen)}</b>
        <span className="num t3">100 %</span>
      </div>
    </section>
  );
}

function Legend({ fill, name, value, whole, onChoose }: { fill: string; name: string; value: number; whole: number; onChoose: () => void }) {
  return (
    <>
      <i className={fill} />
      <button type="button" className="linklike plain ell" onClick={onChoose}>{name}</button>
      <span className="num">{count(value)}</span>
      <span className="num t3">{percent(value, whole)}</span>
    </>
  );
}

function IssueSection({ run, isLive, issues, onFilter, theme, limit }: Omit<Props, "onClose"> & { limit: number }) {
  const [query] = useQueryState();
  const shown = query.get("issue");
  const changes = useChanges(run);
  if (!issues) return <Skeleton rows={10} />;
  const found = issues.checks.filter((check) => check.findings > 0);
  const listed = limit > 20 && theme ? found.filter((check) => check.theme === theme) : found;
  const sum = (priority: string) => found.filter((check) => check.priority === priority).reduce((total, check) => total + check.findings, 0);
  const passed = issues.checks.filter((check) => check.findings === 0 && !check.notChecked).length;
  const unchecked = issues.checks.length - found.length - passed;
  return (
    <section className="sec">
      <header>
        <h2>{isLive ? "Issues so far" : "Issues"}</h2>
        <span className="t3">{changes.previous ? `compared with run ${changes.previous}` : ""}</span>
      </header>
      <div className="prios">
        {["high", "medium", "low"].map((priority) => (
          <span key={priority}>
            <Priority of={priority} /> {priority.charAt(0).toUpperCase() + priority.slice(1)} <b>{count(sum(priority))}</b>
          </span>
        ))}
      </div>
      {found.length === 0 && (run.totalPagesCrawled > 0 ? <Empty isGood icon="circle-check" title="No issues found"><p>{plural(passed, "check")} passed.</p></Empty> : <Empty icon="list" title="No pages to check" />)}
      <ul className="issuelist">
        {listed.slice(0, limit).map((check) => (
          <li key={check.id}>
            <button type="button" aria-expanded={shown === check.id} onClick={() => onFilter(shown === check.id ? {} : { issue: check.id }, check.theme)}>
              <Priority of={check.priority} />
              <CheckName name={check.name} />
              <span className="num">{count(check.findings)}</span>
              <Delta change={changes.of(check.id)} />
            </button>
            {shown === check.id && (
              <div className="why">
                <p>{check.why}</p>
                <p><b>Fix:</b> {check.fix}</p>
                <Link to={view(`/r/${run.id}/issues`, { check: check.id })}>All about this check</Link>
              </div>
            )}
          </li>
        ))}
      </ul>
      {run.totalPagesCrawled > 0 && <p className="small t2">
        <Link to={`/r/${run.id}/issues`}>{plural(found.length, "check")} with findings</Link> · {passed} passed · {unchecked} not checked
      </p>}
      {isLive && <p className="small t3">Checks for missing things run when the crawl ends.</p>}
    </section>
  );
}

/** New findings of each check since the previous run; nothing if there is none. */
export function useChanges(run: Run): { previous: number | null; of: (check: string) => number | null | undefined } {
  const previous = usePrevious(run);
  const before = previous.data?.id;
  const compared = useQuery({
    queryKey: ["compare", before, run.id],
    enabled: before !== undefined,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{a}/compare/{b}", { params: { path: { a: before ?? 0, b: run.id } }, signal })),
  });
  const checks = new Map(compared.data?.checks.map((check) => [check.id, check.after - check.before]));
  return { previous: compared.data ? (before ?? null) : null, of: (check) => (compared.data ? (checks.get(check) ?? null) : undefined) };
}

/** ▲ worse, ▼ better, = same; an empty place if this check was not compared, and none if nothing was. */
export function Delta({ change }: { change: number | null | undefined }) {
  if (change === undefined) return null;
  if (change === null) return <span className="delta" />;
  if (change === 0) return <span className="delta num t3" title="Same as before">=</span>;
  return <span className={`delta num ${change > 0 ? "up" : "down"}`}>{change > 0 ? "▲" : "▼"} {count(Math.abs(change))}</span>;
}

type Of = "responseTime" | "size" | "depth" | "words" | "inlinks";

function useHistogram(run: number, of: Of, buckets: number, isLive = false) {
  return useQuery({
    queryKey: ["histogram", run, of, buckets],
    refetchInterval: isLive ? 5_000 : false,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{id}/histogram", { params: { path: { id: run }, query: { of, buckets, page: true } }, signal })),
  });
}

function Charts({ run, isLive, onFilter }: Pick<Props, "run" | "isLive" | "onFilter">) {
  const depth = useHistogram(run.id, "depth", 8, isLive);
  const time = useHistogram(run.id, "responseTime", 8, isLive);
  const ends = (list: readonly Schemas["BucketView"][] | undefined) => [list?.[0]?.from ?? 0, list?.at(-1)?.to ?? 0] as const;
  const [from, to] = ends(depth.data?.buckets);
  const [fast, slow] = ends(time.data?.buckets);
  if (!depth.data?.buckets.length || !time.data?.buckets.length) return null;
  return (
    <section className="sec twocharts">
      <div>
        <h3>Pages by depth</h3>
        <Histogram buckets={depth.data.buckets} axis={[String(from), "links from start", String(to)]} name={(one) => `depth ${one.from}${one.to > one.from ? ` to ${one.to}` : ""}`} onChoose={(one) => onFilter({ minDepth: String(one.from), maxDepth: String(one.to) }, "pages")} />
      </div>
      <div>
        <h3>Pages by time</h3>
        <Histogram buckets={time.data.buckets} slowFrom={1000} axis={[responseTime(fast), "", responseTime(slow)]} name={(one) => span(one.from, one.to)} onChoose={(one) => onFilter({ minTime: String(one.from), maxTime: String(one.to) }, "pages")} />
      </div>
    </section>
  );
}

/** A range of whole milliseconds: `under 1 ms`, `2 ms to 4 ms`. */
function span(from: number, to: number): string {
  if (to < 1) return "under 1 ms";
  return from === to ? responseTime(from) : `${responseTime(from)} to ${responseTime(to)}`;
}

function Times({ run, onFilter }: Pick<Props, "run" | "onFilter">) {
  const time = useHistogram(run.id, "responseTime", 16);
  const summary = useQuery({ queryKey: ["summary", run.id], queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{id}/summary", { params: { path: { id: run.id } }, signal })) });
  if (!time.data) return <Skeleton rows={8} />;
  const highest = Math.max(1, ...time.data.buckets.map((one) => one.count));
  return (
    <>
      <section className="sec">
        <header><h2>Response times of pages</h2></header>
        <Histogram buckets={time.data.buckets} slowFrom={1000} axis={[responseTime(time.data.buckets[0]?.from ?? 0), "", responseTime(time.data.buckets.at(-1)?.to ?? 0)]} name={(one) => span(one.from, one.to)} onChoose={(one) => onFilter({ minTime: String(one.from), maxTime: String(one.to) }, "pages")} />
        <ul className="issuelist">
          {time.data.buckets.filter((one) => one.count > 0).map((one) => (
            <li key={one.from}>
              <button type="button" onClick={() => onFilter({ minTime: String(one.from), maxTime: String(one.to) }, "pages")}>
                <span className="bar"><i className={one.from >= 1000 ? "hi" : undefined} style={{ height: `${Math.max(8, (100 * one.count) / highest)}%` }} /></span>
                <span>{span(one.from, one.to)}</span>
                <span className="num">{count(one.count)}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section className="sec">
        <header><h2>Slowest pages</h2></header>
        <ul className="issuelist">
          {summary.data?.slowest.map((page) => (
            <li key={page.url}>
              <button type="button" onClick={() => onFilter({ search: page.url }, "all")}>
                <Icon name="file-text" small />
                <span className="ell" title={page.url}>{page.url.replace(/^https?:\/\/[^/]+/, "")}</span>
                <span className="num">{responseTime(page.totalMs)}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
