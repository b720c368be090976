// The graph as a picture. Places come from the server, so it is the same for everyone; sigma only draws it.
import Graph from "graphology";
import { useEffect, useRef } from "react";
import Sigma from "sigma";
import { Icon } from "../parts/basics";
import type { Picture } from "./weave";

export function clusterColour(cluster: number): string {
  return `var(--c-${cluster < 7 ? cluster + 1 : 8})`;
}

/** A colour of the theme as the canvas needs it. */
function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function faded(hex: string, over: string, share: number): string {
  // Built style sheets have `#fff` for `#ffffff`.
  const long = (text: string) => (text.length === 4 ? text.replace(/[0-9a-f]/gi, "$&$&") : text);
  const parts = (text: string) => [1, 3, 5].map((at) => parseInt(long(text).slice(at, at + 2), 16));
  const [one, other] = [parts(hex), parts(over)];
  return `#${one.map((part, index) => Math.round(part * share + (other[index] ?? 0) * (1 - share)).toString(16).padStart(2, "0")).join("")}`;
}

interface Props {
  picture: Picture;
  selected: string | null;
  onSelect: (host: string | null) => void;
  colourBy: string;
}

export function GraphCanvas({ picture, selected, onSelect, colourBy }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const sigma = useRef<Sigma | null>(null);
  const current = useRef({ selected, onSelect });
  current.current = { selected, onSelect };

  useEffect(() => {
    if (!holder.current) return;
    const graph = graphOf(picture, colourBy, Math.min(holder.current.clientWidth, holder.current.clientHeight));
    const drawn = new Sigma(graph, holder.current, {
      renderEdgeLabels: false,
      labelFont: "system-ui, sans-serif",
      labelSize: 12,
      labelWeight: "500",
      labelColor: { color: colour("--text") },
      labelDensity: 0.5,
      labelGridCellSize: 150,
      labelRenderedSizeThreshold: 4,
      stagePadding: Math.min(56, holder.current.clientWidth / 10),
      defaultDrawNodeLabel: label,
      defaultEdgeColor: colour("--line-strong"),
      zIndex: true,
      minCameraRatio: 0.02,
      maxCameraRatio: 4,
      nodeReducer: (node, data) => {
        const chosen = current.current.selected;
        if (!chosen || !graph.hasNode(chosen)) return data;
        if (node === chosen) return { ...data, highlighted: true, forceLabel: true, zIndex: 2 };
        if (graph.areNeighbors(node, chosen)) return { ...data, zIndex: 1 };
        return { ...data, color: faded(String(data["color"]), colour("--surface"), 0.45) };
      },
      edgeReducer: (edge, data) => {
        const chosen = current.current.selected;
        if (!chosen || !graph.hasNode(chosen)) return data;
        return graph.hasExtremity(edge, chosen) ? { ...data, color: colour("--c-1"), zIndex: 1, size: Math.max(1.5, Number(data["size"])) } : data;
      },
      defaultDrawNodeHover: hover,
    });
    drawn.on("clickNode", ({ node }) => current.current.onSelect(node));
    drawn.on("clickStage", () => current.current.onSelect(null));
    sigma.current = drawn;
    return () => {
      sigma.current = null;
      drawn.kill();
    };
  }, [picture, colourBy]);
  useEffect(() => {
    sigma.current?.refresh();
  }, [selected]);
  useEffect(() => {
    const redraw = () => {
      const drawn = sigma.current;
      if (!drawn) return;
      drawn.setSetting("labelColor", { color: colour("--text") });
      drawn.setSetting("defaultEdgeColor", colour("--line-strong"));
      repaint(drawn.getGraph() as Graph, picture, colourBy);
      drawn.refresh();
    };
    const media = matchMedia("(prefers-color-scheme: dark)");
    addEventListener("bluesnake-theme", redraw);
    media.addEventListener("change", redraw);
    return () => {
      removeEventListener("bluesnake-theme", redraw);
      media.removeEventListener("change", redraw);
    };
  }, [picture, colourBy]);
  const zoom = (by: "in" | "out" | "fit") => {
    const camera = sigma.current?.getCamera();
    if (by === "in") void camera?.animatedZoom();
    else if (by === "out") void camera?.animatedUnzoom();
    else void camera?.animatedReset();
  };
  return (
    <>
      <div ref={holder} className="sigma" role="img" aria-label={`Graph of ${picture.nodes.length} hosts and ${picture.edges.length} links. The table beside it has the same hosts.`} />
      <div className="zoom card">
        <button type="button" className="btn ghost icon" aria-label="Zoom in" onClick={() => zoom("in")}><Icon name="plus" /></button>
        <button type="button" className="btn ghost icon" aria-label="Zoom out" onClick={() => zoom("out")}><Icon name="minus" /></button>
        <button type="button" className="btn ghost icon" aria-label="Fit the graph" onClick={() => zoom("fit")}><Icon name="maximize" /></button>
      </div>
    </>
  );
}

function paint(picture: Picture, place: number, colourBy: string): string {
  const node = picture.nodes[place];
  const group = colourBy === "depth" ? (node?.depth ?? 7) : (node?.cluster ?? 7);
  return colour(`--c-${group < 7 ? group + 1 : 8}`);
}

/** Many links are a texture, few are lines. */
function edgeColour(picture: Picture): string {
  return picture.edges.length > 1000 ? "--line" : "--line-strong";
}

function repaint(graph: Graph, picture: Picture, colourBy: string): void {
  picture.nodes.forEach((node, place) => graph.setNodeAttribute(node.host, "color", paint(picture, place, colourBy)));
  graph.forEachEdge((edge) => graph.setEdgeAttribute(edge, "color", colour(edgeColour(picture))));
}

function graphOf(picture: Picture, colourBy: string, room: number): Graph {
  const graph = new Graph({ type: "directed", multi: false });
  const highest = picture.nodes[0]?.pagerank ?? 1;
  // The more hosts, the smaller: together they cover about the same part of the canvas.
  const largest = Math.max(3, Math.min(16, 0.2 * (room / Math.sqrt(picture.nodes.length))));
  const smallest = Math.max(1.5, largest / 4);
  picture.nodes.forEach((node, place) => {
    graph.addNode(node.host, { x: node.x, y: -node.y, size: smallest + (largest - smallest) * (node.pagerank / highest), label: node.host, color: paint(picture, place, colourBy), zIndex: 0 });
  });
  for (const [from = 0, to = 0, weight = 1] of picture.edges) {
    const [source, target] = [picture.nodes[from]?.host, picture.nodes[to]?.host];
    if (source && target && source !== target) graph.addEdge(source, target, { size: Math.min(3, 0.5 + Math.log2(weight) / 2), color: colour(edgeColour(picture)) });
  }
  return graph;
}

/** A label with a rim, so that it is readable on nodes and links. */
function label(context: CanvasRenderingContext2D, data: { x: number; y: number; size: number; label?: string | null }): void {
  if (!data.label) return;
  context.font = "500 12px system-ui, sans-serif";
  context.lineJoin = "round";
  context.lineWidth = 3.5;
  context.strokeStyle = colour("--surface");
  context.strokeText(data.label, data.x + data.size + 4, data.y + 4);
  context.fillStyle = colour("--text");
  context.fillText(data.label, data.x + data.size + 4, data.y + 4);
}

/** The label of the node under the pointer, in the colours of the theme. */
function hover(context: CanvasRenderingContext2D, data: { x: number; y: number; size: number; label?: string | null }): void {
  context.font = "600 12px system-ui, sans-serif";
  const width = context.measureText(data.label ?? "").width;
  context.fillStyle = colour("--surface");
  context.strokeStyle = colour("--focus");
  context.lineWidth = 1.5;
  context.beginPath();
  context.roundRect(data.x + data.size + 2, data.y - 10, width + 10, 20, 4);
  context.fill();
  context.stroke();
  context.beginPath();
  context.arc(data.x, data.y, data.size + 2, 0, 2 * Math.PI);
  context.stroke();
  context.fillStyle = colour("--text");
  context.fillText(data.label ?? "", data.x + data.size + 7, data.y + 4);
}
