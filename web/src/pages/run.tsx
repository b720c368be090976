// What every page of a run needs: the run, and the bar above its contents.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { api, ask, Problem, type Run } from "../api/client";
import { useProgress } from "../api/live";
import { Empty, Message, Skeleton, StateTag } from "../parts/basics";
import { Track } from "../parts/charts";
import { Link } from "../router";
import { Frame } from "../shell";
import { count, duration, moment, pauseReason, plural } from "../words";
import { estimate, Wait } from "./running";

export function useRun(id: number) {
  const progress = useProgress(id);
  return useQuery({
    queryKey: ["run", id],
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{id}", { params: { path: { id } }, signal })),
    refetchInterval: progress ? 5_000 : false,
  });
}

/** Shows a run once it is known, or why it cannot be shown. */
export function WithRun({ id, part, children }: { id: number; part?: string; children: (run: Run) => ReactNode }) {
  const run = useRun(id);
  if (run.data) {
    const place = { project: { id: run.data.projectID, domain: run.data.domain }, run: run.data, part };
    return (
      <Frame title={`${part ?? `Run ${id}`} · ${run.data.domain}`} place={place}>
        {children(run.data)}
      </Frame>
    );
  }
  const problem = run.error;
  return (
    <Frame title={`Run ${id}`}>
      <main className="scroll">
        <h1 className="vh">Run {id}</h1>
        {problem ? (
          <Empty icon="circle-alert" title={problem instanceof Problem && problem.status === 404 ? `There is no run ${id}` : problem.message}>
            <p>It may have been deleted.</p>
            <Link className="btn" to="/">Go to the start page</Link>
          </Empty>
        ) : (
          <Skeleton rows={14} />
        )}
      </main>
    </Frame>
  );
}

export function RunBar({ run, name, children, figures }: { run: Run; name: string; children?: ReactNode; figures?: ReactNode }) {
  const progress = useProgress(run.id);
  const took = run.crawls.reduce((sum, session) => sum + session.crawlDuration, 0);
  const reason = run.state === "paused" ? pauseReason(run.reason) : null;
  return (
    <>
      <div className="runbar">
        <h1>{name}</h1>
        <StateTag state={progress ? "in_progress" : run.state} />
        <span className="figures tn">
          {reason && `${reason} · `}
          {figures ?? (
            <>
              {moment(run.createdAt)} · {duration(progress ? progress.elapsedMs : took)} · {plural(run.urlsVisited, "request")}
            </>
          )}
        </span>
        <span className="grow" />
        {children}
      </div>
      {!progress && run.detail && (run.state === "paused" || run.state === "failed") && (
        <Message kind={run.state === "failed" ? "err" : "warn"} icon={run.state === "failed" ? "circle-x" : "circle-pause"}>
          <b>Run {run.id} {run.state === "failed" ? "failed" : "is paused"}:</b> {run.detail}. What was fetched is stored; {plural(run.urlsPending, run.kind === "weave" ? "host is" : "URL is", run.kind === "weave" ? "hosts are" : "URLs are")} pending.
        </Message>
      )}
      {progress && (
        <div className="liveband">
          <Track done={progress.seen - progress.pending} inFlight={progress.inFlight} total={progress.seen} />
          <span className="tn">
            <b>{count(progress.seen - progress.pending)}</b> of {count(progress.seen)} {run.kind === "weave" ? "hosts" : "URLs"} · <b>{progress.rate.toFixed(1)}</b> requests/s
            {estimate(progress) ? ` · ${estimate(progress)}` : ""}
          </span>
          <Wait progress={progress} />
          <Announced text={`${count(progress.seen - progress.pending)} of ${count(progress.seen)} ${run.kind === "weave" ? "hosts" : "URLs"}`} />
        </div>
      )}
    </>
  );
}

const ANNOUNCED_MS = 10_000;

/** Progress for screen readers, which would talk all the time if they read every change. */
function Announced({ text }: { text: string }) {
  const latest = useRef(text);
  latest.current = text;
  const [said, setSaid] = useState(text);
  useEffect(() => {
    const timer = setInterval(() => setSaid(latest.current), ANNOUNCED_MS);
    return () => clearInterval(timer);
  }, []);
  return <span className="vh" role="status">{said}</span>;
}
