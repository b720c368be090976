// All checks of a run, and one of them in full: what, why, how to fix it, its causes and its pages.
import { useInfiniteQuery } from "@tanstack/react-query";
import { api, ask, type Check, type Run } from "../api/client";
import { useProgress } from "../api/live";
import { CheckName, Empty, Icon, Priority, Skeleton, Tabs, Url } from "../parts/basics";
import { Link, useQueryState, view } from "../router";
import { count, percent, plural, spoken, within } from "../words";
import { at } from "../base";
import { useIssues } from "./audit";
import { Delta, useChanges } from "./audit/side";
import { WithRun } from "./run";

export function Issues({ run }: { run: number }) {
  return <WithRun id={run} part="Issues">{(found) => <IssuesOf run={found} />}</WithRun>;
}

const GROUPS = ["high", "medium", "low"] as const;

function IssuesOf({ run }: { run: Run }) {
  const [query, setQuery] = useQueryState();
  const isLive = useProgress(run.id) !== undefined;
  const issues = useIssues(run.id, isLive);
  const changes = useChanges(run);
  const checks = issues.data?.checks ?? [];
  const lists = { found: checks.filter((check) => check.findings > 0), passed: checks.filter((check) => check.findings === 0 && !check.notChecked), unchecked: checks.filter((check) => check.notChecked) };
  const list = (query.get("list") ?? "found") as keyof typeof lists;
  const shown = lists[list] ?? lists.found;
  const current = checks.find((check) => check.id === query.get("check")) ?? shown[0];
  return (
    <main className={query.has("check") ? "cols issues open" : "cols issues"}>
      <nav className="rail" aria-label="Checks">
        <Tabs
          label="Checks"
          current={list}
          onChoose={(id) => setQuery({ list: id === "found" ? null : id, check: null })}
          tabs={[{ id: "found", name: "Findings", count: lists.found.length }, { id: "passed", name: "Passed", count: lists.passed.length }, { id: "unchecked", name: "Not checked", count: lists.unchecked.length }]}
        />
        {!issues.data && <Skeleton rows={12} />}
        {GROUPS.map((priority) => {
          const group = shown.filter((check) => check.priority === priority);
          if (group.length === 0) return null;
          return (
            <div key={priority}>
              <h2>{spoken(priority)}, {plural(group.reduce((sum, check) => sum + check.findings, 0), "finding")}</h2>
              {group.map((check) => (
                <Link key={check.id} to={view(`/r/${run.id}/issues`, { check: check.id, list: list === "found" ? null : list })} aria-current={check === current ? "true" : undefined}>
                  <Priority of={check.priority} />
                  <CheckName name={check.name} />
                  <span className="n">{check.notChecked ? "–" : count(check.findings)}</span>
                  <Delta change={changes.of(check.id)} />
                </Link>
              ))}
            </div>
          );
        })}
      </nav>
      <div className="scroll" tabIndex={0} role="region" aria-label="Check">
        <Link className="btn onlyphone back" to={view(`/r/${run.id}/issues`, { list: list === "found" ? null : list })}><Icon name="list" small /> All checks</Link>
        {current ? <CheckPage key={current.id} run={run} check={current} change={changes.of(current.id)} previous={changes.previous} /> : issues.data && <><h1 className="vh">Issues</h1>{run.totalPagesCrawled > 0 ? <Empty isGood icon="circle-check" title="No issues found"><p>{plural(lists.passed.length, "check")} passed.</p></Empty> : <Empty icon="list" title="No pages to check" />}</>}
      </div>
    </main>
  );
}

function CheckPage({ run, check, change, previous }: { run: Run; check: Check; change: number | null | undefined; previous: number | null }) {
  return (
    <article className="checkpage">
      <header>
        <div className="grow">
          <div className="row">
            <span className={`tag ${check.priority === "high" ? "err" : check.priority === "medium" ? "warn" : ""}`}>{spoken(check.priority)} priority</span>
            <span className="tag">{spoken(check.kind)}</span>
            <span className="tag line">{spoken(check.theme)}</span>
          </div>
          <h1>{check.summary ?? check.name}</h1>
          <p className="t2">
            {check.summary ? check.name : check.notChecked ? `Not checked: ${check.notChecked}` : "Checked, and nothing was found."}
            {typeof check.share === "number" && check.findings > 0 ? ` · ${percent(check.share, 1)} of all pages` : ""}
          </p>
        </div>
        <div className="big">
          <b>{check.notChecked ? "–" : count(check.findings)}</b>
          {typeof change === "number" && previous !== null && <span><Delta change={change} /> since run {previous}</span>}
        </div>
      </header>
      <div className="threecols">
        <section><h2><Icon name="circle-question-mark" /> Why it matters</h2><p>{check.why}</p></section>
        <section><h2><Icon name="wrench" /> How to fix it</h2><p>{check.fix}</p></section>
        <section>
          <h2><Icon name="list" /> Where</h2>
          <p>
            {check.findings > 0 ? <>{plural(check.findings, "finding")} on {plural(check.urls, "URL")}. <Link to={view(`/r/${run.id}`, { issue: check.id })}>Open these URLs in the grid</Link></> : "Nowhere in this run."}
          </p>
        </section>
      </div>
      {check.shared.length > 0 && (
        <>
          <h2>Where it comes from <span className="t3">{plural(check.shared.length, "shared element")}: fix it once in the template</span></h2>
          <div className="card shared">
            {check.shared.map((shared, index) => (
              <div key={index}>
                <div className="grow">
                  <b>{shared.element ?? shared.detail ?? "The same finding on many pages"}</b>
                  {shared.element && shared.detail && <span className="t2"> {shared.detail}</span>}
                  <p className="t3 small">first on <Link to={view(`/r/${run.id}`, { n: shared.firstNumber, pane: "details", search: shared.firstUrl })}>{within(shared.firstUrl, run.domain)}</Link></p>
                </div>
                <div className="share">
                  <span><b>{count(shared.pages)} of {count(shared.of)}</b> pages</span>
                  <div className="track"><i className="f3" style={{ width: `${(100 * shared.pages) / Math.max(1, shared.of)}%` }} /></div>
                </div>
              </div>
            ))}
          </div>
        </>
      )}
      {check.findings > 0 && <Findings run={run} check={check} />}
    </article>
  );
}

function Findings({ run, check }: { run: Run; check: Check }) {
  const rows = useInfiniteQuery({
    queryKey: ["findings", run.id, check.id],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => ask(api.GET("/api/v1/runs/{id}/issues/{check}", { params: { path: { id: run.id, check: check.id }, query: { offset: pageParam, limit: 100 } }, signal })),
    getNextPageParam: (last) => (last.offset + last.items.length < last.total ? last.offset + last.items.length : undefined),
  });
  const items = rows.data?.pages.flatMap((page) => page.items) ?? [];
  const hasDetails = items.some((item) => item.detail);
  return (
    <>
      <div className="head">
        <h2>Affected URLs<span>{count(check.findings)}</span></h2>
        <span className="grow" />
        <a className="btn" href={at(view(`api/v1/runs/${run.id}/rows/export`, { issue: check.id, format: "csv" }))} download><Icon name="download" small /> Export {plural(check.urls, "URL")}</a>
      </div>
      <div className="card">
        <table className="g">
          <thead><tr><th style={{ width: 70 }} className="num">#</th><th>URL</th>{hasDetails && <th style={{ width: "45%" }}>Detail</th>}</tr></thead>
          <tbody>
            {items.map((item, index) => (
              <tr key={index}>
                <td className="num t3">{count(item.number)}</td>
                <td><Link to={view(`/r/${run.id}`, { issue: check.id, n: item.number, pane: "details" })}><Url text={within(item.url, run.domain)} full={item.url} /></Link></td>
                {hasDetails && <td className="t2" title={item.detail ?? undefined}>{item.detail ?? "–"}</td>}
              </tr>
            ))}
          </tbody>
        </table>
        {!rows.data && <Skeleton rows={8} />}
        {rows.hasNextPage && <button type="button" className="btn more" onClick={() => void rows.fetchNextPage()}>Show more ({count(check.findings - items.length)} left)</button>}
      </div>
    </>
  );
}
