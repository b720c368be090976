// Finding a host of a graph, and what is known about it.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "../api/client";
import { Icon } from "../parts/basics";
import { navigate, view } from "../router";
import { count, plural } from "../words";
import { clusterColour } from "./graph";
import type { Picture, Place } from "./weave";

/** Searches all hosts of the graph, also those that are not drawn. */
export function HostSearch({ run, onChoose }: { run: number; onChoose: (host: string) => void }) {
  const [text, setText] = useState("");
  const [place, setPlace] = useState(0);
  const search = text.trim().toLowerCase();
  const found = useQuery({
    queryKey: ["hosts", run, search],
    enabled: search.length > 0,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/weaves/{id}/nodes", { params: { path: { id: run }, query: { search, limit: 10 } }, signal })),
  });
  const hosts = search ? (found.data?.items ?? []).map((node) => node.host) : [];
  const current = Math.min(place, hosts.length - 1);
  const choose = (host: string | undefined) => {
    if (!host) return;
    setText("");
    onChoose(host);
  };
  const keys = (event: React.KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setPlace(Math.max(0, Math.min(hosts.length - 1, current + step)));
    } else if (event.key === "Enter") choose(hosts[current]);
    else if (event.key === "Escape") setText("");
  };
  return (
    <div className="menuroot">
      <label className="search">
        <Icon name="search" small />
        <input id="host-search" type="search" role="combobox" aria-expanded={search.length > 0} aria-controls="hosts-found" aria-activedescendant={hosts.length ? `host-${current}` : undefined} aria-label="Find a host" placeholder="Find a host" autoComplete="off" value={text} onKeyDown={keys} onChange={(event) => { setText(event.target.value); setPlace(0); }} />
        <kbd className="hide-s">/</kbd>
      </label>
      {search && found.data && (
        <div className="menu left">
          <ul id="hosts-found" role="listbox" aria-label="Hosts">
            {hosts.map((host, index) => (
              <li key={host} id={`host-${index}`} role="option" aria-selected={index === current} className="item" onClick={() => choose(host)}>{host}</li>
            ))}
          </ul>
          {hosts.length === 0 && <p className="item t2">No host contains “{search}”</p>}
        </div>
      )}
    </div>
  );
}

export function HostCard({ picture, place, onAround, onClose }: { picture: Picture; place: number; onAround: () => void; onClose: () => void }) {
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

export function ClusterLegend({ nodes, onChoose }: { nodes: readonly Place[]; onChoose: (host: string) => void }) {
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
