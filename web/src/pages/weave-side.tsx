// Beside the graph: its hosts by rank, its links, and statistics.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, ask, type Run } from "../api/client";
import { Grid, type Column } from "../grid/grid";
import { Empty, Skeleton, Tabs } from "../parts/basics";
import { useQueryState } from "../router";
import { count, orDash } from "../words";
import { clusterColour } from "./graph";
import type { Picture, Place } from "./weave";

export function SidePanel({ run, picture, links, host, selected, onSelect, onHost }: { run: Run; picture: Picture | undefined; links: number | undefined; host: string | null; selected: number | null; onSelect: (place: number) => void; onHost: (host: string) => void }) {
  const [query, setQuery] = useQueryState();
  const tab = query.get("tab") ?? "hosts";
  const highest = picture?.nodes[0]?.pagerank ?? 1;
  const all = useMemo<Column<{ node: Place; place: number }>[]>(() => [
    { id: "rank", name: "#", width: 44, isNumber: true, cell: ({ place }) => <span className="rn">{count(place + 1)}</span> },
    { id: "host", name: "Host", width: 90, grows: 1, cell: ({ node }) => <span className="hostcell" title={node.host}><i className="hostdot" style={{ background: clusterColour(node.cluster) }} /> <span className="ell">{node.host}</span></span> },
    { id: "pagerank", name: "Rank", width: 92, isNumber: true, help: "PageRank; the highest is 100", cell: ({ node }) => <span className="rankcell"><i style={{ width: `${(28 * node.pagerank) / highest}px` }} /> {((100 * node.pagerank) / highest).toFixed(1)}</span> },
    { id: "in", name: "In", width: 48, isNumber: true, help: "Hosts that link to it", cell: ({ node }) => count(node.inDegree) },
    { id: "out", name: "Out", width: 48, isNumber: true, help: "Hosts it links to", cell: ({ node }) => count(node.outDegree) },
    { id: "level", name: "Level", width: 52, isNumber: true, cell: ({ node }) => (node.depth === 0 ? "seed" : orDash(node.depth)) },
  ], [highest]);
  const columns = innerWidth > 700 ? all : all.filter((column) => !["rank", "out", "level"].includes(column.id));
  return (
    <>
      <Tabs label="About the graph" current={tab} onChoose={(id) => setQuery({ tab: id === "hosts" ? null : id })} tabs={[{ id: "hosts", name: "Hosts", count: picture?.nodes.length }, { id: "links", name: "Links", count: links }, { id: "statistics", name: "Statistics" }]} />
      {tab === "hosts" ? (
        <div className="gridwrap"><Grid label="Hosts by rank" columns={columns} total={picture?.nodes.length ?? 0} rowAt={(place) => { const node = picture?.nodes[place]; return node && { node, place }; }} onWindow={() => undefined} selected={selected} onSelect={onSelect} onOpen={() => undefined} empty={picture && <Empty icon="waypoints" title="No hosts" />} /></div>
      ) : tab === "links" ? (
        <Edges run={run} host={host} onHost={onHost} />
      ) : (
        <Statistics run={run} />
      )}
      <footer className="foot"><span>{picture ? `${count(picture.nodes.length)} of ${count(picture.hosts)} hosts drawn` : ""}</span><span className="hints hide-s"><span><kbd>n</kbd> neighbours</span><span><kbd>0</kbd> all</span></span></footer>
    </>
  );
}

/** The links of the selected host, or of all. */
function Edges({ run, host, onHost }: { run: Run; host: string | null; onHost: (host: string) => void }) {
  const edges = useInfiniteQuery({
    queryKey: ["edges", run.id, host],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => ask(api.GET("/api/v1/weaves/{id}/edges", { params: { path: { id: run.id }, query: { host: host ?? undefined, limit: 200, cursor: pageParam } }, signal })),
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });
  const rows = edges.data?.pages.flatMap((page) => page.items) ?? [];
  const cell = (name: string) => <td>{name === host ? <b>{name}</b> : <button type="button" className="linklike plain ell" title={name} onClick={() => onHost(name)}>{name}</button>}</td>;
  if (edges.error) return <Empty icon="circle-alert" title={edges.error.message} />;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Links">
      <table className="g">
        <thead><tr><th>From</th><th>To</th><th style={{ width: 70 }} className="num" title="How many pages have the link">Weight</th></tr></thead>
        <tbody>{rows.map((edge) => <tr key={`${edge.from} ${edge.to}`}>{cell(edge.from)}{cell(edge.to)}<td className="num">{count(edge.weight)}</td></tr>)}</tbody>
      </table>
      {edges.isPending && <Skeleton rows={10} />}
      {edges.data && rows.length === 0 && <Empty icon="waypoints" title={host ? `${host} has no links in this graph` : "No links"} />}
      {edges.hasNextPage && <button type="button" className="btn more" onClick={() => void edges.fetchNextPage()}>Show more</button>}
    </div>
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
