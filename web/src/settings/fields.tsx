// One field for each kind of setting.
import { useState } from "react";
import { Icon } from "../parts/basics";
import { nameOf, pathOf, type Setting } from "./schema";

export function Field({ setting, value, onChange, describedBy }: { setting: Setting; value: unknown; onChange: (value: unknown) => void; describedBy?: string }) {
  const { name, unit } = nameOf(setting.key);
  const common = { id: `setting-${pathOf(setting)}`, "aria-label": name, "aria-describedby": describedBy };
  switch (setting.kind) {
    case "boolean":
      return <input {...common} type="checkbox" role="switch" className="switch" checked={value === true} onChange={(event) => onChange(event.target.checked)} />;
    case "number":
      return (
        <label className="search numeric">
          <NumberInput common={common} setting={setting} value={value} onChange={onChange} />
          {unit && <span>{unit}</span>}
        </label>
      );
    case "choice":
      return (
        <select {...common} className="select" value={String(value)} onChange={(event) => onChange(event.target.value)}>
          {setting.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice.replace(/[_-]/g, " ")}
            </option>
          ))}
        </select>
      );
    case "list":
      return <List common={common} items={(value as unknown[]) ?? []} isNumeric={setting.isNumeric} onChange={onChange} />;
    case "map":
      return <MapField common={common} pairs={(value as Record<string, string>) ?? {}} onChange={onChange} />;
    default:
      return <input {...common} className="input" value={String(value ?? "")} spellCheck={false} onChange={(event) => onChange(event.target.value)} />;
  }
}

type Common = { id: string; "aria-label": string; "aria-describedby"?: string };

function NumberInput({ common, setting, value, onChange }: { common: Common; setting: Setting; value: unknown; onChange: (value: unknown) => void }) {
  const [text, setText] = useState<string | null>(null);
  return (
    <input
      {...common}
      inputMode={setting.isInteger ? "numeric" : "decimal"}
      value={text ?? String(value)}
      onChange={(event) => {
        setText(event.target.value);
        const number = Number(event.target.value);
        // What is not a number is sent as it is: the server says what is wrong with it.
        onChange(event.target.value.trim() === "" || Number.isNaN(number) ? event.target.value : number);
      }}
      onBlur={() => setText(null)}
    />
  );
}

function List({ common, items, isNumeric, onChange }: { common: Common; items: readonly unknown[]; isNumeric: boolean; onChange: (value: unknown) => void }) {
  const [added, setAdded] = useState("");
  const typed = (text: string) => (isNumeric && text.trim() !== "" && !Number.isNaN(Number(text)) ? Number(text) : text);
  const add = () => {
    if (!added.trim()) return;
    onChange([...items, typed(added.trim())]);
    setAdded("");
  };
  return (
    <div className="listfield">
      {items.map((item, index) => (
        <div key={index}>
          <input
            aria-label={`${common["aria-label"]}, entry ${index + 1}`}
            value={String(item)}
            spellCheck={false}
            onChange={(event) => onChange(items.map((old, place) => (place === index ? typed(event.target.value) : old)))}
          />
          <button type="button" className="btn ghost icon" aria-label={`Remove ${String(item)}`} onClick={() => onChange(items.filter((_, place) => place !== index))}>
            <Icon name="x" small />
          </button>
        </div>
      ))}
      <div>
        <input
          {...common}
          placeholder="Add an entry"
          value={added}
          spellCheck={false}
          onChange={(event) => setAdded(event.target.value)}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            add();
          }}
        />
      </div>
    </div>
  );
}

function MapField({ common, pairs, onChange }: { common: Common; pairs: Readonly<Record<string, string>>; onChange: (value: unknown) => void }) {
  const lines = Object.entries(pairs).map(([key, value]) => `${key} = ${value}`);
  const change = (items: unknown) => {
    const next = (items as string[]).map((line) => line.split(/\s*=\s*(.*)/s)).map(([key = "", value = ""]) => [key.trim(), value]);
    onChange(Object.fromEntries(next));
  };
  return <List common={common} items={lines} isNumeric={false} onChange={change} />;
}
