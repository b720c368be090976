// The line below the grid, and what the grid shows when it has no rows.
import { Empty } from "../../parts/basics";
import { count, plural } from "../../words";

interface Props {
  shown: number;
  all: number;
  isLive: boolean;
  selected: number | null;
  onGo: (place: number) => void;
}

export function Foot({ shown, all, isLive, selected, onGo }: Props) {
  return (
    <footer className="foot">
      <span className="tn" role={isLive ? undefined : "status"}>
        <b>{count(shown)}</b> of {count(Math.max(all, shown))} URLs{isLive ? ", growing" : ""}
      </span>
      {selected !== null && <span className="tn">Row {count(selected + 1)} selected</span>}
      <GoTo total={shown} onGo={onGo} />
      <span className="hints hide-s">
        <span><kbd>j</kbd> <kbd>k</kbd> move</span>
        <span><kbd>Enter</kbd> open pane</span>
        <span><kbd>f</kbd> filter</span>
        <span><kbd>?</kbd> all keys</span>
      </span>
    </footer>
  );
}

/** Jumps to a row by its place in the list. */
function GoTo({ total, onGo }: { total: number; onGo: (place: number) => void }) {
  const go = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("row")).replace(/[,.\s]/g, "");
    if (/^\d+$/.test(text) && total > 0) onGo(Math.min(total, Math.max(1, Number(text))) - 1);
  };
  return (
    <form className="goto hide-s" onSubmit={go}>
      <label>
        Go to row <input name="row" inputMode="numeric" size={7} aria-label="Go to row" />
      </label>
    </form>
  );
}

export function NoRows({ total, hasFilters, isLive, onClear }: { total: number; hasFilters: boolean; isLive: boolean; onClear: () => void }) {
  if (!hasFilters) return <Empty icon={isLive ? "hourglass" : "list-filter"} title={isLive ? "No URL yet" : "No URL in this part"}><p>{isLive ? "Rows appear as soon as they are known." : `${plural(total, "URL")} in this run.`}</p></Empty>;
  return (
    <Empty icon="list-filter" title="No URL matches these filters">
      <p>{plural(total, "URL")} in this run. The filters have none in common.</p>
      <button type="button" className="btn" onClick={onClear}>Clear filters</button>
    </Empty>
  );
}
