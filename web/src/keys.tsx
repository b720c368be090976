// Keys. A page registers those it has; `?` lists them. Single letters do nothing while a field has the focus, and can
// be turned off.
import { useEffect, useRef, useState } from "react";
import { Dialog } from "./parts/floating";

export interface Key {
  /** As `KeyboardEvent.key`, or two of them with a space between: `g h`. */
  keys: string;
  does: string;
  run: () => void;
}

const registered = new Set<readonly Key[]>();
const STORED = "bluesnake.letters";

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);
}

/** Registers keys while the component is shown. Keys registered last win. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  const names = keys.map((key) => key.keys).join("\n");
  useEffect(() => {
    const stable = names.split("\n").map((_, place) => ({
      keys: latest.current[place]?.keys ?? "",
      does: latest.current[place]?.does ?? "",
      run: () => latest.current[place]?.run(),
    }));
    registered.add(stable);
    return () => void registered.delete(stable);
  }, [names]);
}

/** Listens for keys, and shows the overview. */
export function Keys() {
  const [isShown, setShown] = useState(false);
  const [areOn, setOn] = useState(() => localStorage.getItem(STORED) !== "off");
  const before = useRef({ key: "", at: 0 });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || document.querySelector("dialog[open]")) return;
      const isCommand = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      if ((event.ctrlKey || event.metaKey) && !isCommand) return;
      if (!isCommand && isField(event.target)) return;
      if (!areOn && event.key.length === 1 && event.key !== "?" && !isCommand) return;
      if (event.key === "?") {
        event.preventDefault();
        setShown(true);
        return;
      }
      const now = Date.now();
      const pair = now - before.current.at < 1_000 ? `${before.current.key} ${event.key}` : "";
      before.current = { key: event.key, at: now };
      const all = [...registered].flat().reverse();
      const single = isCommand ? "Ctrl k" : event.key;
      const found = all.find((key) => key.keys === pair) ?? all.find((key) => key.keys === single);
      if (!found) return;
      event.preventDefault();
      found.run();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [areOn]);
  if (!isShown) return null;
  const listed = [...registered].flat();
  return (
    <Dialog title="Keys" onClose={() => setShown(false)}>
      <div className="body keylist">
        {listed.map((key) => (
          <div key={key.keys + key.does}>
            <span>
              {key.keys.split(" ").map((one) => (
                <kbd key={one}>{one === "ArrowDown" ? "↓" : one === "ArrowUp" ? "↑" : one}</kbd>
              ))}
            </span>
            {key.does}
          </div>
        ))}
        <div>
          <span>
            <kbd>?</kbd>
          </span>
          Show this list
        </div>
        <label className="check">
          <input
            type="checkbox"
            checked={areOn}
            onChange={(event) => {
              localStorage.setItem(STORED, event.target.checked ? "on" : "off");
              setOn(event.target.checked);
            }}
          />
          Single-letter keys
        </label>
      </div>
    </Dialog>
  );
}
