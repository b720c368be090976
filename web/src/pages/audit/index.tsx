// The audit of a run: aspects, a grid of URLs, the selected URL below it, and a summary beside it.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { api, ask, type Row, type Run } from "../../api/client";
import { useProgress } from "../../api/live";
import { at } from "../../base";
import { Grid, type GridHandle } from "../../grid/grid";
import { useKeys } from "../../keys";
import { Icon, Message } from "../../parts/basics";
import { Menu } from "../../parts/floating";
import { copy } from "../../parts/toast";
import { Link, navigate, useQueryState, view } from "../../router";
import { plural } from "../../words";
import { pauseRun, resumeRun } from "../actions";
import { ProjectSettings } from "../project-settings";
import { RunBar, WithRun } from "../run";
import { useAspects } from "./aspects";
import { columnsOf } from "./columns";
import { useColumns, ColumnsMenu } from "./column-choice";
import { asQuery, chipsOf, FIELDS, filtersOf, type FilterTexts } from "./filters";
import { FilterBar } from "./filter-bar";
import { Foot, NoRows } from "./foot";
import { NothingFetched } from "./nothing";
import { Pane } from "./pane";
import { Rail } from "./rail";
import { RunActions, usePrevious } from "./run-actions";
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
  const byId = useMemo(() => columnsOf(run.domain, run.urlsSeen), [run.domain, String(run.urlsSeen).length]);
  const columns = useColumns(byId, aspect.columns);
  const sort = query.get("sort") ?? "number";
  const isDescending = query.get("order") === "desc";
  const needs = [...new Set(columns.shown.flatMap((column) => byId.get(column.id)?.needs ?? []))].join(",");
  const list = useMemo<List>(() => ({ run: run.id, filters: asQuery(filters), sort, isDescending, columns: needs }), [run.id, filters, sort, isDescending, needs]);
  // By number and without filters, new rows only appear at the end: such a list may grow under the reader's eyes.
  const isGrowing = sort === "number" && !isDescending && Object.keys(filters).length === 0;
  const rows = useRows(list, isLive && isGrowing);
  const fresh = isLive && !isGrowing ? Math.max(0, aspects.version - rows.version) : 0;
  const previous = usePrevious(run);
  const grid = useRef<GridHandle>(null);
  const selected = query.has("row") ? Number(query.get("row")) : null;
  const number = query.has("n") ? Number(query.get("n")) : selected !== null ? rows.rowAt(selected)?.number : undefined;
  const [isPane, setPane] = [query.get("pane") !== null, (tab: string | null) => setQuery({ pane: tab })];
  const hasSide = query.get("side") !== "off" && (innerWidth > 1000 || query.has("side"));
  const toggleSide = () => setQuery({ side: hasSide ? (innerWidth > 1000 ? "off" : null) : innerWidth > 1000 ? null : "overview" });
  // URLs are committed in the order of their numbers; behind the newest one, all are pending.
  const newest = progress ? progress.seen - progress.pending : 0;
  const isFollowing = isLive && isGrowing && query.has("follow");
  const checkName = (id: string) => issues.data?.checks.find((check) => check.id === id)?.name ?? id;
  const chips = chipsOf(own, checkName);

  const select = (place: number) => setQuery({ row: place, n: null, pane: query.get("pane") ?? "details" });
  const chooseAspect = (id: string) => {
    const isTheme = aspects.themes.some((one) => one.id === id);
    setFilters({}, id, isTheme ? "issues" : query.get("side") === "issues" ? null : undefined);
  };
  const setFilters = (next: FilterTexts, tab: string = aspect.id, side: string | null = query.get("side")) => {
    const cleared = Object.fromEntries(FIELDS.map((field) => [field, null]));
    setQuery({ ...cleared, ...next, tab: tab === "all" ? null : tab, row: null, n: null, side, cols: tab === aspect.id ? query.get("cols") : null }, "push");
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

  useEffect(() => {
    if (isFollowing && rows.total > 0) grid.current?.show(Math.max(0, Math.min(rows.total - 1, newest + 3)));
  }, [isFollowing, rows.total, newest]);

  const step = (by: number) => {
    if (rows.total === 0) return;
    const next = Math.max(0, Math.min(rows.total - 1, (selected ?? -1) + by));
    select(next);
    grid.current?.show(next);
  };
  const turn = (by: number) => {
    const place = all.indexOf(aspect);
    const next = all[(place + by + all.length) % all.length];
    if (next) chooseAspect(next.id);
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
    { keys: ",", does: "Settings", run: () => setQuery({ settings: run.kind }, "push") },
    { keys: "c", does: "Compare with the previous run", run: () => previous.data && navigate(`/r/${run.id}/vs/${previous.data.id}`) },
    { keys: "g i", does: "Issues", run: () => navigate(`/r/${run.id}/issues`) },
    { keys: "p", does: "Pause or resume", run: () => void (isLive ? pauseRun(run.id) : run.state === "paused" ? resumeRun(run) : undefined) },
    { keys: "Shift ←→", does: "Resize the column whose header has the focus", run: () => undefined },
    { keys: "Alt ←→", does: "Move it", run: () => undefined },
    { keys: "\\", does: "Show or hide the summary", run: () => toggleSide() },
  ]);
  return (
    <main className="app">
      <RunBar run={run} name={`Run ${run.id}`}>
        <RunActions run={run} isLive={isLive} />
      </RunBar>
      {!isLive && <NothingFetched run={run} />}
      <div className={hasSide ? "cols" : "cols noside"}>
        <Rail aspects={aspects} current={aspect.id} onChoose={chooseAspect}>
          <button type="button" className="btn" aria-pressed={hasSide} onClick={toggleSide}>Overview</button>
          <Link className="btn" to={`/r/${run.id}/issues`}>Issues</Link>
        </Rail>
        <div className="main">
          <FilterBar run={run.id} aspect={aspect} chips={chips} filters={filters} own={own} checks={issues.data?.checks ?? []} onChange={(next) => setFilters(next)}>
            {isLive && isGrowing && (
              <button type="button" className={isFollowing ? "chip on" : "chip"} aria-pressed={isFollowing} onClick={() => setQuery({ follow: isFollowing ? null : 1 })}>
                Follow <b>newest rows</b>
              </button>
            )}
            <span className="hide-s"><ColumnsMenu all={byId} choice={columns} /></span>
            <Menu className="btn ghost hide-s" align="right" label={<><Icon name="download" small /> Export {plural(rows.total, "row")}</>}>
              {(close) => (
                <>
                  {[["csv", "CSV"], ["xlsx", "Excel"], ["jsonl", "JSON lines"], ["parquet", "Parquet"]].map(([format, name]) => (
                    <a key={format} href={exportUrl(format ?? "csv")} download onClick={close}>{name}</a>
                  ))}
                </>
              )}
            </Menu>
            <button type="button" className="btn ghost icon hide-s" aria-pressed={hasSide} aria-label="Summary" title="Summary (\)" onClick={toggleSide}>
              <Icon name="panel-right" small />
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
          {isPane && number !== undefined && <Pane run={run} number={number} tab={query.get("pane") ?? "details"} onTab={setPane} onStep={step} onClose={() => setQuery({ pane: null, row: null, n: null })} />}
          <Foot shown={rows.total} all={aspects.total} isLive={isLive} selected={selected} onGo={(place) => { select(place); grid.current?.show(place); }} />
        </div>
        {hasSide && <Side run={run} isLive={isLive} issues={issues.data} onFilter={(next, tab) => setFilters(next, tab)} theme={aspect.theme} onClose={toggleSide} />}
      </div>
      {query.has("settings") && <ProjectSettings url={run.seeds[0] ?? run.domain} job="crawl" onClose={() => setQuery({ settings: null })} />}
    </main>
  );
}
