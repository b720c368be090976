// Progress of a session: how far it is, what it fetches, and why it waits.
import type { Active, Run, Snapshot } from "../api/client";
import { Favicon, Icon, Url } from "../parts/basics";
import { Track } from "../parts/charts";
import { Link } from "../router";
import { count, duration, JOBS, runPath, within } from "../words";
import { pauseRun } from "./actions";

/** What is known of the end: nothing while the crawl still discovers more than it fetches. */
export function estimate(progress: Snapshot): string | null {
  return progress.etaMs === null || progress.etaMs === undefined ? null : `~${duration(progress.etaMs)} for known URLs`;
}

const PHASES: Partial<Record<Snapshot["phase"], string>> = {
  queued: "Waiting for a free place",
  starting: "Starting",
  stopping: "Pausing: open requests are finishing",
  finishing: "Checking the results",
};

/** Why a crawl waits. Limits that the user set are neutral; what a host asks for is a warning. */
export function Wait({ progress }: { progress: Snapshot }) {
  const phase = PHASES[progress.phase];
  const waiting = progress.waiting;
  if (!phase && !waiting) return null;
  const isHost = !phase && waiting?.reason !== "rate";
  return (
    <span className={isHost ? "wait host" : "wait"}>
      <Icon name={isHost || phase ? "hourglass" : "gauge"} small />
      <span className="ell" title={waiting?.message}>{phase ?? (waiting?.reason === "rate" ? "At your rate limit" : waiting?.message)}</span>
    </span>
  );
}

/** Why a session waits, and what it fetches. */
export function Now({ progress, host }: { progress: Snapshot; host: string }) {
  const isWaiting = progress.waiting || PHASES[progress.phase];
  return (
    <ul className="now">
      {isWaiting && (
        <li>
          <Wait progress={progress} />
          {progress.waiting && progress.waiting.remainingMs >= 1000 && <span className="t3 tn">{duration(progress.waiting.remainingMs)}</span>}
        </li>
      )}
      {progress.current.slice(0, isWaiting ? 2 : 3).map((url) => (
        <li key={url}>
          <Icon name="arrow-down" small />
          <Url text={within(url, host)} full={url} />
        </li>
      ))}
    </ul>
  );
}

export function Running({ session, run }: { session: Active; run: Run | undefined }) {
  const { progress } = session;
  const kind = run?.kind ?? "crawl";
  const id = progress.runId;
  const unit = kind === "weave" ? "hosts" : "URLs";
  const done = Math.max(0, progress.seen - progress.pending);
  return (
    <div className="running">
      <div className="who">
        <Favicon project={session.projectID} host={session.domain} />
        <div className="grow">
          <div className="row">
            {id ? <Link to={runPath({ id, kind })}>{session.domain}</Link> : <b>{session.domain}</b>}
            <span className="tag line">
              {JOBS[kind as keyof typeof JOBS]}
              {id ? ` · run ${id}` : ""}
            </span>
          </div>
          <Track done={done} inFlight={progress.inFlight} total={progress.seen} />
          <div className="fig">
            <span>
              <b>{count(done)}</b> of {count(progress.seen)} {unit}
            </span>
            <span>
              <b>{progress.rate.toFixed(1)}</b> requests/s
            </span>
            {estimate(progress) && <b>{estimate(progress)}</b>}
          </div>
        </div>
      </div>
      <Now progress={progress} host={session.domain} />
      <div className="row">
        {id && session.isHere && (
          <button type="button" className="btn ghost icon" aria-label={`Pause run ${id}`} title="Pause" onClick={() => void pauseRun(id)}>
            <Icon name="pause" />
          </button>
        )}
        {id && (
          <Link className="btn ghost icon" aria-label={`Open run ${id}`} title="Open" to={runPath({ id, kind })}>
            <Icon name="arrow-right" />
          </Link>
        )}
      </div>
    </div>
  );
}
