// The start page: one field, what runs now, and all projects.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Run } from "../api/client";
import { useLive } from "../api/live";
import { useKeys } from "../keys";
import { Empty, Favicon, Icon, Skeleton, StateText } from "../parts/basics";
import { Spark } from "../parts/charts";
import { Menu } from "../parts/floating";
import { Link, useQueryState } from "../router";
import { Frame } from "../shell";
import { count, JOBS, moment, orDash, pauseReason, runPath } from "../words";
import { DeleteProject, pauseRun, startRun } from "./actions";
import { Running } from "./running";
import { Start } from "./start";
import { Welcome } from "./welcome";

export function Home() {
  const live = useLive();
  const runs = useQuery({
    queryKey: ["runs", "all"],
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs", { params: { query: { limit: 1000 } }, signal })),
  });
  const here = live.active.flatMap((one) => (one.isHere && one.progress.runId ? [one.progress.runId] : []));
  const isEmpty = runs.data?.items.length === 0 && live.active.length === 0;
  return (
    <Frame title="bluesnake">
      <main className="scroll">
        <div className="page">
          {isEmpty ? (
            <div className="welcome">
              <h1>Crawl your first site</h1>
              <p>Type a host, choose a job, press Start. Everything stays in one file on this machine.</p>
            </div>
          ) : (
            <h1 className="vh">bluesnake</h1>
          )}
          <Start />
          {isEmpty && <Welcome />}
          {live.active.length > 0 && (
            <>
              <div className="head">
                <h2>
                  Running<span>{live.active.length}</span>
                </h2>
                <span className="grow" />
                {here.length > 1 && <button type="button" className="btn ghost" onClick={() => here.forEach((run) => void pauseRun(run))}><Icon name="pause" small /> Pause all</button>}
              </div>
              <div className="card">
                {live.active.map((one) => (
                  <Running key={one.progress.runId ?? one.projectID} session={one} run={runs.data?.items.find((run) => run.id === one.progress.runId)} />
                ))}
              </div>
            </>
          )}
          {!isEmpty && (runs.data ? <Projects runs={runs.data.items} /> : <Skeleton />)}
        </div>
      </main>
    </Frame>
  );
}

interface Listed {
  id: number;
  domain: string;
  /** Newest first. */
  runs: Run[];
}

/** The runs of each project and job: running ones first, then by the last run. */
export function byProject(runs: readonly Run[]): Listed[] {
  const groups = new Map<string, Listed>();
  for (const run of runs) {
    const key = `${run.projectID} ${run.kind}`;
    const group = groups.get(key) ?? { id: run.projectID, domain: run.domain, runs: [] };
    group.runs.push(run);
    groups.set(key, group);
  }
  const rank = (one: Listed) => (one.runs[0]?.state === "in_progress" ? 1 : 0);
  return [...groups.values()].sort((a, b) => rank(b) - rank(a) || (b.runs[0]?.id ?? 0) - (a.runs[0]?.id ?? 0));
}

function Projects({ runs }: { runs: readonly Run[] }) {
  const [query, setQuery] = useQueryState();
  const text = query.get("filter") ?? "";
  const setText = (filter: string) => setQuery({ filter });
  const [deleting, setDeleting] = useState<Listed | null>(null);
  useKeys([{ keys: "/", does: "Filter projects", run: () => document.getElementById("project-filter")?.focus() }]);
  const all = byProject(runs);
  const shown = all.filter((one) => one.domain.includes(text.trim().toLowerCase()));
  return (
    <>
      <div className="head">
        <h2>
          Projects<span>{all.length}</span>
        </h2>
        <span className="grow" />
        <label className="search">
          <Icon name="search" small />
          <input id="project-filter" type="search" aria-label="Filter projects" placeholder="Filter" value={text} onChange={(event) => setText(event.target.value)} />
          <kbd className="hide-s">/</kbd>
        </label>
      </div>
      <div className="card projects">
        <table className="g roomy">
          <thead>
            <tr>
              <th>Site</th>
              <th style={{ width: "8%" }}>Job</th>
              <th style={{ width: "17%" }} aria-sort="descending">Last run ↓</th>
              <th style={{ width: "20%" }}>State</th>
              <th style={{ width: "15%" }} className="num">Pages, hosts</th>
              <th style={{ width: "14%" }} className="num">Findings</th>
              <th style={{ width: 48 }}>
                <span className="vh">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <ProjectRow key={`${one.id} ${one.runs[0]?.kind}`} project={one} onDelete={() => setDeleting(one)} />
            ))}
          </tbody>
        </table>
        {shown.length === 0 && (
          <Empty icon="list-filter" title="No project matches this filter">
            <button type="button" className="btn" onClick={() => setText("")}>
              Clear the filter
            </button>
          </Empty>
        )}
      </div>
      {deleting && <DeleteProject project={deleting} runs={deleting.runs.length} onClose={() => setDeleting(null)} />}
    </>
  );
}

function ProjectRow({ project, onDelete }: { project: Listed; onDelete: () => void }) {
  const run = project.runs[0];
  if (!run) return null;
  const size = (one: Run) => (one.kind === "weave" ? one.urlsSeen : one.totalPagesCrawled);
  const completed = project.runs.filter((one) => one.state === "completed").slice(0, 10).reverse();
  const findings = completed.flatMap((one) => (one.findings === null || one.findings === undefined ? [] : [one.findings]));
  return (
    <tr>
      <td>
        <Link className="site" to={`/p/${project.id}`}>
          <Favicon project={project.id} host={project.domain} />
          <span className="ell">{project.domain}</span>
        </Link>
      </td>
      <td className="t2">{JOBS[run.kind as keyof typeof JOBS]}</td>
      <td className="tn">
        <Link to={runPath(run)}>
          Run {run.id} · {run.state === "in_progress" ? "now" : moment(run.createdAt)}
        </Link>
      </td>
      <td>
        <StateText state={run.state} reason={run.state === "paused" ? pauseReason(run.reason) : null} />
      </td>
      <td>
        <div className="cell tn">
          <Spark values={completed.map(size)} kind="pages" />
          {count(size(run))}
        </div>
      </td>
      <td>
        <div className="cell tn">
          <Spark values={findings} kind="issues" />
          {orDash(run.findings)}
        </div>
      </td>
      <td>
        <Menu className="btn ghost icon" align="right" label={<><Icon name="ellipsis" /><span className="vh">Actions for {project.domain}</span></>}>
          {(close) => (
            <>
              <Link to={runPath(run)} onClick={close}>Open run {run.id}</Link>
              <Link to={`/p/${project.id}`} onClick={close}>All runs</Link>
              {run.state !== "in_progress" && (
                <button type="button" className="item" onClick={() => { close(); void startRun(run, "fresh"); }}>
                  Run again
                </button>
              )}
              <hr />
              <button type="button" className="item" onClick={() => { close(); onDelete(); }}>
                Delete project…
              </button>
            </>
          )}
        </Menu>
      </td>
    </tr>
  );
}
