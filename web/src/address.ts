// Addresses as text. Pure.
export type Params = Record<string, string | number | boolean | null | undefined>;

/** The path of a view, from `/`, in a UI that is mounted at `base`. */
export function pathOf(pathname: string, base: string): string {
  const rest = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
  return `/${rest.replace(/^\/+|\/+$/g, "")}`;
}

/** A query with some parameters changed, the others in their order. `null` removes a parameter. */
export function changedQuery(search: string, params: Params): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(params)) {
    if (value === null || value === undefined || value === "" || value === false) query.delete(name);
    else query.set(name, String(value));
  }
  return query.toString();
}

/** The address of a view with a query. */
export function view(path: string, params: Params = {}): string {
  const query = changedQuery("", params);
  return query ? `${path}?${query}` : path;
}
