// Search, filters as chips, and a menu with every facet of the list.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { api, ask, type Check } from "../../api/client";
import { Icon, Priority } from "../../parts/basics";
import { Menu } from "../../parts/floating";
import { count, spoken } from "../../words";
import type { Aspect } from "./aspects";
import { asQuery, type Chip, type Field, type FilterTexts } from "./filters";

interface Props {
  run: number;
  aspect: Aspect;
  chips: Chip[];
  /** With those of the aspect. */
  filters: FilterTexts;
  /** Those the user added. */
  own: FilterTexts;
  checks: readonly Check[];
  onChange: (own: FilterTexts) => void;
  children: ReactNode;
}

export function FilterBar({ run, aspect, chips, filters, own, checks, onChange, children }: Props) {
  const inTheme = aspect.theme ? checks.filter((check) => check.theme === aspect.theme && check.findings > 0) : [];
  const remove = (chip: Chip) => {
    const rest = { ...own };
    for (const field of chip.fields) delete rest[field];
    onChange(rest);
  };
  /** The chosen check is marked in the row of checks already. */
  const isBelow = (chip: Chip) => chip.fields[0] === "issue" && inTheme.some((check) => check.id === own.issue);
  return (
    <div className="filterarea">
      <div className="filters">
        <Search value={own.search ?? ""} onChange={(search) => onChange({ ...own, search })} />
        {chips.filter((chip) => chip.name !== "Text" && !isBelow(chip)).map((chip) => (
          <span key={chip.name} className="chip on" title={chip.value}>
            {chip.name} <b>{chip.value}</b>
            <button type="button" className="x" aria-label={`Remove the filter ${chip.name} ${chip.value}`} onClick={() => remove(chip)}>
              <Icon name="x" />
            </button>
          </span>
        ))}
        <span id="add-filter">
          <Menu className="chip add" label={<><Icon name="plus" small /> Filter</>}>
            {(close) => <Facets run={run} filters={filters} onChoose={(field, value) => { close(); onChange({ ...own, [field]: value }); }} />}
          </Menu>
        </span>
        <span className="grow" />
        {children}
      </div>
      {inTheme.length > 0 && (
        <div className="filters checks" aria-label={`Findings in ${aspect.name}`}>
          {inTheme.map((check) => (
            <button key={check.id} type="button" className={own.issue === check.id ? "chip on" : "chip"} onClick={() => onChange({ ...own, issue: own.issue === check.id ? undefined : check.id })}>
              <Priority of={check.priority} /> {check.name.replace(/^[^:]+: /, "")} <b>{count(check.urls)}</b>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function Search({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  const type = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(next), 250);
  };
  return (
    <label className="search urlsearch">
      <Icon name="search" small />
      <input id="url-search" type="search" aria-label="Search URLs, titles and descriptions" placeholder="URL, title, description" value={text} onChange={(event) => type(event.target.value)} />
      <kbd className="hide-s">/</kbd>
    </label>
  );
}

const FACETS: [string, string][] = [["status", "Status"], ["type", "Type"], ["disposition", "Class"], ["reason", "Reason"], ["indexable", "Indexable"], ["internal", "Internal"], ["depth", "Depth"], ["source", "Found by"], ["contentType", "Media type"]];
const NUMBERS: [Field, Field, string][] = [["minInlinks", "maxInlinks", "Inlinks"], ["minWords", "maxWords", "Words"], ["minSize", "maxSize", "Size in bytes"], ["minTime", "maxTime", "Time in ms"], ["minDepth", "maxDepth", "Depth"]];

const VALUES: Record<string, string> = { true: "Yes", false: "No", html: "HTML", css: "CSS", javascript: "JavaScript", spider: "Link", initial: "Start URL" };

function valueName(facet: string, value: string): string {
  if (facet === "status" || facet === "depth" || facet === "contentType") return value;
  return VALUES[value] ?? spoken(value.replace(/^.*\//, ""));
}

function Facets({ run, filters, onChoose }: { run: number; filters: FilterTexts; onChoose: (field: Field, value: string) => void }) {
  const by = FACETS.map(([name]) => name).join(",");
  const facets = useQuery({
    queryKey: ["facets", run, by, filters],
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{id}/facets", { params: { path: { id: run }, query: { by, ...asQuery(filters) } }, signal })),
  });
  return (
    <div className="facets">
      {FACETS.map(([name, title]) => {
        const values = facets.data?.facets.find((facet) => facet.name === name)?.values.filter((one) => one.value !== null && one.value !== undefined) ?? [];
        if (values.length < 1) return null;
        return (
          <div key={name}>
            <h3>{title}</h3>
            {values.slice(0, 12).map((one) => (
              <button key={one.value} type="button" className="item" onClick={() => onChoose(name as Field, one.value ?? "")}>
                {valueName(name, one.value ?? "")}
                <span className="n">{count(one.count)}</span>
              </button>
            ))}
          </div>
        );
      })}
      <div>
        <h3>Numbers</h3>
        {NUMBERS.map(([min, max, title]) => (
          <Range key={min} title={title} onChoose={(isMax, value) => onChoose(isMax ? max : min, value)} />
        ))}
        <PrefixField onChoose={(value) => onChoose("prefix", value)} />
      </div>
    </div>
  );
}

function Range({ title, onChoose }: { title: string; onChoose: (isMax: boolean, value: string) => void }) {
  const [bound, setBound] = useState("min");
  const [value, setValue] = useState("");
  return (
    <form onSubmit={(event) => { event.preventDefault(); if (/^\d+$/.test(value)) onChoose(bound === "max", value); }}>
      <span className="grow">{title}</span>
      <select className="select" aria-label={`${title}: at least or at most`} value={bound} onChange={(event) => setBound(event.target.value)}>
        <option value="min">at least</option>
        <option value="max">at most</option>
      </select>
      <input className="input" inputMode="numeric" aria-label={title} size={6} value={value} onChange={(event) => setValue(event.target.value)} />
    </form>
  );
}

function PrefixField({ onChoose }: { onChoose: (value: string) => void }) {
  const [value, setValue] = useState("");
  return (
    <form onSubmit={(event) => { event.preventDefault(); if (value.trim()) onChoose(value.trim()); }}>
      <input className="input grow" aria-label="Start of the URL" placeholder="URL starts with" value={value} onChange={(event) => setValue(event.target.value)} />
    </form>
  );
}
