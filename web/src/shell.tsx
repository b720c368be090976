// The frame of every page: the top bar with where we are, what runs, and the way to everything else.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { api, ask } from "./api/client";
import { useLive } from "./api/live";
import { Commands } from "./commands";
import { useKeys } from "./keys";
import { Favicon, Icon, Message } from "./parts/basics";
import { Menu } from "./parts/floating";
import { Link, navigate } from "./router";
import { applyTheme, isDark } from "./theme";
import { duration, JOBS, moment, runPath } from "./words";

export function Logo() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d="M17.5 5.5H10a3.75 3.75 0 0 0 0 7.5h4a3 3 0 0 1 0 6H5" fill="none" stroke="var(--accent)" strokeWidth="3.4" strokeLinecap="round" />
      <circle cx="18" cy="5.5" r="2.9" fill="var(--accent)" />
      <circle cx="18.9" cy="4.9" r=".9" fill="var(--surface)" />
    </svg>
  );
}

interface Place {
  project?: { id: number; domain: string };
  run?: { id: number; kind: string };
  /** The last part, if it is not the run itself. */
  part?: string;
}

export function Frame({ title, place = {}, children }: { title: string; place?: Place; children: ReactNode }) {
  const live = useLive();
  const [isFinding, setFinding] = useState(false);
  useEffect(() => {
    document.title = title === "bluesnake" ? title : `${title} · bluesnake`;
  }, [title]);
  useKeys([
    { keys: "Ctrl k", does: "Search or run a command", run: () => setFinding(true) },
    { keys: "g h", does: "Home", run: () => navigate("/") },
    ...(place.project ? [{ keys: "g p", does: "Project", run: () => navigate(`/p/${place.project?.id}`) }] : []),
  ]);
  return (
    <div className="app">
      <header className="top">
        <Link className="logo" to="/" aria-label="bluesnake, home">
          <Logo />
          <span>bluesnake</span>
        </Link>
        <nav className="crumb" aria-label="Where you are">
          {place.project && (
            <>
              <span className="sep" aria-hidden="true">/</span>
              <ProjectMenu project={place.project} />
            </>
          )}
          {place.project && place.run && (
            <>
              <span className="sep" aria-hidden="true">/</span>
              <RunMenu project={place.project.id} run={place.run} />
            </>
          )}
          {place.part && (
            <>
              <span className="sep hide-s" aria-hidden="true">/</span>
              <span className="btn ghost hide-s" aria-current="page">{place.part}</span>
            </>
          )}
        </nav>
        <span className="grow" />
        <button type="button" className="find" onClick={() => setFinding(true)} aria-label="Search or run a command">
          <Icon name="search" small />
          <span>Search or run a command</span>
          <kbd>Ctrl K</kbd>
        </button>
        {live.active.length > 0 && (
          <Link className="btn ghost" to="/">
            <span className="live" /> {live.active.length}<span className="hide-s">running</span>
          </Link>
        )}
        <ThemeButton />
        <button type="button" className="btn ghost icon hide-s" aria-label="All keys" title="All keys (?)" onClick={() => dispatchEvent(new KeyboardEvent("keydown", { key: "?" }))}>
          <Icon name="circle-question-mark" />
        </button>
      </header>
      {live.lostAt !== null && <Lost since={live.lostAt} />}
      {children}
      {isFinding && <Commands onClose={() => setFinding(false)} />}
    </div>
  );
}

/** The data stays on screen, dated; the page tries again by itself. */
function Lost({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Message kind="warn" icon="unplug">
      <b>Connection to the server lost.</b> The page shows what was known {duration(Math.max(0, now - since))} ago, and keeps trying.
    </Message>
  );
}

function ThemeButton() {
  const [dark, setDark] = useState(isDark());
  useEffect(() => {
    const media = matchMedia("(prefers-color-scheme: dark)");
    const update = () => setDark(isDark());
    media.addEventListener("change", update);
    return () => media.removeEventListener("change", update);
  }, []);
  const name = dark ? "Light theme" : "Dark theme";
  return (
    <button
      type="button"
      className="btn ghost icon"
      aria-label={name}
      title={name}
      onClick={() => {
        applyTheme(dark ? "light" : "dark");
        setDark(!dark);
      }}
    >
      <Icon name={dark ? "sun" : "moon"} />
    </button>
  );
}

function ProjectMenu({ project }: { project: { id: number; domain: string } }) {
  return (
    <Link className="btn ghost" to={`/p/${project.id}`}>
      <Favicon project={project.id} host={project.domain} />
      <span className="ell">{project.domain}</span>
    </Link>
  );
}

function RunMenu({ project, run }: { project: number; run: { id: number; kind: string } }) {
  const name = run.kind === "crawl" ? `Run ${run.id}` : `${JOBS[run.kind as keyof typeof JOBS]}, run ${run.id}`;
  return (
    <Menu
      className="btn ghost"
      label={
        <>
          <span className="ell">{name}</span>
          <Icon name="chevrons-up-down" small />
        </>
      }
    >
      {(close) => <RunList project={project} current={run.id} close={close} />}
    </Menu>
  );
}

function RunList({ project, current, close }: { project: number; current: number; close: () => void }) {
  const runs = useQuery({
    queryKey: ["runs", project],
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs", { params: { query: { projectID: project, limit: 50 } }, signal })),
  });
  return (
    <>
      <h3>Runs of this project</h3>
      {runs.data?.items.map((one) => (
        <Link key={one.id} to={runPath(one)} onClick={close} aria-current={one.id === current ? "true" : undefined}>
          Run {one.id} · {JOBS[one.kind as keyof typeof JOBS]}
          <span className="n">{moment(one.createdAt)}</span>
        </Link>
      ))}
      <hr />
      <Link to={`/p/${project}`} onClick={close}>
        All runs and sessions
      </Link>
    </>
  );
}
