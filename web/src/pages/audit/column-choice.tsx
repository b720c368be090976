// Which columns are shown, in which order and how wide: kept for each aspect, and in the address.
import { useState } from "react";
import type { Row } from "../../api/client";
import type { Column } from "../../grid/grid";
import { Icon } from "../../parts/basics";
import { Menu } from "../../parts/floating";
import { useQueryState } from "../../router";
import { usualColumns } from "./columns";

export interface ColumnChoice {
  shown: Column<Row>[];
  resize: (id: string, width: number) => void;
  move: (id: string, before: string) => void;
  toggle: (id: string) => void;
  reset: () => void;
}

function stored<T>(key: string, otherwise: T): T {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? "null") as T | null) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function useColumns(all: ReadonlyMap<string, Column<Row>>, kind: string): ColumnChoice {
  const [query, setQuery] = useQueryState();
  const key = `bluesnake.columns.${kind}`;
  const [widths, setWidths] = useState<Record<string, number>>(() => stored("bluesnake.widths", {}));
  const inAddress = query.get("cols")?.split(",").filter((id) => all.has(id));
  const ids = inAddress?.length ? inAddress : stored(key, usualColumns(kind, innerWidth));
  const shown = ids.flatMap((id) => {
    const column = all.get(id);
    return column ? [{ ...column, width: widths[id] ?? column.width, grows: widths[id] === undefined ? column.grows : undefined }] : [];
  });
  const choose = (next: string[]) => {
    localStorage.setItem(key, JSON.stringify(next));
    setQuery({ cols: next.join(",") });
  };
  return {
    shown,
    resize: (id, width) => {
      const next = { ...widths, [id]: Math.round(width) };
      setWidths(next);
      localStorage.setItem("bluesnake.widths", JSON.stringify(next));
    },
    move: (id, before) => {
      if (id === before || !ids.includes(id)) return;
      const rest = ids.filter((one) => one !== id);
      rest.splice(rest.indexOf(before), 0, id);
      choose(rest);
    },
    toggle: (id) => choose(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]),
    reset: () => {
      localStorage.removeItem(key);
      localStorage.removeItem("bluesnake.widths");
      setWidths({});
      setQuery({ cols: null });
    },
  };
}

export function ColumnsMenu({ all, choice }: { all: ReadonlyMap<string, Column<Row>>; choice: ColumnChoice }) {
  const shown = choice.shown.map((column) => column.id);
  const hidden = [...all.values()].filter((column) => !shown.includes(column.id));
  const nudge = (id: string, by: number) => {
    const before = shown[shown.indexOf(id) + (by < 0 ? -1 : 2)];
    if (by < 0 && before) choice.move(id, before);
    else if (by > 0) choice.move(shown[shown.indexOf(id) + 1] ?? id, id);
  };
  return (
    <Menu className="btn ghost" align="right" label={<><Icon name="columns-3" small /> <span className="hide-s">Columns</span></>}>
      {() => (
        <div className="columnlist">
          <h3>Shown, in this order</h3>
          {choice.shown.map((column) => (
            <div key={column.id}>
              <label className="check">
                <input type="checkbox" checked onChange={() => choice.toggle(column.id)} /> {column.name === "#" ? "Number" : column.name}
              </label>
              <button type="button" className="btn ghost icon" aria-label={`Move ${column.name} left`} onClick={() => nudge(column.id, -1)}><Icon name="chevron-up" small /></button>
              <button type="button" className="btn ghost icon" aria-label={`Move ${column.name} right`} onClick={() => nudge(column.id, 1)}><Icon name="chevron-down" small /></button>
            </div>
          ))}
          <h3>Hidden</h3>
          {hidden.map((column) => (
            <div key={column.id}>
              <label className="check">
                <input type="checkbox" checked={false} onChange={() => choice.toggle(column.id)} /> {column.name}
              </label>
            </div>
          ))}
          <hr />
          <button type="button" className="item" onClick={choice.reset}>Reset columns and widths</button>
        </div>
      )}
    </Menu>
  );
}
