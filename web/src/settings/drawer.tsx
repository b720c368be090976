// The settings of a job as a drawer, generated from the schema that the server checks requests with.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, Problem, type Job, type Schemas } from "../api/client";
import { Icon, Message, Skeleton } from "../parts/basics";
import { Dialog, Menu } from "../parts/floating";
import { copy, toast } from "../parts/toast";
import { JOBS, plural } from "../words";
import { Field } from "./fields";
import { flat, groupsOf, isChanged, nameOf, pathOf, shown, valueOf, withValue, type Group, type Setting, type Values } from "./schema";
import { fromToml, toToml } from "./toml";

type FieldProblem = Schemas["FieldProblem"];

export function useSettings(job: Job) {
  return useQuery({
    queryKey: ["schema", job],
    staleTime: Infinity,
    queryFn: async ({ signal }) => groupsOf(await ask(api.GET("/api/v1/settings/schema", { params: { query: { job } }, signal }))),
  });
}

interface Props {
  job: Job;
  note: string;
  initial: Values;
  /** Throws a `Problem` with the fields that are wrong. */
  onSave: (values: Values) => Promise<void>;
  onClose: () => void;
}

export function SettingsDrawer({ job, note, initial, onSave, onClose }: Props) {
  const groups = useSettings(job);
  const [values, setValues] = useState(initial);
  const [problems, setProblems] = useState<FieldProblem[]>([]);
  const [failure, setFailure] = useState("");
  const [text, setText] = useState("");
  const changed = groups.data?.flatMap((group) => group.settings).filter((setting) => isChanged(setting, values)).length ?? 0;
  const save = async () => {
    setFailure("");
    try {
      await onSave(values);
      onClose();
    } catch (error) {
      const fields = error instanceof Problem ? error.fields : [];
      setProblems(fields);
      if (fields.length === 0) setFailure((error as Error).message);
      const first = fields[0]?.field.replace(/^settings\./, "");
      if (first) document.getElementById(`setting-${first}`)?.scrollIntoView({ block: "center" });
    }
  };
  const change = (setting: Setting, value: unknown) => {
    setValues(withValue(values, setting, value));
    setProblems(problems.filter((problem) => !isAbout(problem, setting)));
  };
  return (
    <Dialog
      title={`${JOBS[job]} settings`}
      note={note}
      kind="drawer"
      onClose={onClose}
      footer={
        <>
          {problems.length > 0 && (
            <span className="row up">
              <Icon name="circle-alert" small /> <b>{plural(problems.length, "problem")}</b>
            </span>
          )}
          <span className="grow t2 ell">{changed === 0 ? "All settings have their defaults" : `${plural(changed, "setting differs", "settings differ")} from the default`}</span>
          <ImportExport groups={groups.data ?? []} values={values} onImport={setValues} />
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button type="button" className="btn primary" onClick={() => void save()}>
            Save
          </button>
        </>
      }
    >
      <div className="settings">
        <nav aria-label="Groups of settings">
          <label className="search">
            <Icon name="search" small />
            <input data-first type="search" aria-label="Find a setting" placeholder="Find a setting" value={text} onChange={(event) => setText(event.target.value)} />
          </label>
          {groups.data?.map((group) => (
            <GroupLink key={group.name} group={group} values={values} problems={problems} />
          ))}
          <p className="t3">
            <i className="dot" /> differs from the default
          </p>
        </nav>
        <div className="fields" tabIndex={0} role="region" aria-label="Settings">
          {failure && (
            <Message kind="err" icon="circle-alert">
              {failure}
            </Message>
          )}
          {!groups.data && <Skeleton rows={10} />}
          {groups.data?.map((group) => (
            <GroupFields key={group.name} group={group} text={text.trim().toLowerCase()} values={values} problems={problems} onChange={change} />
          ))}
        </div>
      </div>
    </Dialog>
  );
}

function isAbout(problem: FieldProblem, setting: Setting): boolean {
  const field = problem.field.replace(/^settings\./, "");
  const path = pathOf(setting);
  return field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`);
}

function GroupLink({ group, values, problems }: { group: Group; values: Values; problems: FieldProblem[] }) {
  const changed = group.settings.filter((setting) => isChanged(setting, values)).length;
  const wrong = group.settings.filter((setting) => problems.some((problem) => isAbout(problem, setting))).length;
  const show = () => document.getElementById(`group-${group.name}`)?.scrollIntoView({ block: "start" });
  return (
    <button type="button" onClick={show}>
      {nameOf(group.name).name}
      <span className="grow" />
      {wrong > 0 && (
        <span className="row up">
          <Icon name="circle-alert" small /> {wrong}
        </span>
      )}
      {changed > 0 && (
        <span className="changed">
          <i className="dot" /> {changed}
        </span>
      )}
    </button>
  );
}

function GroupFields({ group, text, values, problems, onChange }: { group: Group; text: string; values: Values; problems: FieldProblem[]; onChange: (setting: Setting, value: unknown) => void }) {
  const shownSettings = group.settings.filter((setting) => `${pathOf(setting)} ${nameOf(setting.key).name} ${setting.help}`.toLowerCase().includes(text));
  if (shownSettings.length === 0) return null;
  return (
    <section id={`group-${group.name}`}>
      <header>
        <h3>{nameOf(group.name).name}</h3>
        <p>{group.help}</p>
      </header>
      {shownSettings.map((setting) => (
        <SettingRow key={setting.key} setting={setting} values={values} problems={problems.filter((problem) => isAbout(problem, setting))} onChange={onChange} />
      ))}
    </section>
  );
}

function SettingRow({ setting, values, problems, onChange }: { setting: Setting; values: Values; problems: FieldProblem[]; onChange: (setting: Setting, value: unknown) => void }) {
  const hasChanged = isChanged(setting, values);
  const isTall = setting.kind === "list" || setting.kind === "map" || setting.kind === "text";
  const helpId = `help-${pathOf(setting)}`;
  return (
    <div className={`setting${isTall ? " tall" : ""}${problems.length ? " wrong" : ""}`}>
      <div className="about">
        <h4>
          {hasChanged && <i className="dot" title="Differs from the default" />}
          {nameOf(setting.key).name}
        </h4>
        <p id={helpId}>{setting.help.replace(/`/g, "")}</p>
        <code>{pathOf(setting)}</code>
      </div>
      <div className="control">
        <Field setting={setting} value={valueOf(setting, values)} onChange={(value) => onChange(setting, value)} describedBy={helpId} />
        {problems.map((problem) => (
          <p key={problem.message} className="up row" role="alert">
            <Icon name="circle-alert" small />
            <span>
              {problem.message}
              {problem.hint ? `. ${problem.hint}` : ""}
            </span>
          </p>
        ))}
        {hasChanged && (
          <div className="default">
            Default: {shown(setting.initial)}
            <button type="button" className="linklike" onClick={() => onChange(setting, setting.initial)}>
              Reset
            </button>
          </div>
        )}
      </div>
    </div>
  );
}

function ImportExport({ groups, values, onImport }: { groups: Group[]; values: Values; onImport: (values: Values) => void }) {
  const read = async (file: File | undefined) => {
    if (!file) return;
    try {
      const text = await file.text();
      const read = Object.entries(flat(text.trimStart().startsWith("{") ? JSON.parse(text) : fromToml(text)));
      const known = new Map(groups.flatMap((group) => group.settings.map((setting) => [pathOf(setting), setting])));
      let imported: Values = {};
      for (const [path, value] of read) {
        const setting = known.get(path);
        if (setting) imported = withValue(imported, setting, value);
      }
      onImport(imported);
      const unknown = read.filter(([path]) => !known.has(path)).map(([path]) => path);
      toast(`Imported ${plural(read.length - unknown.length, "setting")}${unknown.length ? `; unknown: ${unknown.slice(0, 3).join(", ")}` : ""}`, unknown.length ? "circle-alert" : "check");
    } catch (error) {
      toast(`Could not read ${file.name}: ${(error as Error).message}`, "circle-alert");
    }
  };
  return (
    <Menu className="btn ghost" align="right" label={<><Icon name="file-code" small /> File</>}>
      {(close) => (
        <>
          <button type="button" className="item" onClick={() => { close(); void copy(toToml(values), "the settings as TOML"); }}>
            Copy as TOML
          </button>
          <button type="button" className="item" onClick={() => { close(); download("bluesnake.toml", toToml(values)); }}>
            Export as TOML, for --config
          </button>
          <label className="item">
            Import TOML or JSON…
            <input type="file" accept=".toml,.json,application/json" className="vh" onChange={(event) => { close(); void read(event.target.files?.[0]); }} />
          </label>
        </>
      )}
    </Menu>
  );
}

function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
