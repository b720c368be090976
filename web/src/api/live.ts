// What runs now. One event stream for the whole page; while it is broken or silent, the list of active sessions is polled
// instead.
import { useSyncExternalStore } from "react";
import { at } from "../base";
import { access, api, ask, queries, type Active, type Schemas, type Snapshot } from "./client";

type Event = Schemas["EventData"];
const POLL_MS = 1_000;
/** A proxy can hold events back without an error. A running session reports several times a second. */
const SILENT_MS = { running: 2_000, idle: 20_000 };

export interface Live {
  active: readonly Active[];
  /** When the connection was lost; `null` while it works. */
  lostAt: number | null;
}

let state: Live = { active: [], lostAt: null };
let source: EventSource | null = null;
let polling: ReturnType<typeof setInterval> | null = null;
let heardAt = Date.now();
const listeners = new Set<() => void>();

function set(next: Partial<Live>): void {
  state = { ...state, ...next };
  for (const notify of listeners) notify();
}

/** The list with the progress of one session. */
export function withProgress(active: readonly Active[], event: Event): readonly Active[] | null {
  const { progress, runId } = event;
  const place = active.findIndex((one) => one.progress.runId === runId);
  if (!progress || place < 0) return null;
  return active.map((one, index) => (index === place ? { ...one, progress } : one));
}

async function refresh(): Promise<void> {
  try {
    const active = await ask(api.GET("/api/v1/active-crawls"));
    heardAt = Date.now();
    const runs = (list: readonly Active[]) => list.map((one) => one.progress.runId).sort().join(" ");
    const hasChanged = state.lostAt !== null || runs(state.active) !== runs(active);
    set({ active, lostAt: null });
    if (hasChanged) void queries.invalidateQueries();
  } catch {
    if (!access.isRefused()) set({ lostAt: state.lostAt ?? Date.now() });
  }
}

function ended(event: Event): void {
  // Now the server knows which icon the site declares. It fetches it once; without one, a letter stands for the site.
  if (event.type === "completed" && event.projectID) void api.POST("/api/v1/projects/{id}/favicon", { params: { path: { id: event.projectID } } }).catch(() => undefined);
  set({ active: state.active.filter((one) => one.progress.runId !== event.runId) });
  void queries.invalidateQueries();
  void refresh();
}

function hear(event: Event): void {
  heardAt = Date.now();
  const next = event.type === "progress" ? withProgress(state.active, event) : null;
  if (next) set({ active: next, lostAt: null });
  else if (event.type === "completed" || event.type === "paused" || event.type === "stopped") ended(event);
  else void refresh();
  if (event.type === "started") {
    void queries.invalidateQueries({ queryKey: ["projects"] });
    void queries.invalidateQueries({ queryKey: ["runs"] });
    void queries.invalidateQueries({ queryKey: ["run", event.runId] });
  }
}

/** Asks while nothing is heard. */
function watch(): void {
  polling ??= setInterval(() => {
    if (document.hidden) return;
    const isBroken = source?.readyState !== EventSource.OPEN;
    const silentFor = Date.now() - heardAt;
    if (isBroken || silentFor > (state.active.length > 0 ? SILENT_MS.running : SILENT_MS.idle)) void refresh();
  }, POLL_MS);
}

/** Opens the stream, once. A closed stream is opened again: browsers give up after some errors. */
export function listen(): void {
  if (document.hidden || (source && source.readyState !== EventSource.CLOSED)) return;
  source = new EventSource(at("api/v1/events"));
  watch();
  source.onopen = () => void refresh();
  source.onerror = () => {
    void refresh();
    if (source?.readyState === EventSource.CLOSED && !access.isRefused()) setTimeout(listen, 3_000);
  };
  for (const type of ["started", "progress", "completed", "paused", "stopped", "reset"] as const) {
    source.addEventListener(type, (message) => hear(JSON.parse(message.data as string) as Event));
  }
}

// Browsers open six connections to a server. A hidden tab does not keep one of them.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) return listen();
  source?.close();
  source = null;
});

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

export function useLive(): Live {
  return useSyncExternalStore(subscribe, () => state);
}

/** The progress of a run; `undefined` if it does not run now. */
export function useProgress(run: number | undefined): Snapshot | undefined {
  return useLive().active.find((one) => one.progress.runId === run)?.progress;
}
