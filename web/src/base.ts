// Where the UI is mounted. Files are in `assets/` below it, so it follows from the URL of this file: the UI needs no
// configuration behind a proxy that serves it below a path.
export const BASE = import.meta.env.DEV ? new URL("/", location.href) : new URL(/* @vite-ignore */ "../", import.meta.url);

/** The URL of a path of the API or of a view: `api/v1/health`, `r/12`. */
export function at(path: string): string {
  return new URL(path.replace(/^\//, ""), BASE).href;
}
