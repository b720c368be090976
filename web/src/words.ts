// Numbers, times and names as people read them.
const digits = new Intl.NumberFormat("en");

export function count(value: number): string {
  return digits.format(value);
}

/** `1 page`, `2 pages`; the plural adds an s unless it is given. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** `–` for what was not checked or does not apply. */
export function orDash(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : count(value);
}

export function kilobytes(bytes: number): string {
  return new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(bytes / 1000);
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`;
}

/** Times of requests: `62 ms`, `2.14 s`. */
export function responseTime(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return ms < 10 && !Number.isInteger(ms) ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

/** Times of runs: `0.3 s`, `45 s`, `2 min 11 s`, `3 h 5 min`. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A Unix time in seconds as `16 Nov 2026, 09:14`; without the year in this one. */
export function moment(seconds: number, now = new Date()): string {
  const date = new Date(seconds * 1000);
  const day = `${date.getDate()} ${date.toLocaleString("en", { month: "short" })}`;
  const year = date.getFullYear() === now.getFullYear() ? "" : ` ${date.getFullYear()}`;
  const pad = (value: number) => String(value).padStart(2, "0");
  return `${day}${year}, ${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return "0 %";
  return `${((100 * part) / whole).toFixed(1)} %`;
}

/** `client_error` → `Client error`, `dns_not_found` → `DNS not found`. */
export function spoken(word: string): string {
  const text = word.replace(/[_-]/g, " ").replace(/^robots\b/, "robots.txt").replace(/\b(dns|tls|http|https|html|url|h1|h2|amp|css|json|xml)\b/g, (name) => name.toUpperCase());
  if (text.startsWith("robots.txt")) return text;
  return (text.charAt(0).toUpperCase() + text.slice(1)).replace(/\bjavascript\b/i, "JavaScript");
}

/** A URL without scheme and host, if it is on the site. */
export function within(url: string, host: string): string {
  for (const scheme of ["https://", "http://"]) {
    if (url.startsWith(`${scheme}${host}/`)) return url.slice(scheme.length + host.length);
  }
  return url;
}

export const JOBS = { crawl: "Audit", capture: "Capture", weave: "Weave" } as const;

/** The path of a run's view. */
export function runPath(run: { id: number; kind: string }): string {
  return `/${run.kind === "capture" ? "c" : run.kind === "weave" ? "w" : "r"}/${run.id}`;
}

const REASONS: Record<string, string> = {
  budget: "budget reached",
  budget_reached: "budget reached",
  time_reached: "time limit reached",
  bytes_reached: "byte budget reached",
  user: "by the user",
  stopped: "by the user",
  signal: "the program was stopped",
  error: "an error",
  breaker: "the site is down or rate-limiting us",
  crashed: "the program ended",
  exhausted: "every URL has had its turn",
};

/** Why a run is paused, or a session ended. */
export function pauseReason(reason: string | null | undefined): string | null {
  return reason ? (REASONS[reason] ?? spoken(reason).toLowerCase()) : null;
}
