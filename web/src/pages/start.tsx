// The start card: a field, the job, the settings people change most, and the same as a command.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type FormEvent } from "react";
import { Problem, type Job } from "../api/client";
import { useKeys } from "../keys";
import { Icon } from "../parts/basics";
import { Menu } from "../parts/floating";
import type { IconName } from "../parts/icons";
import { copy } from "../parts/toast";
import { navigate, useQueryState } from "../router";
import { SettingsDrawer, useSettings } from "../settings/drawer";
import { Field } from "../settings/fields";
import { commandOf, isChanged, nameOf, nested, pathOf, shown, valueOf, withValue, type Setting, type Values } from "../settings/schema";
import { JOBS } from "../words";
import { start } from "./actions";

const CHOICES: { job: Job; icon: IconName; says: string; placeholder: string; quick: string[] }[] = [
  { job: "crawl", icon: "scan-search", says: "Every URL of a site, its issues, and how to fix them", placeholder: "example.com", quick: ["scope.paths", "politeness.rate", "limits.session_budget", "scope.max_depth", "politeness.robots"] },
  { job: "capture", icon: "book-open-text", says: "Documentation as clean Markdown, searchable, with token counts", placeholder: "docs.example.com/guide/", quick: ["scope.paths", "scope.page_limit", "politeness.rate", "politeness.robots"] },
  { job: "weave", icon: "waypoints", says: "Which hosts link to which, as a ranked graph", placeholder: "example.com", quick: ["weave.max_depth", "weave.max_outbound_links", "politeness.rate", "limits.session_budget"] },
];

const SHORT: Record<string, [string, (value: unknown) => string]> = {
  "scope.paths": ["Scope", (value) => (value === "any" ? "whole site" : "below the path")],
  "politeness.rate": ["Rate", (value) => (value === 0 ? "no limit" : `${shown(value)} requests/s`)],
  "limits.session_budget": ["Budget", (value) => (value === 0 ? "none" : `${shown(value)} URLs`)],
  "scope.max_depth": ["Depth", (value) => (value === 0 ? "no limit" : `${shown(value)} links`)],
  "scope.page_limit": ["Pages", (value) => (value === 0 ? "no limit" : `at most ${shown(value)}`)],
  "politeness.robots": ["robots.txt", shown],
  "weave.max_depth": ["Depth", (value) => `${shown(value)} links`],
  "weave.max_outbound_links": ["Links per host", (value) => (value === 0 ? "no limit" : `at most ${shown(value)}`)],
};

/** `example.com` means the site, whatever its scheme; the server tries https. */
export function seedsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

export function Start() {
  const [query, setQuery] = useQueryState();
  const choice = CHOICES.find((one) => one.job === query.get("job")) ?? CHOICES[0]!;
  const [text, setText] = useState(query.get("url") ?? "");
  const [values, setValues] = useState<Values>({});
  const [problem, setProblem] = useState("");
  const [isStarting, setStarting] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const groups = useSettings(choice.job);
  const queries = useQueryClient();
  const all = groups.data?.flatMap((group) => group.settings) ?? [];
  const known = new Set(all.map(pathOf));
  const used = Object.fromEntries(Object.entries(values).filter(([path]) => known.has(path)));
  const seeds = seedsOf(text);
  const command = commandOf(choice.job, seeds.length ? seeds : [choice.placeholder], used);
  const isSettings = query.get("settings") === "1";
  useKeys([{ keys: ",", does: "Settings of the next run", run: () => setQuery({ settings: 1 }, "push") }]);

  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (seeds.length === 0) {
      setProblem("Enter a host or URL");
      field.current?.focus();
      return;
    }
    setStarting(true);
    setProblem("");
    try {
      const path = await start(choice.job, { urls: seeds, mode: "auto", settings: nested(used) });
      await queries.invalidateQueries({ queryKey: ["runs"] });
      navigate(path);
    } catch (error) {
      const fields = error instanceof Problem ? error.fields.map((one) => (one.field === "seeds" ? one.message : `${one.field}: ${one.message}`)) : [];
      const hint = error instanceof Problem && error.hint ? `. ${error.hint}` : "";
      setProblem(fields.length ? fields.join("\n") : `${(error as Error).message}${hint}`);
    } finally {
      setStarting(false);
    }
  };
  return (
    <form className="card start" onSubmit={(event) => void send(event)} aria-label="Start a run">
      <div className="jobs">
        <div role="tablist" aria-label="Job">
          {CHOICES.map((one) => (
            <button key={one.job} type="button" role="tab" aria-selected={one === choice} onClick={() => setQuery({ job: one.job === "crawl" ? null : one.job })}>
              <Icon name={one.icon} /> {JOBS[one.job]}
            </button>
          ))}
        </div>
        <span className="say">{choice.says}</span>
      </div>
      <div className="field">
        <label>
          <Icon name="globe" />
          <input
            ref={field}
            autoFocus
            aria-label="Host or URL"
            aria-invalid={problem ? true : undefined}
            aria-describedby="start-problem"
            placeholder={choice.placeholder}
            autoCapitalize="off"
            autoCorrect="off"
            spellCheck={false}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setProblem("");
            }}
          />
        </label>
        <button type="submit" className="btn primary" aria-busy={isStarting}>
          Start {JOBS[choice.job].toLowerCase()}
        </button>
      </div>
      <div id="start-problem" role="alert">
        {problem && <p className="problem">{problem}</p>}
      </div>
      <div className="opts">
        {choice.quick.map((path) => {
          const setting = all.find((one) => pathOf(one) === path);
          return setting && <Quick key={path} setting={setting} values={values} onChange={setValues} />;
        })}
        <button type="button" className="btn ghost" onClick={() => setQuery({ settings: 1 }, "push")}>
          <Icon name="sliders-horizontal" small /> All settings
        </button>
      </div>
      <div className="cmd">
        <span>Same as</span>
        <code title={command}>{command}</code>
        <button type="button" className="btn ghost" onClick={() => void copy(command, "the command")}>
          <Icon name="copy" small /> Copy
        </button>
      </div>
      {isSettings && (
        <SettingsDrawer
          job={choice.job}
          note="For the run that you start next. Settings saved for a project apply too; edit them on its page."
          initial={used}
          onSave={async (next) => setValues(next)}
          onClose={() => setQuery({ settings: null })}
        />
      )}
    </form>
  );
}

function Quick({ setting, values, onChange }: { setting: Setting; values: Values; onChange: (values: Values) => void }) {
  const [name, text] = SHORT[pathOf(setting)] ?? [nameOf(setting.key).name, shown];
  const hasChanged = isChanged(setting, values);
  return (
    <Menu
      className={hasChanged ? "chip on" : "chip"}
      label={
        <>
          {name} <b>{text(valueOf(setting, values))}</b>
        </>
      }
    >
      {() => (
        <div className="quick">
          <p>{setting.help.replace(/`/g, "")}</p>
          <Field setting={setting} value={valueOf(setting, values)} onChange={(value) => onChange(withValue(values, setting, value))} />
          {hasChanged && (
            <button type="button" className="linklike" onClick={() => onChange(withValue(values, setting, setting.initial))}>
              Back to the default ({shown(setting.initial)})
            </button>
          )}
        </div>
      )}
    </Menu>
  );
}
