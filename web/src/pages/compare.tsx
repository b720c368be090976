// Two runs side by side: what appeared, is gone, changed or was not visited, and what became of each finding.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api, ask, type Run, type Schemas } from "../api/client";
import { at } from "../base";
import { CheckName, Empty, Icon, Message, Priority, Skeleton, Status, Tabs, Url } from "../parts/basics";
import { Menu } from "../parts/floating";
import { Link, navigate, useQueryState, view } from "../router";
import { count, moment, plural, spoken, within } from "../words";
import { insertion } from "./difference";
import { Flow, isCut } from "./flow";
import { WithRun } from "./run";

type Comparison = Schemas["ComparisonView"];
type Change = Schemas["ChangeView"];

export function Compare({ after, before }: { after: number; before: number }) {
  return <WithRun id={after} part="Compare">{(run) => <CompareOf run={run} before={before} />}</WithRun>;
}

const CLASSES = [["changed", "Changed"], ["appeared", "Appeared"], ["gone", "Gone"], ["not_visited", "Not visited"], ["not_visited_before", "Not visited before"], ["same", "Same"]] as const;

function CompareOf({ run, before }: { run: Run; before: number }) {
  const compared = useQuery({
    queryKey: ["compare", before, run.id],
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{a}/compare/{b}", { params: { path: { a: before, b: run.id } }, signal })),
  });
  const [query, setQuery] = useQueryState();
  const data = compared.data;
  const of = (id: string) => data?.classes.find((one) => one.class === id)?.urls ?? 0;
  const first = CLASSES.find(([id]) => of(id) > 0 && id !== "same")?.[0] ?? "same";
  const chosen = (query.get("class") ?? first) as Change["class"];
  const filter = { class: chosen, field: query.get("field") ?? undefined, check: query.get("check") ?? undefined };
  return (
    <main className="scroll">
      <div className="page wide">
        <div className="head first">
          <h1>Compare</h1>
          <RunPicker project={run.projectID} name="Before" current={before} date={data?.a.createdAt} to={(id) => `/r/${run.id}/vs/${id}`} />
          <button type="button" className="btn ghost icon" aria-label="Swap the runs" title="Swap the runs" onClick={() => navigate(`/r/${before}/vs/${run.id}`)}><Icon name="arrow-left-right" /></button>
          <RunPicker project={run.projectID} name="After" current={run.id} date={data?.b.createdAt} to={(id) => `/r/${id}/vs/${before}`} />
          {data && (data.plansDiffer.length === 0 ? <span className="tag line hide-s"><Icon name="check" small /> Same settings</span> : <Differences list={data.plansDiffer} />)}
          <span className="grow" />
          <a className="btn" href={at(view(`api/v1/runs/${before}/compare/${run.id}/export`, { format: "csv" }))} download><Icon name="download" small /> Export changes</a>
        </div>
        {compared.error && <Message kind="err" icon="circle-alert"><b>Could not compare these runs.</b> {compared.error.message}</Message>}
        {!data && !compared.error && <Skeleton rows={12} />}
        {data && (
          <>
            <div className="comparetop">
              <section className="card">
                <header><h2>URLs</h2><span className="t3 small">{daysApart(data)}{isCut(data) ? " · “same” is cut short, the rest is to scale" : ""}</span></header>
                <Flow comparison={data} onChoose={(id) => setQuery({ class: id, field: null, check: null })} />
              </section>
              <ChecksCard comparison={data} onChoose={(check) => setQuery({ check, class: "changed" })} />
            </div>
            <div className="head">
              <Tabs style="seg" label="Changes" current={chosen} onChoose={(id) => setQuery({ class: id, field: null, check: null })} tabs={CLASSES.filter(([id]) => of(id) > 0 || id === "changed").map(([id, name]) => ({ id, name, count: of(id) }))} />
              <span className="grow" />
              {filter.check && <span className="chip on">Finding <b>{data.checks.find((one) => one.id === filter.check)?.name ?? filter.check}</b><button type="button" className="x" aria-label="Remove the filter" onClick={() => setQuery({ check: null })}><Icon name="x" /></button></span>}
              {chosen === "changed" && (
                <Menu className={filter.field ? "chip on" : "chip"} align="right" label={<>Field <b>{filter.field ? spoken(filter.field) : "any"}</b> <Icon name="chevron-down" small /></>}>
                  {(close) => (
                    <>
                      <button type="button" className="item" onClick={() => { close(); setQuery({ field: null }); }}>Any</button>
                      {data.fields.map((field) => <button key={field.field} type="button" className="item" onClick={() => { close(); setQuery({ field: field.field }); }}>{spoken(field.field)}<span className="n">{count(field.urls)}</span></button>)}
                    </>
                  )}
                </Menu>
              )}
            </div>
            <Changes run={run} before={before} filter={filter} />
          </>
        )}
      </div>
    </main>
  );
}

function daysApart(data: Comparison): string {
  const days = Math.round(Math.abs(data.b.createdAt - data.a.createdAt) / 86_400);
  return days === 0 ? "same day" : `${plural(days, "day")} apart`;
}

function RunPicker({ project, name, current, date, to }: { project: number; name: string; current: number; date?: number; to: (run: number) => string }) {
  const runs = useQuery({ queryKey: ["runs", project], queryFn: ({ signal }) => ask(api.GET("/api/v1/runs", { params: { query: { projectID: project, limit: 50 } }, signal })) });
  return (
    <Menu className="btn" label={<><span className="t2 hide-s">{name}</span> Run {current}{date ? <span className="hide-s"> · {moment(date)}</span> : null} <Icon name="chevrons-up-down" small /></>}>
      {(close) => <>{runs.data?.items.filter((one) => one.kind === "crawl").map((one) => <Link key={one.id} to={to(one.id)} onClick={close} aria-current={one.id === current ? "true" : undefined}>Run {one.id}<span className="n">{moment(one.createdAt)}</span></Link>)}</>}
    </Menu>
  );
}

function Differences({ list }: { list: Comparison["plansDiffer"] }) {
  return (
    <Menu className="chip warnchip" label={<><Icon name="triangle-alert" small /> {plural(list.length, "setting differs", "settings differ")}</>}>
      {() => (
        <table className="g differences"><thead><tr><th>Setting</th><th>Before</th><th>After</th></tr></thead><tbody>
          {list.map((one) => <tr key={one.setting}><td className="mono">{one.setting}</td><td>{one.before ?? "–"}</td><td>{one.after ?? "–"}</td></tr>)}
        </tbody></table>
      )}
    </Menu>
  );
}

function ChecksCard({ comparison, onChoose }: { comparison: Comparison; onChoose: (check: string) => void }) {
  const changed = comparison.checks.filter((one) => one.new + one.fixed + one.goneWithPage > 0);
  const listed = changed.toSorted((a, b) => b.new + b.fixed + b.goneWithPage - (a.new + a.fixed + a.goneWithPage)).slice(0, 11);
  const sum = (pick: (one: Schemas["CheckChange"]) => number) => comparison.checks.reduce((total, one) => total + pick(one), 0);
  const width = (value: number) => (value === 0 ? 0 : Math.max(5, Math.sqrt(value) * 2.4));
  const unseen = sum((one) => one.notVisited);
  const [was, is] = [sum((one) => one.before), sum((one) => one.after)];
  return (
    <section className="card checkchanges">
      <header><h2>Issues</h2><span className="small t2"><i className="hollow" /> Fixed or gone {count(sum((one) => one.fixed + one.goneWithPage))} <i className="solid" /> New {count(sum((one) => one.new))} · Still there {count(sum((one) => one.still))}{unseen > 0 && <span title="Findings on URLs that the later run did not visit"> · Not visited {count(unseen)}</span>}</span></header>
      {listed.length === 0 && <Empty isGood icon="circle-check" title="No finding is new or fixed" />}
      <ul>
        {listed.map((one) => (
          <li key={one.id}>
            <button type="button" onClick={() => onChoose(one.id)}>
              <Priority of={one.priority} />
              <CheckName name={one.name} />
              <span className="bars">
                <span>{one.fixed + one.goneWithPage > 0 && <>{count(one.fixed + one.goneWithPage)} <i className="hollow" style={{ width: width(one.fixed + one.goneWithPage) }} /></>}</span>
                <span>{one.new > 0 && <><i className="solid" style={{ width: width(one.new) }} /> {count(one.new)}</>}</span>
              </span>
              <span className="num">{count(one.before)} → <b>{count(one.after)}</b></span>
            </button>
          </li>
        ))}
      </ul>
      <footer><span className="grow">All {plural(comparison.checks.length, "check")}</span><span className="tn">{count(was)} → <b>{count(is)}</b> {is !== was && <span className={is > was ? "up" : "down"}>{is > was ? "▲" : "▼"} {count(Math.abs(is - was))}</span>}</span></footer>
    </section>
  );
}

function Changes({ run, before, filter }: { run: Run; before: number; filter: { class: Change["class"]; field?: string; check?: string } }) {
  const rows = useInfiniteQuery({
    queryKey: ["changes", before, run.id, filter],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => ask(api.GET("/api/v1/runs/{a}/compare/{b}/rows", { params: { path: { a: before, b: run.id }, query: { class: filter.class, field: filter.field as Schemas["Field"] | undefined, check: filter.check, offset: pageParam, limit: 100 } }, signal })),
    getNextPageParam: (last) => (last.offset + last.items.length < last.total ? last.offset + last.items.length : undefined),
  });
  if (!rows.data) return rows.error ? <Message kind="err" icon="circle-alert">{rows.error.message}</Message> : <Skeleton rows={8} />;
  const items = rows.data.pages.flatMap((page) => page.items);
  const total = rows.data.pages[0]?.total ?? 0;
  if (total === 0) return <div className="card"><Empty icon="list-filter" title="No URL in this class"><p>Choose another class, or remove the filters.</p></Empty></div>;
  return (
    <div className="card">
      <table className="g changes">
        <thead><tr><th style={{ width: "30%" }}>URL</th><th style={{ width: 110 }}>Field</th><th>Run {before}</th><th style={{ width: 28 }}><span className="vh">becomes</span></th><th>Run {run.id}</th><th style={{ width: 110 }}>Issues</th></tr></thead>
        <tbody>{items.flatMap((item) => changeRows(item, run, before))}</tbody>
      </table>
      {rows.hasNextPage && <button type="button" className="btn more" onClick={() => void rows.fetchNextPage()}>Show more ({count(total - items.length)} left)</button>}
    </div>
  );
}

function changeRows(item: Change, run: Run, before: number) {
  const [side, number] = item.numberB ? [run.id, item.numberB] : [before, item.numberA];
  const fields = item.fields.length > 0 ? item.fields : [null];
  const fresh = item.issues.filter((one) => one.change === "new").length;
  const fixed = item.issues.filter((one) => one.change === "fixed").length;
  return fields.map((field, index) => (
    <tr key={`${item.url} ${index}`}>
      <td>{index === 0 && <Link to={view(`/r/${side}`, { n: number, pane: "details", search: item.url })}><Url text={within(item.url, run.domain)} full={item.url} /></Link>}</td>
      <td className="t2">{field ? spoken(field.name) : item.reason ? spoken(item.reason) : "–"}</td>
      <td>{field && <Old field={field} />}</td>
      <td className="t3">{field && "→"}</td>
      <td>{field && <New field={field} />}</td>
      <td>{index === 0 && <>{fresh > 0 && <span className="tag err"><Icon name="plus" small /> {fresh} new</span>} {fixed > 0 && <span className="tag ok"><Icon name="check" small /> {fixed} fixed</span>}{fresh + fixed === 0 && <span className="t3">none</span>}</>}</td>
    </tr>
  ));
}

function Old({ field }: { field: Schemas["FieldChange"] }) {
  // Contents are compared by a hash, which tells people nothing.
  if (field.name === "content") return <span className="t3">other text</span>;
  if (field.name === "status" && /^\d+$/.test(field.before ?? "")) return <Status status={Number(field.before)} />;
  return field.before ? <span title={field.before} className={field.after ? "t2" : "removed"}>{oldText(field)}</span> : <span className="t3">missing</span>;
}

function oldText({ before, after }: Schemas["FieldChange"]) {
  const old = before ?? "";
  if (/^\d+$/.test(old)) return count(Number(old));
  const [start, removed, end] = insertion(after ?? "", old);
  return after ? <>{start}{removed && <span className="removed">{removed}</span>}{end}</> : old;
}

function New({ field }: { field: Schemas["FieldChange"] }) {
  const [old, now] = [field.before ?? "", field.after ?? ""];
  if (field.name === "content") return <b>changed</b>;
  if (field.name === "status" && /^\d+$/.test(now)) return <Status status={Number(now)} />;
  if (!now) return <span className="t3">missing</span>;
  if (/^-?\d+$/.test(now) && /^-?\d+$/.test(old)) {
    const by = Number(now) - Number(old);
    return <><b>{count(Number(now))}</b> <span className="t3">{by > 0 ? "+" : "−"}{count(Math.abs(by))}</span></>;
  }
  const [start, inserted, end] = insertion(old, now);
  return <span title={now} className={old ? "sb" : undefined}>{start}{inserted && <span className="added">{inserted}</span>}{end}</span>;
}
