// The URLs of two runs as two columns: what stays flows across, what is gone fades out, what appeared fades in.
import { Fragment } from "react";
import type { Schemas } from "../api/client";
import { count } from "../words";

type Comparison = Schemas["ComparisonView"];

const KINDS = [
  ["same", "Same", "--c-8", "both"],
  ["changed", "Changed", "--c-1", "both"],
  ["not_visited", "Not visited", "--c-3", "both"],
  ["not_visited_before", "Not visited before", "--c-6", "both"],
  ["gone", "Gone", "--c-4", "a"],
  ["appeared", "Appeared", "--c-2", "b"],
] as const;

const BAR = 12;
const TALLEST = 190;

/** Whether the URLs that are the same are drawn shorter than to scale. */
export function isCut(comparison: Comparison): boolean {
  const of = (id: string) => comparison.classes.find((one) => one.class === id)?.urls ?? 0;
  const rest = comparison.classes.reduce((sum, one) => sum + one.urls, 0) - of("same");
  return rest > 0 && of("same") > rest;
}

export function Flow({ comparison, onChoose }: { comparison: Comparison; onChoose: (id: string) => void }) {
  const [width, left, right] = innerWidth < 700 ? [380, 92, 288] : [620, 140, 480];
  const of = (id: string) => comparison.classes.find((one) => one.class === id)?.urls ?? 0;
  const parts = KINDS.map(([id, name, colour, side]) => ({ id, name, colour, side, urls: of(id) })).filter((part) => part.urls > 0);
  const rest = parts.filter((part) => part.id !== "same").reduce((sum, part) => sum + part.urls, 0);
  const same = of("same");
  // Only the same URLs may be cut short: everything else is to scale.
  const shownSame = rest > 0 ? Math.min(same, rest) : same;
  const scale = TALLEST / Math.max(1, shownSame + rest);
  const height = (part: { id: string; urls: number }) => Math.max(8, (part.id === "same" ? shownSame : part.urls) * scale);
  let [a, b] = [16, 16];
  const placed = parts.map((part) => {
    const tall = height(part);
    const place = { ...part, tall, a, b };
    if (part.side !== "b") a += tall + 4;
    if (part.side !== "a") b += tall + 4;
    return place;
  });
  const bottom = Math.max(a, b) + 8;
  const line = (side: "a" | "b", total: number, run: number) => (
    <p><span className="t3">Run {run}</span> {parts.filter((part) => part.side === "both" || part.side === side).map((part, index) => <Fragment key={part.id}>{index > 0 && " + "}<button type="button" className="linklike plain" onClick={() => onChoose(part.id)}>{count(part.urls)} {part.name.toLowerCase()}</button></Fragment>)} = <b>{count(total)}</b></p>
  );
  return (
    <>
      <svg className="flow" viewBox={`0 0 ${width} ${bottom}`} role="img" aria-label={parts.map((part) => `${part.name} ${count(part.urls)}`).join(", ")}>
        <defs>
          <pattern id="not-visited" width="6" height="6" patternTransform="rotate(45)" patternUnits="userSpaceOnUse"><rect width="3" height="6" fill="var(--c-3)" /></pattern>
          <linearGradient id="fade-out"><stop offset="0" stopColor="var(--c-4)" stopOpacity=".5" /><stop offset="1" stopColor="var(--c-4)" stopOpacity="0" /></linearGradient>
          <linearGradient id="fade-in"><stop offset="0" stopColor="var(--c-2)" stopOpacity="0" /><stop offset="1" stopColor="var(--c-2)" stopOpacity=".5" /></linearGradient>
        </defs>
        <text x={left - 12} y={34} textAnchor="end" className="strong">Run {comparison.a.runId}</text>
        <text x={left - 12} y={52} textAnchor="end">{count(comparison.a.urls)} URLs</text>
        <text x={right + 12} y={34} className="strong">Run {comparison.b.runId}</text>
        <text x={right + 12} y={52}>{count(comparison.b.urls)} URLs</text>
        {placed.map((part) => {
          const fill = `var(${part.colour})`;
          const middle = part.tall / 2 + 4;
          if (part.side === "a") return <g key={part.id}><rect x={left} y={part.a} width={BAR} height={part.tall} fill={fill} rx="2" /><rect x={left + BAR} y={part.a} width={(right - left) / 3} height={part.tall} fill="url(#fade-out)" /><text x={left - 12} y={part.a + middle} textAnchor="end">{part.name} {count(part.urls)}</text></g>;
          if (part.side === "b") return <g key={part.id}><rect x={right - BAR} y={part.b} width={BAR} height={part.tall} fill={fill} rx="2" /><rect x={right - BAR - (right - left) / 3} y={part.b} width={(right - left) / 3} height={part.tall} fill="url(#fade-in)" /><text x={right + 12} y={part.b + middle}>{part.name} {count(part.urls)}</text></g>;
          const [x1, x2] = [left + BAR, right - BAR];
          return (
            <g key={part.id}>
              <path d={`M${x1} ${part.a}L${x2} ${part.b}V${part.b + part.tall}L${x1} ${part.a + part.tall}Z`} fill={part.id.startsWith("not_visited") ? "url(#not-visited)" : fill} opacity={part.id.startsWith("not_visited") ? 0.35 : 0.25} />
              <rect x={left} y={part.a} width={BAR} height={part.tall} fill={fill} rx="2" /><rect x={right - BAR} y={part.b} width={BAR} height={part.tall} fill={fill} rx="2" />
              {part.id === "same" && shownSame < same && [left, right - BAR].map((x) => <path key={x} d={`M${x - 3} ${part.a + part.tall / 2 + 4}l${BAR + 6} -8`} stroke="var(--surface)" strokeWidth="4" />)}
              <text x={width / 2} y={(part.a + part.b) / 2 + middle} textAnchor="middle" className="rim">{part.name} {count(part.urls)}</text>
            </g>
          );
        })}
      </svg>
      <div className="sums">{line("a", comparison.a.urls, comparison.a.runId)}{line("b", comparison.b.urls, comparison.b.runId)}</div>
    </>
  );
}
