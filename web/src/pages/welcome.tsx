// What each job gives, for those who have no runs yet.
import { at } from "../base";
import { Icon, Status } from "../parts/basics";

const ROWS: [string, number, string][] = [
  ["/", 200, "62 ms"],
  ["/products/tents/", 200, "88 ms"],
  ["/help/size-guide/", 404, "41 ms"],
  ["/sale", 301, "12 ms"],
  ["/blog/field-notes/", 200, "97 ms"],
  ["/checkout/session", 503, "2.14 s"],
];

const TEXT = `# Deploy to Kubernetes

Install the chart, then check
that the pods are ready:

\`\`\`sh
helm install shop ./chart
\`\`\``;

const DOTS: [number, number, number, number][] = [
  [60, 48, 7, 1], [110, 30, 4, 1], [92, 92, 5, 1], [38, 104, 4, 1], [150, 74, 6, 2], [196, 116, 8, 2], [172, 138, 4, 2], [236, 96, 4, 2], [250, 44, 7, 3], [292, 30, 4, 3], [286, 78, 5, 3],
];
const LINES: [number, number][] = [[0, 1], [0, 2], [0, 3], [2, 4], [4, 5], [5, 6], [5, 7], [0, 4], [7, 8], [8, 9], [8, 10], [5, 10]];

export function Welcome() {
  return (
    <>
      <div className="three">
        <div className="card">
          <div className="pic" aria-hidden="true">
            <div className="paper">
              {ROWS.map(([path, status, time]) => (
                <div key={path}>
                  <span className="ell">{path}</span>
                  <span><Status status={status} /></span>
                  <span className="num">{time}</span>
                </div>
              ))}
            </div>
          </div>
          <div className="txt">
            <h2><Icon name="scan-search" /> Audit</h2>
            <p>Every URL with its status, metadata and links, plus more than 180 checks with reasons and fixes. Run it again to see what changed.</p>
          </div>
        </div>
        <div className="card">
          <div className="pic" aria-hidden="true">
            <div className="paper"><pre>{TEXT}</pre></div>
          </div>
          <div className="txt">
            <h2><Icon name="book-open-text" /> Capture</h2>
            <p>A documentation site as clean Markdown, without navigation and duplicates. Searchable, with token counts.</p>
          </div>
        </div>
        <div className="card">
          <div className="pic" aria-hidden="true">
            <svg viewBox="0 0 330 168" width="100%" height="168">
              {LINES.map(([from, to]) => (
                <line key={`${from} ${to}`} x1={DOTS[from]?.[0]} y1={DOTS[from]?.[1]} x2={DOTS[to]?.[0]} y2={DOTS[to]?.[1]} stroke="var(--line-strong)" />
              ))}
              {DOTS.map(([x, y, r, colour]) => (
                <circle key={`${x} ${y}`} cx={x} cy={y} r={r} fill={`var(--c-${colour})`} />
              ))}
            </svg>
          </div>
          <div className="txt">
            <h2><Icon name="waypoints" /> Weave</h2>
            <p>Which hosts link to which, as a ranked and weighted graph that you can explore here or export to Gephi, GraphML or CSV.</p>
          </div>
        </div>
      </div>
      <div className="card tip">
        <Icon name="terminal" />
        <p className="grow">Prefer the terminal? Runs started with <code>bluesnake crawl</code> appear here while they run.</p>
        <a className="btn" href={at("api/docs")}><Icon name="book-open-text" small /> Open the API reference</a>
      </div>
    </>
  );
}
