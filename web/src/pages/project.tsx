// A project: its runs and their sessions as a timeline, what can be done with them, and its settings.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, Problem, type Job, type Run, type Snapshot } from "../api/client";
import { useLive } from "../api/live";
import { useKeys } from "../keys";
import { Empty, Favicon, Icon, Message, Skeleton, StateTag } from "../parts/basics";
import { Track } from "../parts/charts";
import { Menu } from "../parts/floating";
import { Link, navigate, useQueryState } from "../router";
import { Frame } from "../shell";
import { count, duration, JOBS, moment, orDash, pauseReason, plural, runPath, size } from "../words";
import { DeleteProject, DeleteRun, pauseRun, resumeRun, startRun } from "./actions";
import { ProjectSettings } from "./project-settings";
import { Now } from "./running";

export function Project({ id }: { id: number }) {
  const project = useQuery({ queryKey: ["projects", id], queryFn: ({ signal }) => ask(api.GET("/api/v1/projects/{id}", { params: { path: { id } }, signal })) });
  const runs = useQuery({ queryKey: ["runs", id], queryFn: ({ signal }) => ask(api.GET("/api/v1/runs", { params: { query: { projectID: id, limit: 200 } }, signal })) });
  const live = useLive();
  const [query, setQuery] = useQueryState();
  const [deleting, setDeleting] = useState<Run | "project" | null>(null);
  const chosen = (query.get("compare") ?? "").split(",").filter(Boolean).map(Number);
  const list = runs.data?.items ?? [];
  const newest = list[0];
  const domain = project.data?.domain ?? newest?.domain ?? "";
  const choose = (run: number) => setQuery({ compare: (chosen.includes(run) ? chosen.filter((one) => one !== run) : [...chosen, run].slice(-2)).join(",") });
  const pair = chosen.length === 2 ? [Math.min(...chosen), Math.max(...chosen)] : null;
  useKeys([
    { keys: ",", does: "Settings", run: () => setQuery({ settings: newest?.kind ?? "crawl" }, "push") },
    { keys: "c", does: "Compare the chosen runs", run: () => pair && navigate(`/r/${pair[1]}/vs/${pair[0]}`) },
  ]);
  if (project.error) {
    return (
      <Frame title="Project">
        <main className="scroll"><h1 className="vh">Project</h1><Empty icon="circle-alert" title={project.error instanceof Problem && project.error.status === 404 ? `There is no project ${id}` : project.error.message}><Link className="btn" to="/">Go to the start page</Link></Empty></main>
      </Frame>
    );
  }
  const settings = query.get("settings");
  return (
    <Frame title={domain || "Project"} place={{ project: { id, domain } }}>
      <main className="scroll">
        <div className="page">
          <div className="head first">
            <Favicon project={id} host={domain} />
            <h1>{domain}</h1>
            <span className="grow" />
            <button type="button" className="btn" onClick={() => setQuery({ settings: newest?.kind ?? "crawl" }, "push")}><Icon name="sliders-horizontal" small /> Settings</button>
            <Menu className="btn icon" align="right" label={<><Icon name="ellipsis" /><span className="vh">More actions</span></>}>
              {(close) => <button type="button" className="item" onClick={() => { close(); setDeleting("project"); }}><Icon name="trash-2" small /> Delete project…</button>}
            </Menu>
            {newest && newest.state !== "in_progress" && <button type="button" className="btn primary" onClick={() => void startRun(newest, "fresh")}><Icon name="rotate-cw" small /> Run again</button>}
          </div>
          {chosen.length > 0 && (
            <Message kind="info" icon="git-compare" action={pair && <Link className="btn primary" to={`/r/${pair[1]}/vs/${pair[0]}`}>Compare run {pair[0]} with run {pair[1]}</Link>}>
              {chosen.length === 1 ? `Run ${chosen[0]} is chosen. Choose another one to compare it with.` : `Runs ${pair?.[0]} and ${pair?.[1]} are chosen.`}
            </Message>
          )}
          {!runs.data && <Skeleton rows={8} />}
          {runs.data && list.length === 0 && <Empty icon="list" title="No runs yet"><p>Start one from the start page.</p></Empty>}
          <ol className="timeline">
            {list.map((run) => (
              <RunItem key={run.id} run={run} progress={live.active.find((one) => one.progress.runId === run.id)?.progress} canCompare={list.filter((one) => one.kind === "crawl").length > 1} isChosen={chosen.includes(run.id)} onChoose={() => choose(run.id)} onDelete={() => setDeleting(run)} />
            ))}
          </ol>
        </div>
      </main>
      {settings && domain && <ProjectSettings url={project.data?.url ?? domain} job={settings as Job} onClose={() => setQuery({ settings: null })} />}
      {deleting === "project" && <DeleteProject project={{ id, domain }} runs={list.length} onClose={() => setDeleting(null)} />}
      {deleting && deleting !== "project" && <DeleteRun run={deleting} onClose={() => setDeleting(null)} onDeleted={() => undefined} />}
    </Frame>
  );
}

function RunItem({ run, progress, canCompare, isChosen, onChoose, onDelete }: { run: Run; progress: Snapshot | undefined; canCompare: boolean; isChosen: boolean; onChoose: () => void; onDelete: () => void }) {
  const reason = run.state === "paused" ? (run.detail ?? pauseReason(run.reason)) : null;
  return (
    <li className="card">
      <header>
        <h2><Link to={runPath(run)}>Run {run.id}</Link></h2>
        <span className="tag line">{JOBS[run.kind as keyof typeof JOBS]}</span>
        <StateTag state={progress ? "in_progress" : run.state} />
        <span className="t2 small ell">{reason}</span>
        <span className="grow" />
        {progress ? (
          <button type="button" className="btn" onClick={() => void pauseRun(run.id)}><Icon name="pause" small /> Pause</button>
        ) : run.state === "paused" || run.state === "failed" ? (
          <button type="button" className="btn primary" onClick={() => void resumeRun(run)}><Icon name="play" small /> Resume</button>
        ) : null}
        {canCompare && run.kind === "crawl" && <label className="check"><input type="checkbox" checked={isChosen} onChange={onChoose} /> Compare</label>}
        <Menu className="btn ghost icon" align="right" label={<><Icon name="ellipsis" /><span className="vh">Actions for run {run.id}</span></>}>
          {(close) => (
            <>
              <Link to={runPath(run)} onClick={close}>Open</Link>
              {run.kind === "crawl" && <Link to={`/r/${run.id}/receipt`} onClick={close}>Receipt</Link>}
              {run.kind === "crawl" && <Link to={`/r/${run.id}/report`} onClick={close}>Report</Link>}
              {!progress && <button type="button" className="item" onClick={() => { close(); void startRun(run, "fresh"); }}>Start afresh</button>}
              <hr />
              <button type="button" className="item" disabled={progress !== undefined} onClick={() => { close(); onDelete(); }}>Delete run {run.id}…</button>
            </>
          )}
        </Menu>
      </header>
      {progress && (
        <>
          <Track done={progress.seen - progress.pending} inFlight={progress.inFlight} total={progress.seen} />
          <Now progress={progress} host={run.domain} />
        </>
      )}
      <dl className="facts">
        <div><dt>Started</dt><dd>{moment(run.createdAt)}</dd></div>
        <div><dt>{run.kind === "weave" ? "Hosts" : "URLs seen"}</dt><dd>{count(progress?.seen ?? run.urlsSeen)}</dd></div>
        <div><dt>Pages</dt><dd>{count(progress ? Math.max(run.totalPagesCrawled, progress.pages) : run.totalPagesCrawled)}</dd></div>
        <div><dt>Pending</dt><dd>{count(progress?.pending ?? run.urlsPending)}</dd></div>
        <div><dt>Findings</dt><dd>{orDash(run.findings)}</dd></div>
        <div><dt>{progress ? "Left" : "Time"}</dt><dd>{progress ? estimateText(progress) : duration(run.crawls.reduce((sum, one) => sum + one.crawlDuration, 0))}</dd></div>
      </dl>
      {run.crawls.length > 1 && (
        <ul className="sessions">
          {run.crawls.map((session, index) => (
            <li key={session.id}>
              <span>Session {index + 1}</span>
              <span className="t2">{moment(session.crawlDateTime)}</span>
              <span className="t2">{duration(session.crawlDuration)}</span>
              <span className="t2">{plural(session.urlsVisited, "request")}, {size(session.bytes)}</span>
              <span className="t3 ell">{pauseReason(session.reason)}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function estimateText(progress: Snapshot): string {
  return progress.etaMs === null || progress.etaMs === undefined ? "still discovering" : `~${duration(progress.etaMs)}`;
}
