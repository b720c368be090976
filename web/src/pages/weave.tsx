// A weave: the graph of hosts, its ranked table beside it, and its files.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { api, ask, type Run, type Schemas } from "../api/client";
import { useProgress } from "../api/live";
import { at } from "../base";
import { Grid, type Column } from "../grid/grid";
import { useKeys } from "../keys";
import { Empty, Icon, Message, Skeleton, Tabs } from "../parts/basics";
import { Menu } from "../parts/floating";
import { navigate, useQueryState, view } from "../router";
import { count, orDash, percent, plural } from "../words";
import { pauseRun, resumeRun } from "./actions";
import { clusterColour, GraphCanvas } from "./graph";
import { RunBar, WithRun } from "./run";

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
            <HostSearch nodes={data?.nodes ?? []} onChoose={choose} />
            <Menu className="chip" label={<>Colour <b>{colourBy}</b> <Icon name="chevron-down" small /></>}>
              {(close) => <>{["cluster", "depth"].map((by) => <button key={by} type="button" className="item" onClick={() => { close(); setQuery({ colour: by === "cluster" ? null : by }); }}>{by}</button>)}</>}
            </Menu>
            <Menu className={minWeight > 1 ? "chip on" : "chip"} label={<>Weight <b>≥ {minWeight}</b> <Icon name="chevron-down" small /></>}>
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
          <SidePanel run={run} picture={data} selected={place >= 0 ? place : null} onSelect={(index) => choose(data?.nodes[index]?.host ?? null)} colourBy={colourBy} />
        </div>
      </div>
    </main>
  );
}

function HostSearch({ nodes, onChoose }: { nodes: readonly Place[]; onChoose: (host: string) => void }) {
  const [text, setText] = useState("");
  return (
    <form className="search" onSubmit={(event) => { event.preventDefault(); const found = nodes.find((node) => node.host === text) ?? nodes.find((node) => node.host.includes(text.trim().toLowerCase())); if (found && text.trim()) { onChoose(found.host); setText(found.host); } }}>
      <Icon name="search" small />
      <input id="host-search" type="search" list="hosts" aria-label="Find a host" placeholder="Find a host" value={text} onChange={(event) => setText(event.target.value)} />
      <datalist id="hosts">{nodes.slice(0, 500).map((node) => <option key={node.host} value={node.host} />)}</datalist>
    </form>
  );
}

function HostCard({ picture, place, onAround, onClose }: { picture: Picture; place: number; onAround: () => void; onClose: () => void }) {
  const node = picture.nodes[place];
  if (!node) return null;
  const strongest = picture.edges.filter(([from, to]) => (from === place || to === place) && from !== to).toSorted((a, b) => (b[2] ?? 0) - (a[2] ?? 0))[0];
  const other = strongest && picture.nodes[(strongest[0] === place ? strongest[1] : strongest[0]) ?? 0];
  return (
    <section className="hostcard card" aria-label={node.host}>
      <header><i className="hostdot" style={{ background: clusterColour(node.cluster) }} /><h2 className="grow ell" title={node.host}>{node.host}</h2><button type="button" className="btn ghost icon" aria-label="Close" onClick={onClose}><Icon name="x" small /></button></header>
      {node.description && <p className="t2 small">{node.description}</p>}
      <dl className="kv">
        <dt>Rank</dt><dd>{count(place + 1)} of {count(picture.hosts)}</dd>
        <dt>Linked from</dt><dd>{plural(node.inDegree, "host")}</dd>
        <dt>Links to</dt><dd>{plural(node.outDegree, "host")}</dd>
        <dt>Strongest link</dt><dd>{other ? other.host : "–"}</dd>
      </dl>
      <div className="row">
        <button type="button" className="btn" onClick={onAround}>Neighbours only</button>
        <button type="button" className="btn" onClick={() => navigate(view("/", { url: node.host }))}>Audit this host</button>
      </div>
    </section>
  );
}

function ClusterLegend({ nodes, onChoose }: { nodes: readonly Place[]; onChoose: (host: string) => void }) {
  const sizes = new Map<number, { first: string; size: number }>();
  for (const node of nodes) {
    const known = sizes.get(node.cluster);
    if (known) known.size += 1;
    else sizes.set(node.cluster, { first: node.host, size: 1 });
  }
  const listed = [...sizes].sort(([a], [b]) => a - b).slice(0, 7).filter(([, one]) => one.size > 1);
  return (
    <div className="clusters card">
      {listed.map(([cluster, one]) => <button key={cluster} type="button" className="linklike plain" onClick={() => onChoose(one.first)}><i className="hostdot" style={{ background: clusterColour(cluster) }} /> {one.first} <span className="t3">{count(one.size)}</span></button>)}
    </div>
  );
}

function SidePanel({ run, picture, selected, onSelect, colourBy }: { run: Run; picture: Picture | undefined; selected: number | null; onSelect: (place: number) => void; colourBy: string }) {
  const [query, setQuery] = useQueryState();
  const tab = query.get("tab") ?? "hosts";
  const highest = picture?.nodes[0]?.pagerank ?? 1;
  const columns = useMemo<Column<{ node: Place; place: number }>[]>(() => [
    { id: "rank", name: "#", width: 46, isNumber: true, cell: ({ place }) => <span className="rn">{count(place + 1)}</span> },
    { id: "host", name: "Host", width: 110, grows: 1, cell: ({ node }) => <span className="hostcell" title={node.host}><i className="hostdot" style={{ background: clusterColour(node.cluster) }} /> <span className="ell">{node.host}</span></span> },
    { id: "pagerank", name: "Rank", width: 102, isNumber: true, help: "PageRank; the highest is 100", cell: ({ node }) => <span className="rankcell"><i style={{ width: `${(36 * node.pagerank) / highest}px` }} /> {((100 * node.pagerank) / highest).toFixed(1)}</span> },
    { id: "in", name: "In", width: 54, isNumber: true, help: "Hosts that link to it", cell: ({ node }) => count(node.inDegree) },
    { id: "out", name: "Out", width: 54, isNumber: true, help: "Hosts it links to", cell: ({ node }) => count(node.outDegree) },
    { id: "level", name: "Level", width: 58, isNumber: true, cell: ({ node }) => (node.depth === 0 ? "seed" : orDash(node.depth)) },
  ], [highest, colourBy]);
  return (
    <>
      <Tabs label="About the graph" current={tab} onChoose={(id) => setQuery({ tab: id === "hosts" ? null : id })} tabs={[{ id: "hosts", name: "Hosts", count: picture?.nodes.length }, { id: "statistics", name: "Statistics" }]} />
      {tab === "hosts" ? (
        <div className="gridwrap"><Grid label="Hosts by rank" columns={columns} total={picture?.nodes.length ?? 0} rowAt={(place) => { const node = picture?.nodes[place]; return node && { node, place }; }} onWindow={() => undefined} selected={selected} onSelect={onSelect} onOpen={() => undefined} empty={picture && <Empty icon="waypoints" title="No hosts" />} /></div>
      ) : (
        <Statistics run={run} />
      )}
      <footer className="foot"><span>{picture ? `${count(picture.nodes.length)} of ${count(picture.hosts)} hosts drawn` : ""}</span><span className="hints hide-s"><span><kbd>n</kbd> neighbours</span><span><kbd>0</kbd> all</span></span></footer>
    </>
  );
}

function Statistics({ run }: { run: Run }) {
  const statistics = useQuery({ queryKey: ["statistics", run.id], queryFn: ({ signal }) => ask(api.GET("/api/v1/weaves/{id}/statistics", { params: { path: { id: run.id } }, signal })) });
  const data = statistics.data;
  if (!data) return <Skeleton rows={10} />;
  return (
    <div className="scroll">
      <dl className="kv wide">
        <dt>Hosts</dt><dd>{count(data.nodes)}</dd>
        <dt>Links</dt><dd>{count(data.edges)}</dd>
        <dt>Density</dt><dd>{data.density.toPrecision(3)}</dd>
        <dt>Average degree</dt><dd>{data.averageDegree.toFixed(2)}</dd>
        <dt>Hosts without links</dt><dd>{count(data.isolatedNodes)}</dd>
        <dt>Weak components</dt><dd>{count(data.weakComponents)}, the largest has {count(data.largestWeakComponent)}</dd>
        <dt>Strong components</dt><dd>{count(data.strongComponents)}, the largest has {count(data.largestStrongComponent)}</dd>
      </dl>
      <table className="g"><thead><tr><th>Domain</th><th className="num">Hosts</th><th className="num">Links from others</th></tr></thead><tbody>
        {data.topDomains.map((one) => <tr key={one.domain}><td>{one.domain}</td><td className="num">{count(one.hosts)}</td><td className="num">{count(one.edgesFromOthers)}</td></tr>)}
      </tbody></table>
    </div>
  );
}
