// Charts as plain SVG and boxes. The numbers always stand beside them as text.
import { useEffect, useState } from "react";
import { count } from "../words";

/** The last runs of a project, with a dot on the newest. */
export function Spark({ values, kind }: { values: readonly number[]; kind: "pages" | "issues" }) {
  const [width, height] = [66, 16];
  if (values.length < 2) return <span className="sparkless" aria-hidden="true" />;
  const highest = Math.max(...values, 1);
  const points = values.map((value, index) => [
    (index / (values.length - 1)) * width,
    height - 1.5 - (value / highest) * (height - 4),
  ]);
  const line = points.map(([x, y], index) => `${index ? "L" : "M"}${x?.toFixed(1)} ${y?.toFixed(1)}`).join("");
  const [lastX, lastY] = points.at(-1) ?? [0, 0];
  return (
    <svg className={kind === "issues" ? "spark iss" : "spark"} width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${kind} of the last ${values.length} runs: ${values.map(count).join(", ")}`}>
      <path className="a" d={`${line}L${width} ${height}L0 ${height}Z`} />
      <path d={line} />
      <circle cx={lastX} cy={lastY} r="2" />
    </svg>
  );
}

/** Parts of a whole, each at least 3 px wide so that few stay visible. */
export function Stack({ parts, label }: { parts: readonly { count: number; fill: string }[]; label: string }) {
  return (
    <div className="stack" role="img" aria-label={label}>
      {parts.filter((part) => part.count > 0).map((part, index) => (
        <i key={index} className={part.fill} style={{ flexGrow: part.count, flexBasis: 0 }} />
      ))}
    </div>
  );
}

export interface Bucket {
  from: number;
  to: number;
  count: number;
}

/** Click a bar to choose it, or drag over several. */
export function Histogram({ buckets, slowFrom, axis, onChoose, name }: { buckets: readonly Bucket[]; slowFrom?: number; axis: readonly [string, string, string]; onChoose: (bucket: Bucket) => void; name: (bucket: Bucket) => string }) {
  const highest = Math.max(1, ...buckets.map((bucket) => bucket.count));
  const [brush, setBrush] = useState<readonly [number, number] | null>(null);
  const [from, to] = brush ? [Math.min(...brush), Math.max(...brush)] : [0, -1];
  useEffect(() => {
    if (!brush) return;
    const end = () => {
      setBrush(null);
      const chosen = buckets.slice(from, to + 1);
      const [first, last] = [chosen[0], chosen.at(-1)];
      if (first && last) onChoose({ from: first.from, to: last.to, count: chosen.reduce((sum, one) => sum + one.count, 0) });
    };
    addEventListener("pointerup", end);
    return () => removeEventListener("pointerup", end);
  });
  return (
    <div>
      <div className="hist">
        {buckets.map((bucket, index) => (
          <button
            key={bucket.from}
            type="button"
            className={index >= from && index <= to ? "in" : undefined}
            title={`${name(bucket)}: ${count(bucket.count)}`}
            aria-label={`${name(bucket)}: ${count(bucket.count)}`}
            onPointerDown={(event) => {
              (event.target as Element).releasePointerCapture(event.pointerId);
              setBrush([index, index]);
            }}
            onPointerEnter={() => brush && setBrush([brush[0], index])}
            // Only from the keyboard: the pointer has chosen when it was released.
            onClick={(event) => event.detail === 0 && onChoose(bucket)}
          >
            <i className={slowFrom !== undefined && bucket.from >= slowFrom ? "hi" : undefined} style={{ height: `${bucket.count ? Math.max(3, (100 * bucket.count) / highest) : 0}%` }} />
          </button>
        ))}
      </div>
      <div className="axis">
        {axis.map((text, index) => (
          <span key={index}>{text}</span>
        ))}
      </div>
    </div>
  );
}

/** Solid: committed. Pale: in flight. */
export function Track({ done, inFlight, total, isPaused = false }: { done: number; inFlight: number; total: number; isPaused?: boolean }) {
  const share = (value: number) => `${(100 * value) / Math.max(1, total)}%`;
  return (
    <div className={isPaused ? "track paused" : "track"} aria-hidden="true">
      <i style={{ width: share(done) }} />
      <i style={{ width: share(inFlight) }} />
    </div>
  );
}
