// Requests to the server, with types from its description.
import { QueryClient } from "@tanstack/react-query";
import createClient from "openapi-fetch";
import { BASE } from "../base";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];
export type Run = Schemas["RunView"];
export type Session = Schemas["SessionView"];
export type Project = Schemas["ProjectView"];
export type Snapshot = Schemas["Snapshot"];
export type Active = Schemas["ActiveSession"];
export type Row = Schemas["RowView"];
export type Check = Schemas["CheckView"];
export type Job = Schemas["Job"];

export const api = createClient<paths>({ baseUrl: BASE.href.replace(/\/$/, ""), credentials: "same-origin" });

/** An error that the server reported, or that it could not be reached. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly hint?: string | null,
    readonly fields: Schemas["FieldProblem"][] = [],
  ) {
    super(detail);
  }
}

let isLockedOut = false;
const lock = new EventTarget();

export const access = {
  isRefused: () => isLockedOut,
  subscribe(notify: () => void): () => void {
    lock.addEventListener("change", notify);
    return () => lock.removeEventListener("change", notify);
  },
  set(isRefused: boolean): void {
    if (isRefused === isLockedOut) return;
    isLockedOut = isRefused;
    lock.dispatchEvent(new Event("change"));
  },
};

/** The data of a response, or a `Problem`. */
export async function ask<T>(response: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  let answer: { data?: T; error?: unknown; response: Response };
  try {
    answer = await response;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new Problem(0, "unreachable", "Could not reach the server", "Check that `bluesnake serve` is running.");
  }
  if (answer.response.status === 401) access.set(true);
  if (answer.response.ok) return answer.data as T;
  const problem = answer.error as Partial<Schemas["Problem"]> | undefined;
  throw new Problem(
    answer.response.status,
    problem?.code ?? "unknown",
    problem?.detail ?? `The server responded with status ${answer.response.status}`,
    problem?.hint,
    problem?.problems ?? [],
  );
}

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 120_000,
      retry: (count, error) => count < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500),
      refetchOnWindowFocus: true,
    },
  },
});
