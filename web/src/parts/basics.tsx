// Small parts that every page uses.
import { useState, type ReactNode } from "react";
import { at } from "../base";
import { ICONS, type IconName } from "./icons";

export function Icon({ name, small = false }: { name: IconName; small?: boolean }) {
  return (
    <svg className={small ? "i s" : "i"} viewBox="0 0 24 24" aria-hidden="true">
      {ICONS[name]}
    </svg>
  );
}

const MARKS = {
  dot: <circle cx="5" cy="5" r="3" />,
  bent: <path d="M2 1v4.2h4.6V3l3 3-3 3V6.9H.4V1z" />,
  triangle: <path d="M5 .8 9.8 9.2H.2z" />,
  square: <path fillRule="evenodd" d="M1 .5h8v9H1zM2.6 4.2v1.6h4.8V4.2z" />,
  ring: <circle cx="5" cy="5" r="3.8" fill="none" stroke="currentColor" strokeWidth="1.4" strokeDasharray="2 1.6" />,
  slash: <path d="M5 .4a4.6 4.6 0 1 0 0 9.2A4.6 4.6 0 0 0 5 .4m0 1.4c.7 0 1.3.2 1.8.6L2.4 6.8A3.2 3.2 0 0 1 5 1.8m0 6.4c-.7 0-1.3-.2-1.8-.6l4.4-4.4A3.2 3.2 0 0 1 5 8.2" />,
} as const;

export type MarkName = keyof typeof MARKS;

export function Mark({ name }: { name: MarkName }) {
  return (
    <svg className="m" viewBox="0 0 10 10" aria-hidden="true">
      {MARKS[name]}
    </svg>
  );
}

const REFUSED: Record<string, string> = { robots: "robots", robots_unreachable: "robots", private_address: "private" };
const FAILED: [RegExp, string][] = [
  [/timeout|timed/, "timeout"],
  [/dns|resolve|name/, "DNS"],
  [/tls|certificate/, "TLS"],
  [/connect|reset|refused|closed/, "connection"],
];

/** The status of a URL: shape and text carry the meaning, colour repeats it. */
export function Status({ status, disposition, reason }: { status?: number | null; disposition?: string | null; reason?: string | null }) {
  if (status) {
    const group = Math.floor(status / 100);
    const [name, style] = ([["ring", "s0"], ["dot", "s2"], ["bent", "s3"], ["triangle", "s4"], ["square", "s5"]] as const)[Math.max(0, group - 1)] ?? (["ring", "s0"] as const);
    return (
      <span className={`st ${style}`}>
        <Mark name={name} />
        {status}
      </span>
    );
  }
  const word = reason ?? "";
  if (disposition === "failed") {
    return (
      <span className="st s0" title={word}>
        <Mark name="ring" />
        {FAILED.find(([pattern]) => pattern.test(word))?.[1] ?? (word.replace(/_/g, " ") || "failed")}
      </span>
    );
  }
  if (disposition === "refused" || disposition === "skipped") {
    return (
      <span className="st sx" title={word}>
        <Mark name="slash" />
        {REFUSED[word] ?? (word.replace(/_/g, " ") || disposition)}
      </span>
    );
  }
  if (disposition === "pending") return <span className="t3">pending</span>;
  return <NotChecked />;
}

export function NotChecked({ why = "Not checked" }: { why?: string }) {
  return (
    <span className="none" title={why}>
      –
    </span>
  );
}

/** A URL that is cut in the middle: its start gives way, its end stays. */
export function Url({ text, full = text }: { text: string; full?: string }) {
  const end = text.length > 30 ? 22 : 0;
  return (
    <span className="url" title={full}>
      <span>{text.slice(0, text.length - end)}</span>
      {end > 0 && <span>{text.slice(-end)}</span>}
    </span>
  );
}

/** A link to a crawled page. It opens in a new tab, and tells the site nothing about us. */
export function Outside({ url, children }: { url: string; children?: ReactNode }) {
  if (!/^https?:\/\//i.test(url)) return <>{children ?? url}</>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" className="ell">
      {children ?? url}
    </a>
  );
}

export function Priority({ of }: { of: string }) {
  const style = of === "high" ? "h" : of === "medium" ? "m" : "l";
  return (
    <span className={`prio ${style}`} role="img" aria-label={`${of} priority`}>
      <i />
      <i />
      <i />
    </span>
  );
}

/** `Page Titles: Missing` as `Missing` and then, quieter, `Page Titles`: if there is no room, the theme goes first. */
export function CheckName({ name }: { name: string }) {
  const [, theme, rest] = /^([^:]+): (.+)$/.exec(name) ?? [];
  return (
    <span className="ell" title={name}>
      {rest ?? name} {theme && <span className="t3">{theme}</span>}
    </span>
  );
}

const TILES = ["#1d5fd8", "#0b6b4b", "#5741c4", "#8a4b00", "#a8283c", "#0f6c8c", "#5a641c", "#4b5667"];

/** The icon of a site, or the first letter of its host. The server keeps icons; the page never contacts the site. */
export function Favicon({ project, host }: { project?: number; host: string }) {
  const [isMissing, setMissing] = useState(false);
  if (project && !isMissing) {
    return <img className="fav" src={at(`api/v1/projects/${project}/favicon`)} alt="" onError={() => setMissing(true)} />;
  }
  let hash = 0;
  for (const letter of host) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return (
    <span className="fav" style={{ background: TILES[hash % TILES.length] }} aria-hidden="true">
      {(host.replace(/^www\./, "")[0] ?? "?").toLowerCase()}
    </span>
  );
}

const STATES: Record<string, [IconName, string, string]> = {
  completed: ["circle-check", "ok", "Completed"],
  paused: ["circle-pause", "warn", "Paused"],
  failed: ["circle-x", "err", "Failed"],
  stopped: ["circle-pause", "warn", "Stopped"],
};

export function StateTag({ state }: { state: string }) {
  if (state === "in_progress") {
    return (
      <span className="tag acc">
        <span className="live" /> Running
      </span>
    );
  }
  const [icon, style, text] = STATES[state] ?? (["info", "", state] as const);
  return (
    <span className={`tag ${style}`}>
      <Icon name={icon === "circle-check" ? "check" : icon} small /> {text}
    </span>
  );
}

export function StateText({ state, reason }: { state: string; reason?: string | null }) {
  if (state === "in_progress") {
    return (
      <span className="state acc">
        <span className="live" /> <b>Running</b>
      </span>
    );
  }
  const [icon, style, text] = STATES[state] ?? (["info", "", state] as const);
  return (
    <span className={`state ${style}`}>
      <Icon name={icon} small /> <b>{text}</b>
      {reason && <span className="t3"> · {reason}</span>}
    </span>
  );
}

/** What to show when there is nothing: why, and what to do about it. */
export function Empty({ icon, title, children, isGood = false }: { icon: IconName; title: string; children?: ReactNode; isGood?: boolean }) {
  return (
    <div className={isGood ? "empty good" : "empty"}>
      <Icon name={icon} />
      <h3>{title}</h3>
      {children}
    </div>
  );
}

export function Message({ kind, icon, children, action }: { kind: "err" | "warn" | "info"; icon: IconName; children: ReactNode; action?: ReactNode }) {
  return (
    <div className={`msg ${kind}`} role={kind === "err" ? "alert" : undefined}>
      <Icon name={icon} />
      <p>{children}</p>
      {action}
    </div>
  );
}

/** Rows in the final layout while data loads. They appear late, so that quick answers do not flash. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div className="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="skrow">
          <span className="sk" style={{ width: `${30 + ((index * 37) % 50)}%` }} />
        </div>
      ))}
    </div>
  );
}

export interface Tab {
  id: string;
  name: string;
  /** `null` is not checked. */
  count?: number | null;
}

export function Tabs({ tabs, current, onChoose, label, style = "tabs" }: { tabs: readonly Tab[]; current: string; onChoose: (id: string) => void; label: string; style?: "tabs" | "seg" }) {
  const move = (event: React.KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const place = tabs.findIndex((tab) => tab.id === current);
    const next = tabs[(place + step + tabs.length) % tabs.length];
    if (!next) return;
    onChoose(next.id);
    (event.currentTarget.querySelector(`[data-tab="${next.id}"]`) as HTMLElement | null)?.focus();
  };
  return (
    <div className={style} role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          data-tab={tab.id}
          aria-selected={tab.id === current}
          tabIndex={tab.id === current ? 0 : -1}
          onClick={() => onChoose(tab.id)}
        >
          {tab.name}
          {tab.count !== undefined && <span className="n">{tab.count === null ? "–" : tab.count.toLocaleString("en")}</span>}
        </button>
      ))}
    </div>
  );
}
