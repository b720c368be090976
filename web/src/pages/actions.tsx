// What can be done with runs and projects. Every action says what happened.
import { api, ask, Problem, queries, type Job, type Run } from "../api/client";
import { Confirm } from "../parts/floating";
import { toast } from "../parts/toast";
import { navigate } from "../router";
import { plural, runPath } from "../words";

function failed(error: unknown): void {
  const hint = error instanceof Problem && error.hint ? `. ${error.hint}` : "";
  toast(`${(error as Error).message}${hint}`, "circle-alert");
}

export async function pauseRun(run: number): Promise<void> {
  try {
    await ask(api.POST("/api/v1/runs/{id}/pause", { params: { path: { id: run } } }));
    toast(`Pausing run ${run}: open requests are finishing`, "pause");
  } catch (error) {
    failed(error);
  }
}

export async function resumeRun(run: Run): Promise<void> {
  try {
    await ask(api.POST("/api/v1/runs/{id}/resume", { params: { path: { id: run.id } } }));
    toast(`Resumed run ${run.id}`, "play");
    await queries.invalidateQueries();
    navigate(runPath(run));
  } catch (error) {
    failed(error);
  }
}

export interface StartBody {
  urls: string[];
  mode: "auto" | "fresh";
  settings: Record<string, unknown>;
}

/** Starts a job and returns the path of its run. Throws a `Problem`. */
export async function start(job: Job, body: StartBody): Promise<string> {
  // The description has one type for the settings of each job; the server checks them.
  const typed = { body: body as never };
  const request =
    job === "capture" ? api.POST("/api/v1/captures", typed) : job === "weave" ? api.POST("/api/v1/weaves", typed) : api.POST("/api/v1/crawl", typed);
  const started = await ask(request);
  await queries.invalidateQueries();
  return started.runId ? runPath({ id: started.runId, kind: job }) : `/p/${started.id}`;
}

/** Runs the seeds of a run again, with the saved settings of the project. */
export async function startRun(run: Run, mode: "auto" | "fresh"): Promise<void> {
  try {
    navigate(await start(run.kind as Job, { urls: run.seeds, mode, settings: {} }));
  } catch (error) {
    failed(error);
  }
}

export function DeleteRun({ run, onClose, onDeleted }: { run: Run; onClose: () => void; onDeleted: () => void }) {
  const remove = async () => {
    onClose();
    try {
      await ask(api.DELETE("/api/v1/runs/{id}", { params: { path: { id: run.id } } }));
      toast(`Deleted run ${run.id}`, "trash-2");
      await queries.invalidateQueries();
      onDeleted();
    } catch (error) {
      failed(error);
    }
  };
  return (
    <Confirm title={`Delete run ${run.id}?`} action={`Delete run ${run.id}`} onConfirm={() => void remove()} onClose={onClose}>
      <p>Its {plural(run.urlsSeen, run.kind === "weave" ? "host" : "URL")} cannot be restored. Other runs of {run.domain} stay.</p>
    </Confirm>
  );
}

export function DeleteProject({ project, runs, onClose }: { project: { id: number; domain: string }; runs: number; onClose: () => void }) {
  const remove = async () => {
    onClose();
    try {
      await ask(api.DELETE("/api/v1/projects/{id}", { params: { path: { id: project.id } } }));
      toast(`Deleted ${project.domain}`, "trash-2");
      navigate("/");
      await queries.invalidateQueries();
    } catch (error) {
      failed(error);
    }
  };
  return (
    <Confirm title={`Delete ${project.domain}?`} action="Delete project" onConfirm={() => void remove()} onClose={onClose}>
      <p>All its runs ({plural(runs, "run")} listed here) and its saved settings are deleted. They cannot be restored.</p>
    </Confirm>
  );
}
