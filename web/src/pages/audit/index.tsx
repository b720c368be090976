// The audit of a run: aspects, a grid of URLs, the selected URL below it, and a summary beside it.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { api, ask, type Row, type Run } from "../../api/client";
import { useProgress } from "../../api/live";
import { at } from "../../base";
import { Grid, type GridHandle } from "../../grid/grid";
import { useKeys } from "../../keys";
import { Empty, Icon, Message } from "../../parts/basics";
import { Menu } from "../../parts/floating";
import { copy } from "../../parts/toast";
import { Link, navigate, useQueryState, view } from "../../router";
import { count, plural } from "../../words";
import { pauseRun, resumeRun, startRun } from "../actions";
import { RunBar, WithRun } from "../run";
import { useAspects } from "./aspects";
import { columnsOf } from "./columns";
import { useColumns, ColumnsMenu } from "./column-choice";
import { asQuery, chipsOf, FIELDS, filtersOf, type FilterTexts } from "./filters";
import { FilterBar } from "./filter-bar";
import { Pane } from "./pane";
import { Rail } from "./rail";
import { rowsQuery, useRows, type List } from "./rows";
import { Side } from "./side";

export function Audit({ run }: { run: number }) {
  return <WithRun id={run}>{(found) => <AuditOf run={found} />}</WithRun>;
}

export function useIssues(run: number, isLive: boolean) {
  return useQuery({
    queryKey: ["issues", run],
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{id}/issues", { params: { path: { id: run } }, signal })),
    refetchInterval: isLive ? 5_000 : false,
  });
}

function AuditOf({ run }: { run: Run }) {
  const [query, setQuery] = useQueryState();
  const progress = useProgress(run.id);
  const isLive = progress !== undefined;
  const issues = useIssues(run.id, isLive);
  const aspects = useAspects(run.id, isLive, issues.data?.checks);
  const all = [...aspects.urls, ...aspects.responses, ...aspects.themes];
  const aspect = all.find((one) => one.id === query.get("tab")) ?? aspects.urls[0]!;
  const own = useMemo(() => filtersOf(query, {}), [query]);
  const filters = useMemo(() => filtersOf(query, own.issue ? {} : aspect.filters), [query, own.issue, aspect.id]);
  const byId = useMemo(() => columnsOf(run.domain), [run.domain]);
  const columns = useColumns(byId, aspect.columns);
  const sort = query.get("sort") ?? "number";
  const isDescending = query.get("order") === "desc";
  const needs = [...new Set(columns.shown.flatMap((column) => byId.get(column.id)?.needs ?? []))].join(",");
  const list = useMemo<List>(() => ({ run: run.id, filters: asQuery(filters), sort, isDescending, columns: needs }), [run.id, filters, sort, isDescending, needs]);
  // By number and without filters, new rows only appear at the end: such a list may grow under the reader's eyes.
  const isGrowing = sort === "number" && !isDescending && Object.keys(filters).length === 0;
  const rows = useRows(list, isLive && isGrowing);
  const fresh = isLive && !isGrowing ? Math.max(0, aspects.version - rows.version) : 0;
  const grid = useRef<GridHandle>(null);
  const selected = query.has("row") ? Number(query.get("row")) : null;
  const number = query.has("n") ? Number(query.get("n")) : selected !== null ? rows.rowAt(selected)?.number : undefined;
  const [isPane, setPane] = [query.get("pane") !== null, (tab: string | null) => setQuery({ pane: tab })];
  const [hasSide, setSide] = useState(() => innerWidth > 1000);
  const checkName = (id: string) => issues.data?.checks.find((check) => check.id === id)?.name ?? id;
  const chips = chipsOf(own, checkName);

  const select = (place: number) => setQuery({ row: place, n: null, pane: query.get("pane") ?? "details" });
  const setFilters = (next: FilterTexts, tab: string = aspect.id) => {
    const cleared = Object.fromEntries(FIELDS.map((field) => [field, null]));
    setQuery({ ...cleared, ...next, tab: tab === "all" ? null : tab, row: null, n: null, cols: tab === aspect.id ? query.get("cols") : null }, "push");
  };
  const sortBy = (by: string) => {
    const next = by !== sort ? (["inlinks", "responseTime", "size", "wordCount", "linkScore"].includes(by) ? "desc" : null) : isDescending ? null : "desc";
    setQuery({ sort: by === "number" ? null : by, order: next, row: null, n: null });
  };
  const exportUrl = (format: string) => {
    const { offset: _o, limit: _l, columns: _c, ...rest } = rowsQuery(list, 0, 1);
    const names = columns.shown.flatMap((column) => byId.get(column.id)?.needs ?? []);
    return at(view(`api/v1/runs/${run.id}/rows/export`, { ...(rest as FilterTexts), columns: [...new Set(["url", ...names])].join(","), format }));
  };
  useEffect(() => {
    if (selected !== null && rows.total > 0) grid.current?.show(Math.min(selected, rows.total - 1));
  }, [rows.total > 0]);

  const step = (by: number) => {
    if (rows.total === 0) return;
    const next = Math.max(0, Math.min(rows.total - 1, (selected ?? -1) + by));
    select(next);
    grid.current?.show(next);
  };
  const turn = (by: number) => {
    const place = all.indexOf(aspect);
    const next = all[(place + by + all.length) % all.length];
    if (next) setFilters({}, next.id);
  };
  const row = selected !== null ? rows.rowAt(selected) : undefined;
  useKeys([
    { keys: "j", does: "Next row", run: () => step(1) },
    { keys: "k", does: "Previous row", run: () => step(-1) },
    { keys: "Enter", does: "Open the pane", run: () => setPane("details") },
    { keys: "Escape", does: "Close the pane", run: () => setQuery({ pane: null, row: null, n: null }) },
    { keys: "Home", does: "First row", run: () => step(-rows.total) },
    { keys: "End", does: "Last row", run: () => step(rows.total) },
    { keys: "g r", does: "Go to a row", run: () => document.querySelector<HTMLElement>(".goto input")?.focus() },
    { keys: "/", does: "Search", run: () => document.getElementById("url-search")?.focus() },
    { keys: "f", does: "Add a filter", run: () => document.getElementById("add-filter")?.querySelector("button")?.click() },
    { keys: "[", does: "Previous aspect", run: () => turn(-1) },
    { keys: "]", does: "Next aspect", run: () => turn(1) },
    { keys: "o", does: "Open the URL", run: () => row && /^https?:/.test(row.url) && open(row.url, "_blank", "noopener,noreferrer") },
    { keys: "y", does: "Copy the URL", run: () => row && void copy(row.url, "the URL") },
    { keys: "e", does: "Export this list as CSV", run: () => location.assign(exportUrl("csv")) },
    { keys: "g i", does: "Issues", run: () => navigate(`/r/${run.id}/issues`) },
    { keys: "p", does: "Pause or resume", run: () => void (isLive ? pauseRun(run.id) : run.state === "paused" ? resumeRun(run) : undefined) },
    { keys: "\\", does: "Show or hide the summary", run: () => setSide(!hasSide) },
  ]);
  return (
    <main className="app">
      <RunBar run={run} name={`Run ${run.id}`}>
        <RunActions run={run} isLive={isLive} />
      </RunBar>
      <div className={hasSide ? "cols" : "cols noside"}>
        <Rail aspects={aspects} current={aspect.id} onChoose={(id) => setFilters({}, id)} />
        <div className="main">
          <FilterBar run={run.id} aspect={aspect} chips={chips} filters={filters} own={own} checks={issues.data?.checks ?? []} onChange={setFilters}>
            <ColumnsMenu all={byId} choice={columns} />
            <Menu className="btn ghost" align="right" label={<><Icon name="download" small /> Export {plural(rows.total, "row")}</>}>
              {(close) => (
                <>
                  {[["csv", "CSV"], ["xlsx", "Excel"], ["jsonl", "JSON lines"], ["parquet", "Parquet"]].map(([format, name]) => (
                    <a key={format} href={exportUrl(format ?? "csv")} download onClick={close}>{name}</a>
                  ))}
                </>
              )}
            </Menu>
            <button type="button" className="btn ghost icon" aria-pressed={hasSide} aria-label="Summary" title="Summary (\)" onClick={() => setSide(!hasSide)}>
              <Icon name="info" small />
            </button>
          </FilterBar>
          <div className="gridwrap">
            {rows.error ? (
              <Message kind="err" icon="circle-alert" action={<button type="button" className="btn" onClick={rows.refresh}>Try again</button>}>
                <b>Could not read this list.</b> {rows.error.message}
              </Message>
            ) : (
              <Grid<Row>
                label={`${aspect.name} of run ${run.id}`}
                columns={columns.shown}
                total={rows.total}
                rowAt={rows.rowAt}
                onWindow={rows.onWindow}
                selected={selected}
                onSelect={select}
                onOpen={() => setPane(query.get("pane") ?? "details")}
                sort={{ by: sort, isDescending }}
                onSort={sortBy}
                onResize={columns.resize}
                onMove={columns.move}
                handle={grid}
                empty={!rows.isLoading && <NoRows total={aspects.total} hasFilters={chips.length > 0} isLive={isLive} onClear={() => setFilters({})} />}
              />
            )}
            {fresh > 0 && (
              <button type="button" className="btn primary newrows" onClick={rows.refresh}>
                <Icon name="arrow-down" small /> {plural(fresh, "new row")}
              </button>
            )}
          </div>
          {isPane && number !== undefined && <Pane run={run} number={number} tab={query.get("pane") ?? "details"} onTab={setPane} onStep={step} onClose={() => setQuery({ pane: null, row: null, n: null })} onFilter={setFilters} />}
          <footer className="foot">
            <span className="tn" role="status">
              <b>{count(rows.total)}</b> of {count(Math.max(aspects.total, rows.total))} URLs{isLive ? ", growing" : ""}
            </span>
            {selected !== null && <span className="tn">Row {count(selected + 1)} selected</span>}
            <GoTo total={rows.total} onGo={(place) => { select(place); grid.current?.show(place); }} />
            <span className="hints hide-s">
              <span><kbd>j</kbd> <kbd>k</kbd> move</span>
              <span><kbd>Enter</kbd> open pane</span>
              <span><kbd>f</kbd> filter</span>
              <span><kbd>?</kbd> all keys</span>
            </span>
          </footer>
        </div>
        {hasSide && <Side run={run} isLive={isLive} issues={issues.data} onFilter={setFilters} theme={aspect.theme} />}
      </div>
    </main>
  );
}

/** Jumps to a row by its place in the list. */
function GoTo({ total, onGo }: { total: number; onGo: (place: number) => void }) {
  const go = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("row")).replace(/[,.\s]/g, "");
    if (/^\d+$/.test(text) && total > 0) onGo(Math.min(total, Math.max(1, Number(text))) - 1);
  };
  return (
    <form className="goto hide-s" onSubmit={go}>
      <label>
        Go to row <input name="row" inputMode="numeric" size={7} aria-label="Go to row" />
      </label>
    </form>
  );
}

function NoRows({ total, hasFilters, isLive, onClear }: { total: number; hasFilters: boolean; isLive: boolean; onClear: () => void }) {
  if (!hasFilters) return <Empty icon={isLive ? "hourglass" : "list-filter"} title={isLive ? "No URL yet" : "No URL in this part"}><p>{isLive ? "Rows appear as soon as they are known." : `${plural(total, "URL")} in this run.`}</p></Empty>;
  return (
    <Empty icon="list-filter" title="No URL matches these filters">
      <p>{plural(total, "URL")} in this run. The filters have none in common.</p>
      <button type="button" className="btn" onClick={onClear}>Clear filters</button>
    </Empty>
  );
}

function RunActions({ run, isLive }: { run: Run; isLive: boolean }) {
  const previous = useQuery({
    queryKey: ["previous", run.id],
    enabled: run.state === "completed",
    retry: false,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{id}/previous", { params: { path: { id: run.id } }, signal })),
  });
  if (isLive) {
    return (
      <button type="button" className="btn" onClick={() => void pauseRun(run.id)}>
        <Icon name="pause" small /> Pause
      </button>
    );
  }
  return (
    <>
      {previous.data && (
        <Link className="btn hide-s" to={`/r/${run.id}/vs/${previous.data.id}`}>
          <Icon name="git-compare" small /> Compare with run {previous.data.id}
        </Link>
      )}
      <Link className="btn hide-s" to={`/r/${run.id}/report`}>
        <Icon name="file-down" small /> Report
      </Link>
      {run.state === "paused" || run.state === "failed" ? (
        <button type="button" className="btn primary" onClick={() => void resumeRun(run)}>
          <Icon name="play" small /> Resume
        </button>
      ) : (
        <button type="button" className="btn primary" onClick={() => void startRun(run, "fresh")}>
          <Icon name="rotate-cw" small /> Run again
        </button>
      )}
    </>
  );
}
