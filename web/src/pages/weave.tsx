// A weave: the graph of hosts, its ranked table beside it, and its files.
import { useQuery } from "@tanstack/react-query";
import { api, ask, type Run, type Schemas } from "../api/client";
import { useProgress } from "../api/live";
import { at } from "../base";
import { useKeys } from "../keys";
import { Empty, Icon, Message, Skeleton } from "../parts/basics";
import { Menu } from "../parts/floating";
import { useQueryState, view } from "../router";
import { count, orDash, percent, plural } from "../words";
import { pauseRun, resumeRun } from "./actions";
import { GraphCanvas } from "./graph";
import { RunBar, WithRun } from "./run";
import { ClusterLegend, HostCard, HostSearch } from "./weave-host";
import { SidePanel } from "./weave-side";

export type Place = Schemas["PlaceView"];
export type Picture = Schemas["PictureView"];

export default function Weave({ run }: { run: number }) {
  return <WithRun id={run}>{(found) => <WeaveOf run={found} />}</WithRun>;
}

const FORMATS: [string, string][] = [["gexf", "GEXF, for Gephi"], ["graphml", "GraphML"], ["dot", "DOT, for Graphviz"], ["json", "JSON"], ["svg", "Picture (SVG)"]];

function WeaveOf({ run }: { run: Run }) {
  const progress = useProgress(run.id);
  const [query, setQuery] = useQueryState();
  const [limit, minWeight, root] = [Number(query.get("top") ?? 500), Number(query.get("weight") ?? 1), query.get("around")];
  const picture = useQuery({
    queryKey: ["picture", run.id, limit, minWeight, root],
    refetchInterval: progress ? 10_000 : false,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/weaves/{id}/picture", { params: { path: { id: run.id }, query: { limit, minWeight, ...(root ? { root, depth: 1 } : {}) } }, signal })),
  });
  const graph = useQuery({
    queryKey: ["weave", run.id],
    refetchInterval: progress ? 3_000 : false,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/weaves/{id}", { params: { path: { id: run.id } }, signal })),
  });
  const data = picture.data;
  const host = query.get("host");
  const place = data?.nodes.findIndex((node) => node.host === host) ?? -1;
  const node = place >= 0 ? data?.nodes[place] : undefined;
  const choose = (next: string | null) => setQuery({ host: next });
  /** Selects a host; one that is not drawn is shown with its neighbours. */
  const find = (next: string) => setQuery(data?.nodes.some((one) => one.host === next) ? { host: next } : { host: next, around: next });
  const colourBy = query.get("colour") ?? "cluster";
  useKeys([
    { keys: "n", does: "Neighbours of the selected host only", run: () => host && setQuery({ around: root ? null : host }) },
    { keys: "0", does: "Show the whole graph", run: () => setQuery({ around: null }) },
    { keys: "/", does: "Find a host", run: () => document.getElementById("host-search")?.focus() },
    { keys: "Escape", does: "Select nothing", run: () => choose(null) },
  ]);
  const clusters = new Set(data?.nodes.map((one) => one.cluster)).size;
  return (
    <main className="app">
      <RunBar run={run} name="Weave" figures={<>{plural(run.seedCount, "seed")} · depth {graph.data?.depth ?? "–"} · {plural(graph.data?.pagesFetched ?? 0, "page")} read</>}>
        {progress ? (
          <button type="button" className="btn" onClick={() => void pauseRun(run.id)}><Icon name="pause" small /> Pause</button>
        ) : run.state === "paused" ? (
          <button type="button" className="btn" onClick={() => void resumeRun(run)}><Icon name="play" small /> Resume</button>
        ) : null}
        <Menu className="btn primary" align="right" label={<><Icon name="download" small /> Export graph</>}>
          {(close) => (
            <>
              {FORMATS.map(([format, name]) => <a key={format} href={at(view(`api/v1/runs/${run.id}/export`, { format }))} download onClick={close}>{name}</a>)}
              <hr />
              {["nodes", "edges"].map((table) => <a key={table} href={at(view(`api/v1/runs/${run.id}/export`, { table, format: "csv" }))} download onClick={close}>{table === "nodes" ? "Hosts" : "Links"} (CSV)</a>)}
            </>
          )}
        </Menu>
      </RunBar>
      <div className="weave">
        <div className="canvas">
          {picture.error && <Message kind="err" icon="circle-alert"><b>Could not draw the graph.</b> {picture.error.message}</Message>}
          {picture.isPending && <Skeleton rows={10} />}
          {data && data.nodes.length === 0 && <Empty icon="waypoints" title="No host in this part of the graph"><button type="button" className="btn" onClick={() => setQuery({ around: null, weight: null })}>Show the whole graph</button></Empty>}
          {data && data.nodes.length > 0 && <GraphCanvas picture={data} selected={host} onSelect={choose} colourBy={colourBy} />}
          <div className="weavebar card">
            <HostSearch run={run.id} onChoose={find} />
            <Menu className="chip hide-s" label={<>Colour <b>{colourBy}</b> <Icon name="chevron-down" small /></>}>
              {(close) => <>{["cluster", "depth"].map((by) => <button key={by} type="button" className="item" onClick={() => { close(); setQuery({ colour: by === "cluster" ? null : by }); }}>{by}</button>)}</>}
            </Menu>
            <Menu className={minWeight > 1 ? "chip on" : "chip hide-s"} label={<>Weight <b>≥ {minWeight}</b> <Icon name="chevron-down" small /></>}>
              {(close) => <>{[1, 2, 3, 5, 10].map((weight) => <button key={weight} type="button" className="item" onClick={() => { close(); setQuery({ weight: weight === 1 ? null : weight }); }}>{weight === 1 ? "All links" : `At least ${weight} pages link`}</button>)}</>}
            </Menu>
            <Menu className="chip" label={<>Top <b>{count(Math.min(limit, data?.hosts ?? limit))} of {count(data?.hosts ?? 0)}</b> <Icon name="chevron-down" small /></>}>
              {(close) => <>{[100, 500, 2000, 10000].map((top) => <button key={top} type="button" className="item" onClick={() => { close(); setQuery({ top: top === 500 ? null : top }); }}>{count(top)} hosts</button>)}</>}
            </Menu>
            {root && <span className="chip on">Around <b>{root}</b><button type="button" className="x" aria-label="Show the whole graph" onClick={() => setQuery({ around: null })}><Icon name="x" /></button></span>}
          </div>
          {node && data && <HostCard picture={data} place={place} onAround={() => setQuery({ around: node.host })} onClose={() => choose(null)} />}
          {data && colourBy === "cluster" && clusters > 1 && <ClusterLegend nodes={data.nodes} onChoose={choose} />}
        </div>
        <div className="weaveside">
          <div className="bignumbers">
            {[[orDash(graph.data?.nodes), "hosts"], [orDash(graph.data?.edges), "links"], [count(clusters), "clusters"], [graph.data ? percent(graph.data.nodesCrawled, graph.data.nodes) : "–", "reached"]].map(([value, name]) => <div key={name}><b>{value}</b><span>{name}</span></div>)}
          </div>
          <SidePanel run={run} picture={data} links={graph.data?.edges} host={host} selected={place >= 0 ? place : null} onSelect={(index) => choose(data?.nodes[index]?.host ?? null)} onHost={find} />
        </div>
      </div>
    </main>
  );
}
