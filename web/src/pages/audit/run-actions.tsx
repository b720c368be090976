// What can be done with the run of an audit, at the right of its bar.
import { useQuery } from "@tanstack/react-query";
import { api, ask, type Run } from "../../api/client";
import { Icon } from "../../parts/basics";
import { Link, view } from "../../router";
import { pauseRun, resumeRun, startRun } from "../actions";

/** The run that this one is compared with if no other one is chosen. */
export function usePrevious(run: Run) {
  return useQuery({
    queryKey: ["previous", run.id],
    enabled: run.state === "completed" && run.kind === "crawl",
    retry: false,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{id}/previous", { params: { path: { id: run.id } }, signal })),
  });
}

export function RunActions({ run, isLive }: { run: Run; isLive: boolean }) {
  const previous = usePrevious(run);
  if (isLive) {
    return (
      <button type="button" className="btn" onClick={() => void pauseRun(run.id)}>
        <Icon name="pause" small /> Pause
      </button>
    );
  }
  return (
    <>
      {run.state === "completed" && !previous.isLoading && (
        <Link className="btn hide-s" to={previous.data ? `/r/${run.id}/vs/${previous.data.id}` : view(`/p/${run.projectID}`, { compare: run.id })}>
          <Icon name="git-compare" small /> {previous.data ? `Compare with run ${previous.data.id}` : "Compare"}
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
