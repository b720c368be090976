// Views and their state are in the address: a path (`/r/12`) and a query. Nothing else decides what is shown.
import { useCallback, useMemo, useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent } from "react";
import { changedQuery, pathOf, type Params } from "./address";
import { at, BASE } from "./base";

export { view } from "./address";

const changed = new EventTarget();

function subscribe(notify: () => void): () => void {
  changed.addEventListener("change", notify);
  addEventListener("popstate", notify);
  return () => {
    changed.removeEventListener("change", notify);
    removeEventListener("popstate", notify);
  };
}

/** The path of the current view, from `/`. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, () => pathOf(location.pathname, BASE.pathname));
}

/** The query of the address, and a function that changes some of it. */
export function useQueryState(): [URLSearchParams, (change: Params, how?: "push" | "replace") => void] {
  const search = useSyncExternalStore(subscribe, () => location.search);
  const query = useMemo(() => new URLSearchParams(search), [search]);
  const change = useCallback((params: Params, how: "push" | "replace" = "replace") => {
    const url = new URL(location.href);
    url.search = changedQuery(url.search, params);
    go(url, how);
  }, []);
  return [query, change];
}

export function navigate(path: string, how: "push" | "replace" = "push"): void {
  go(new URL(at(path)), how);
}

function go(url: URL, how: "push" | "replace"): void {
  if (url.href === location.href) return;
  if (how === "push") history.pushState(null, "", url);
  else history.replaceState(null, "", url);
  changed.dispatchEvent(new Event("change"));
}

/** A link to a view. Modified clicks open a tab, as with any link. */
export function Link({ to, onClick, ...rest }: { to: string } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    navigate(to);
  };
  return <a {...rest} href={at(to)} onClick={follow} />;
}
