// A table of any length. It draws only the rows in view; rows are asked for by place and may arrive later.
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode, type Ref } from "react";
import { copy } from "../parts/toast";
import { clamp, isScaled, offsetAt, offsetShowing, scrollTopAt, sizerHeight, windowAt, type Extent } from "./scroll";

export interface Column<R> {
  id: string;
  name: string;
  width: number;
  /** Its part of the room that is left. */
  grows?: number;
  isNumber?: boolean;
  /** The name of the order in the address and in requests. */
  sort?: string;
  help?: string;
  cell: (row: R) => ReactNode;
  /** What copying a row copies, between tabs. */
  text?: (row: R) => string;
}

export interface GridHandle {
  show: (row: number) => void;
}

interface Props<R> {
  label: string;
  columns: readonly Column<R>[];
  total: number;
  rowAt: (place: number) => R | undefined;
  /** Called with the places in view, so that they can be fetched. */
  onWindow: (from: number, to: number) => void;
  selected: number | null;
  onSelect: (place: number) => void;
  onOpen: () => void;
  sort?: { by: string; isDescending: boolean };
  onSort?: (by: string) => void;
  onResize?: (column: string, width: number) => void;
  onMove?: (column: string, before: string) => void;
  empty: ReactNode;
  handle?: Ref<GridHandle>;
}

function rowHeightNow(): number {
  return matchMedia("(pointer: coarse)").matches ? 44 : 26;
}

export function Grid<R>(props: Props<R>) {
  const { columns, total, rowAt, onWindow, selected, onSelect } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const offset = useRef(0);
  const expected = useRef(0);
  const [rowHeight] = useState(rowHeightNow);
  const [viewHeight, setViewHeight] = useState(400);
  const extent: Extent = { rows: total, rowHeight, viewHeight };
  const [range, setRange] = useState<[number, number]>([0, 0]);
  const current = useRef(extent);
  current.current = extent;

  const place = () => {
    const element = scroller.current;
    const next = windowAt(offset.current, current.current);
    setRange((old) => (old[0] === next[0] && old[1] === next[1] ? old : next));
    if (body.current && element) {
      body.current.style.transform = `translateY(${element.scrollTop + next[0] * rowHeight - offset.current}px)`;
    }
  };
  const moveTo = (next: number) => {
    const element = scroller.current;
    if (!element) return;
    offset.current = clamp(next, current.current);
    element.scrollTop = scrollTopAt(offset.current, current.current);
    expected.current = element.scrollTop;
    if (!isScaled(current.current)) offset.current = element.scrollTop;
    place();
  };
  const show = (row: number) => moveTo(offsetShowing(row, offset.current, current.current));
  const scrolled = () => {
    const element = scroller.current;
    if (!element) return;
    // Our own moves are exact; only those of the bar are mapped.
    if (Math.abs(element.scrollTop - expected.current) > 1) {
      offset.current = offsetAt(element.scrollTop, current.current);
      expected.current = element.scrollTop;
    } else if (!isScaled(current.current)) offset.current = element.scrollTop;
    place();
  };

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => setViewHeight(Math.max(rowHeight, element.clientHeight - 28));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [rowHeight]);
  useLayoutEffect(() => {
    offset.current = clamp(offset.current, current.current);
    place();
  }, [total, viewHeight, range[0]]);
  // When the view shrinks, for example because a pane opens below, a selected row that was visible stays visible.
  const heightBefore = useRef(viewHeight);
  useLayoutEffect(() => {
    const top = selected === null ? -1 : selected * rowHeight - offset.current;
    if (selected !== null && top > -rowHeight && top < heightBefore.current) show(selected);
    heightBefore.current = viewHeight;
  }, [viewHeight]);
  useEffect(() => {
    if (range[1] > range[0]) onWindow(range[0], range[1]);
  }, [range, onWindow, total]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    // React's wheel listeners are passive and could not stop the browser from scrolling by the factor.
    const wheel = (event: WheelEvent) => {
      if (!isScaled(current.current) || event.ctrlKey || event.deltaY === 0) return;
      event.preventDefault();
      const unit = event.deltaMode === 1 ? rowHeight : event.deltaMode === 2 ? current.current.viewHeight : 1;
      moveTo(offset.current + event.deltaY * unit);
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [rowHeight]);

  useImperativeHandle(props.handle, () => ({ show }));

  const keys = (event: KeyboardEvent) => {
    if (event.target !== scroller.current || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      const row = event.key === "c" && selected !== null && getSelection()?.isCollapsed !== false ? rowAt(selected) : undefined;
      if (row) void copy(columns.map((column) => column.text?.(row) ?? "").join("\t"), "the row");
      return;
    }
    const inView = Math.max(1, Math.floor(viewHeight / rowHeight) - 1);
    const from = selected ?? -1;
    const steps: Record<string, number> = { ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + inView, PageUp: from - inView, Home: 0, End: total - 1 };
    if (event.key === "Enter") {
      event.preventDefault();
      props.onOpen();
      return;
    }
    const next = steps[event.key];
    if (next === undefined || total === 0) return;
    event.preventDefault();
    const row = Math.min(total - 1, Math.max(0, next));
    onSelect(row);
    show(row);
  };
  const template = columns.map((column) => (column.grows ? `minmax(${column.width}px, ${column.grows}fr)` : `${column.width}px`)).join(" ");
  const style = { gridTemplateColumns: template, minWidth: columns.reduce((sum, column) => sum + column.width, 0) };
  const rows = [];
  for (let index = range[0]; index < Math.min(range[1], total); index += 1) {
    rows.push(<GridRow key={index} place={index} row={rowAt(index)} columns={columns} style={style} isSelected={index === selected} onSelect={onSelect} onOpen={props.onOpen} />);
  }
  return (
    <div
      ref={scroller}
      className="grid"
      role="grid"
      aria-label={props.label}
      aria-rowcount={total + 1}
      aria-colcount={columns.length}
      aria-activedescendant={selected !== null && selected >= range[0] && selected < range[1] ? `row-${selected}` : undefined}
      tabIndex={0}
      onScroll={scrolled}
      onKeyDown={keys}
    >
      <div role="rowgroup" className="gridhead">
        <div role="row" aria-rowindex={1} className="gridrow" style={style}>
          {columns.map((column, index) => (
            <HeadCell key={column.id} column={column} before={columns[index - 1]?.id} after={columns[index + 1]?.id} sort={props.sort} onSort={props.onSort} onResize={props.onResize} onMove={props.onMove} />
          ))}
        </div>
      </div>
      <div role="presentation" className="gridsizer" style={{ height: sizerHeight(extent) }}>
        <div role="rowgroup" ref={body} className="gridbody">
          {rows}
        </div>
      </div>
      {total === 0 && <div className="gridempty">{props.empty}</div>}
    </div>
  );
}

function GridRow<R>({ place, row, columns, style, isSelected, onSelect, onOpen }: { place: number; row: R | undefined; columns: readonly Column<R>[]; style: React.CSSProperties; isSelected: boolean; onSelect: (place: number) => void; onOpen: () => void }) {
  return (
    <div role="row" id={`row-${place}`} aria-rowindex={place + 2} aria-selected={isSelected} className="gridrow" style={style} onClick={() => onSelect(place)} onDoubleClick={onOpen}>
      {columns.map((column) => (
        <div key={column.id} role="gridcell" className={column.isNumber ? "num" : undefined}>
          {row === undefined ? <span className="sk" style={{ width: column.isNumber ? "60%" : `${40 + ((place * 17) % 40)}%` }} /> : column.cell(row)}
        </div>
      ))}
    </div>
  );
}

interface HeadProps<R> extends Pick<Props<R>, "sort" | "onSort" | "onResize" | "onMove"> {
  column: Column<R>;
  /** Its neighbours. */
  before: string | undefined;
  after: string | undefined;
}

const NARROWEST = 40;
const STEP = 16;

/** A header sorts with a click or Enter. Drag it or press Alt and an arrow to move the column, drag its edge or press
    Shift and an arrow to resize it. */
function HeadCell<R>({ column, before, after, sort, onSort, onResize, onMove }: HeadProps<R>) {
  const cell = useRef<HTMLDivElement>(null);
  const isSorted = sort !== undefined && column.sort !== undefined && sort.by === column.sort;
  const widthNow = () => cell.current?.offsetWidth ?? column.width;
  const resize = (event: React.PointerEvent) => {
    const [start, width] = [event.clientX, widthNow()];
    event.preventDefault();
    const move = (moved: PointerEvent) => onResize?.(column.id, Math.max(NARROWEST, width + moved.clientX - start));
    const end = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
  };
  const keys = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || (!event.shiftKey && !event.altKey)) return;
    event.preventDefault();
    if (event.shiftKey) onResize?.(column.id, Math.max(NARROWEST, widthNow() + step * STEP));
    else if (step < 0 && before) onMove?.(column.id, before);
    else if (step > 0 && after) onMove?.(after, column.id);
  };
  return (
    <div
      ref={cell}
      role="columnheader"
      className={column.isNumber ? "num" : undefined}
      aria-sort={isSorted ? (sort.isDescending ? "descending" : "ascending") : undefined}
      title={column.help}
      draggable={onMove !== undefined}
      onKeyDown={keys}
      onDragStart={(event) => event.dataTransfer.setData("text/plain", column.id)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        onMove?.(event.dataTransfer.getData("text/plain"), column.id);
      }}
    >
      {column.sort && onSort ? (
        <button type="button" onClick={() => onSort(column.sort ?? "")}>
          {column.name}
          {isSorted && (sort.isDescending ? " ↓" : " ↑")}
        </button>
      ) : (
        <span tabIndex={onResize ? 0 : undefined}>{column.name}</span>
      )}
      {onResize && <span className="resize" onPointerDown={resize} aria-hidden="true" />}
    </div>
  );
}
