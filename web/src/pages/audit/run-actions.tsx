// What can be done with the run of an audit, at the right of its bar.
import { useQuery } from "@tanstack/react-query";
import { api, ask, type Run } from "../../api/client";
import { Icon } from "../../parts/basics";
import { Link } from "../../router";
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

/** The run to compare with: the previous one, or else the newest other one, whatever its settings. */
function useOther(run: Run): number | undefined {
  const previous = usePrevious(run);
  const runs = useQuery({
    queryKey: ["runs", run.projectID],
    enabled: run.state === "completed" && previous.isError,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs", { params: { query: { projectID: run.projectID, limit: 50 } }, signal })),
  });
  return previous.data?.id ?? runs.data?.items.find((one) => one.id !== run.id && one.kind === "crawl" && one.state === "completed")?.id;
}

export function RunActions({ run, isLive }: { run: Run; isLive: boolean }) {
  const other = useOther(run);
  if (isLive) {
    return (
      <button type="button" className="btn" onClick={() => void pauseRun(run.id)}>
        <Icon name="pause" small /> Pause
      </button>
    );
  }
  return (
    <>
      {other !== undefined && (
        <Link className="btn hide-s" to={`/r/${run.id}/vs/${other}`}>
          <Icon name="git-compare" small /> Compare with run {other}
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
