// Rows of a run in blocks, fetched as they come into view.
import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { api, ask, type Row, type Schemas } from "../../api/client";
import type { Filters } from "./filters";

const BLOCK = 100;

type Window = Schemas["RowsWindow"];

export interface List {
  run: number;
  filters: Filters;
  sort: string;
  isDescending: boolean;
  columns: string;
}

export function rowsQuery(list: List, offset: number, limit: number) {
  return { ...list.filters, sort: list.sort as "number", order: list.isDescending ? ("desc" as const) : ("asc" as const), columns: list.columns, offset, limit };
}

export interface Rows {
  total: number;
  version: number;
  isLoading: boolean;
  error: Error | null;
  rowAt: (place: number) => Row | undefined;
  onWindow: (from: number, to: number) => void;
  /** Fetches everything in view again. */
  refresh: () => void;
}

/** The rows of a list. `isLive`: the blocks in view are fetched again while the run goes on. */
export function useRows(list: List, isLive: boolean): Rows {
  const client = useQueryClient();
  const [blocks, setBlocks] = useState<readonly number[]>([0]);
  const key = useMemo(() => ["rows", list.run, list], [list]);
  const fetchBlock = (block: number) => ({
    queryKey: [...key, block],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      ask(api.GET("/api/v1/runs/{id}/rows", { params: { path: { id: list.run }, query: rowsQuery(list, block * BLOCK, BLOCK) }, signal })) as Promise<Window>,
    refetchInterval: isLive ? 1_000 : (false as const),
    gcTime: 30_000,
  });
  const first = useQuery({ ...fetchBlock(blocks[0] ?? 0), placeholderData: keepPreviousData });
  const results = useQueries({ queries: blocks.map(fetchBlock) });
  const known = new Map<number, Window>();
  blocks.forEach((block, index) => {
    const data = results[index]?.data;
    if (data) known.set(block, data);
  });
  const total = first.data?.total ?? 0;
  const version = first.data?.version ?? 0;
  // A list that moved: blocks of another version are stale.
  const isMixed = [...known.values()].some((one) => one.version !== version && one.total !== total);
  useEffect(() => {
    if (isMixed && !isLive) void client.invalidateQueries({ queryKey: key });
  }, [isMixed, isLive, client, key]);
  const onWindow = useCallback((from: number, to: number) => {
    const next: number[] = [];
    for (let block = Math.floor(from / BLOCK); block * BLOCK < to; block += 1) next.push(block);
    setBlocks((old) => (old.length === next.length && old.every((block, index) => block === next[index]) ? old : next));
  }, []);
  return {
    total,
    version,
    isLoading: first.isPending,
    error: first.error,
    rowAt: (place) => known.get(Math.floor(place / BLOCK))?.items[place % BLOCK],
    onWindow,
    refresh: () => void client.invalidateQueries({ queryKey: key }),
  };
}
