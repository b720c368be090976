// Search for a project, a run or a command.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, ask } from "./api/client";
import { at } from "./base";
import { Icon } from "./parts/basics";
import { Dialog } from "./parts/floating";
import type { IconName } from "./parts/icons";
import { navigate, view } from "./router";
import { applyTheme, isDark } from "./theme";
import { JOBS, moment, runPath } from "./words";

interface Command {
  name: string;
  note: string;
  icon: IconName;
  run: () => void;
}

export function Commands({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [place, setPlace] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const projects = useQuery({ queryKey: ["projects"], queryFn: ({ signal }) => ask(api.GET("/api/v1/projects", { params: { query: { limit: 1000 } }, signal })) });
  const runs = useQuery({ queryKey: ["runs", "all"], queryFn: ({ signal }) => ask(api.GET("/api/v1/runs", { params: { query: { limit: 1000 } }, signal })) });
  const all: Command[] = [
    { name: "Start an audit", note: "", icon: "scan-search", run: () => navigate("/") },
    { name: "Start a capture", note: "", icon: "book-open-text", run: () => navigate(view("/", { job: "capture" })) },
    { name: "Start a weave", note: "", icon: "waypoints", run: () => navigate(view("/", { job: "weave" })) },
    { name: isDark() ? "Light theme" : "Dark theme", note: "", icon: isDark() ? "sun" : "moon", run: () => applyTheme(isDark() ? "light" : "dark") },
    { name: "Open the API reference", note: "", icon: "file-code", run: () => open(at("api/docs"), "_blank", "noopener") },
    ...(projects.data?.items ?? []).map((project): Command => ({ name: project.domain, note: "project", icon: "globe", run: () => navigate(`/p/${project.id}`) })),
    ...(runs.data?.items ?? []).map((run): Command => ({
      name: `Run ${run.id} of ${run.domain}`,
      note: `${JOBS[run.kind as keyof typeof JOBS]} · ${moment(run.createdAt)}`,
      icon: "list",
      run: () => navigate(runPath(run)),
    })),
  ];
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const typed = words.join(" ");
  const rank = (one: Command) => (one.name.toLowerCase().startsWith(typed) ? 0 : one.name.toLowerCase().includes(typed) ? 1 : 2);
  const found = all.filter((one) => words.every((word) => `${one.name} ${one.note}`.toLowerCase().includes(word))).sort((a, b) => rank(a) - rank(b)).slice(0, 50);
  const current = Math.min(place, found.length - 1);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const choose = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const keys = (event: React.KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setPlace(Math.max(0, Math.min(found.length - 1, current + step)));
    }
    if (event.key === "Enter") {
      event.preventDefault();
      choose(found[current]);
    }
  };
  return (
    <Dialog title="Search or run a command" onClose={onClose}>
      <div className="body commands" onKeyDown={keys}>
        <label className="search">
          <Icon name="search" small />
          <input data-first aria-label="Project, run or command" placeholder="Project, run or command" value={text} onChange={(event) => { setText(event.target.value); setPlace(0); }} />
        </label>
        <ul ref={list}>
          {found.map((command, index) => (
            <li key={command.name}>
              <button type="button" aria-current={index === current ? "true" : undefined} onClick={() => choose(command)}>
                <Icon name={command.icon} small />
                <span className="ell">{command.name}</span>
                <span className="t3">{command.note}</span>
              </button>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="t2">Nothing matches “{text}”.</p>}
      </div>
    </Dialog>
  );
}
