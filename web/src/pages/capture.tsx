// A capture: search over sections, a reader, and downloads.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { api, ask, type Run, type Schemas } from "../api/client";
import { useProgress } from "../api/live";
import { at } from "../base";
import { useKeys } from "../keys";
import { Empty, Icon, Outside, Skeleton, Tabs } from "../parts/basics";
import { Menu } from "../parts/floating";
import type { IconName } from "../parts/icons";
import { copy } from "../parts/toast";
import { useQueryState, view } from "../router";
import { count, moment, percent, plural, spoken } from "../words";
import { pauseRun, resumeRun, startRun } from "./actions";
import { outlineOf, plainText, rendered } from "./markdown";
import { RunBar, WithRun } from "./run";

type CapturedPage = Schemas["CapturedPage"];

export default function Capture({ run }: { run: number }) {
  return <WithRun id={run}>{(found) => <CaptureOf run={found} />}</WithRun>;
}

const FILES: [string, string, IconName][] = [
  ["markdown_zip", "Folder of Markdown (zip)", "file-archive"],
  ["markdown", "One Markdown file", "file-text"],
  ["text_zip", "Folder of plain text (zip)", "file-archive"],
  ["markdown_jsonl", "Pages as JSON lines", "file-json"],
  ["chunks", "Chunks for search and RAG (JSON lines)", "file-json"],
];

function CaptureOf({ run }: { run: Run }) {
  const progress = useProgress(run.id);
  const isLive = progress !== undefined;
  const [query, setQuery] = useQueryState();
  const capture = useQuery({
    queryKey: ["capture", run.id],
    refetchInterval: isLive ? 2_000 : false,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/captures/{id}", { params: { path: { id: run.id } }, signal })),
  });
  const pages = useInfiniteQuery({
    queryKey: ["captured", run.id],
    initialPageParam: undefined as string | undefined,
    refetchInterval: isLive ? 3_000 : false,
    queryFn: ({ pageParam, signal }) => ask(api.GET("/api/v1/captures/{id}/pages", { params: { path: { id: run.id }, query: { limit: 200, cursor: pageParam } }, signal })),
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });
  const list = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const url = query.get("url") ?? list[0]?.url;
  const data = capture.data;
  const page = useQuery({
    queryKey: ["captured page", run.id, url],
    enabled: url !== undefined,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/captures/{id}/page", { params: { path: { id: run.id }, query: { url: url ?? "" } }, signal })),
  });
  const figures = data && (
    <>
      <b>{count(data.pagesProcessed)}</b> pages · <b>{count(data.words)}</b> words · <b>{count(data.tokensO200k)}</b> tokens (o200k){data.duplicates > 0 && ` · ${plural(data.duplicates, "duplicate URL")} folded`}
    </>
  );
  return (
    <main className="app">
      <RunBar run={run} name="Capture" figures={figures || undefined}>
        {page.data && <button type="button" className="btn hide-s" onClick={() => void copy(page.data.markdown, "the page as Markdown")}><Icon name="copy" small /> Copy page as Markdown</button>}
        {isLive ? (
          <button type="button" className="btn" onClick={() => void pauseRun(run.id)}><Icon name="pause" small /> Pause</button>
        ) : run.state === "paused" ? (
          <button type="button" className="btn" onClick={() => void resumeRun(run)}><Icon name="play" small /> Resume</button>
        ) : (
          <button type="button" className="btn hide-s" onClick={() => void startRun(run, "fresh")}><Icon name="rotate-cw" small /> Capture again</button>
        )}
        <Menu className="btn primary" align="right" label={<><Icon name="download" small /> Download</>}>
          {(close) => <>{FILES.map(([format, name]) => <a key={format} href={at(view(`api/v1/runs/${run.id}/export`, { format }))} download onClick={close}>{name}</a>)}</>}
        </Menu>
      </RunBar>
      <div className={query.has("url") ? "reader open" : "reader"}>
        <PageList run={run} list={list} current={url} text={query.get("q") ?? ""} onSearch={(q) => setQuery({ q })} onChoose={(next, heading) => setQuery({ url: next, at: heading ?? null }, "push")} more={pages.hasNextPage ? () => void pages.fetchNextPage() : null} total={data?.pagesProcessed ?? list.length} isLoading={pages.isPending} />
        {page.data ? (
          <Reader page={page.data} shown={query.get("view") ?? "rendered"} onShow={(shown) => setQuery({ view: shown === "rendered" ? null : shown })} heading={query.get("at")} pages={list} onOpen={(next) => setQuery({ url: next, at: null }, "push")} onList={() => setQuery({ url: null, at: null }, "push")} run={run} />
        ) : page.error ? (
          <div className="scroll"><Empty icon="circle-alert" title={page.error.message} /></div>
        ) : isLive || pages.isPending || page.isLoading ? (
          <Skeleton rows={12} />
        ) : (
          <div className="scroll"><Empty icon="file-text" title="No page was captured"><p>{data && data.errors.length > 0 ? `${plural(data.errors.length, "error")}; see below.` : "Nothing below the given path looked like a page."}</p></Empty></div>
        )}
      </div>
      {data && data.errors.length > 0 && <Errors errors={data.errors} />}
    </main>
  );
}

function Errors({ errors }: { errors: readonly Schemas["CaptureError"][] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="captureerrors">
      <button type="button" className="btn ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}><Icon name={isOpen ? "chevron-down" : "chevron-up"} small /> {plural(errors.length, "page")} could not be captured</button>
      {isOpen && (
        <table className="g"><thead><tr><th>URL</th><th style={{ width: "40%" }}>Error</th></tr></thead><tbody>
          {errors.slice(0, 500).map((error) => <tr key={error.url}><td title={error.url}>{error.url}</td><td title={error.error}>{error.error}</td></tr>)}
        </tbody></table>
      )}
    </section>
  );
}

interface ListProps {
  run: Run;
  list: readonly Schemas["DocumentView"][];
  total: number;
  current: string | undefined;
  text: string;
  onSearch: (text: string) => void;
  onChoose: (url: string, heading?: string) => void;
  more: (() => void) | null;
  isLoading: boolean;
}

function PageList({ run, list, total, current, text, onSearch, onChoose, more, isLoading }: ListProps) {
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useKeys([{ keys: "/", does: "Search the text", run: () => document.getElementById("text-search")?.focus() }]);
  const found = useQuery({
    queryKey: ["sections", run.id, text],
    enabled: text.trim().length > 0,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/captures/search", { params: { query: { q: text, runId: run.id, limit: 50 } }, signal })),
  });
  // A hit names its section after a #.
  const hits = (found.data ?? []).map((hit) => ({ ...hit, url: hit.url.split("#")[0] ?? hit.url }));
  const type = (next: string) => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSearch(next), 250);
  };
  const tokens = new Map(list.map((page) => [page.url, page.tokensO200k]));
  return (
    <nav className="pagelist" aria-label="Pages">
      <div className="pagesearch">
        <label className="search">
          <Icon name="search" small />
          <input id="text-search" type="search" aria-label="Search the text" placeholder="Search the text" value={typed} onChange={(event) => type(event.target.value)} />
          {typed && <button type="button" className="btn ghost icon" aria-label="Clear the search" onClick={() => type("")}><Icon name="x" small /></button>}
        </label>
      </div>
      <p className="listhead"><span>{text ? `${plural(hits.length, "section")} on ${plural(new Set(hits.map((hit) => hit.url)).size, "page")}` : plural(total, "page")}</span><span>tokens</span></p>
      <ul>
        {text
          ? hits.map((hit, index) => (
              <li key={index}>
                <button type="button" aria-current={hit.url === current ? "true" : undefined} onClick={() => onChoose(hit.url, hit.heading)}>
                  <span className="row"><b className="grow ell">{hit.heading || hit.title || hit.url}</b><span className="t3 tn">{tokens.has(hit.url) ? count(tokens.get(hit.url) ?? 0) : ""}</span></span>
                  <span className="t3 ell">{hit.title ?? hit.url}</span>
                  <Snippet text={hit.snippet} matches={hit.matches} />
                </button>
              </li>
            ))
          : list.map((page) => (
              <li key={page.number}>
                <button type="button" aria-current={page.url === current ? "true" : undefined} onClick={() => onChoose(page.url)}>
                  <span className="row"><b className="grow ell">{page.title ?? page.url}</b><span className="t3 tn">{count(page.tokensO200k)}</span></span>
                  <span className="t3 ell" title={page.url}>{page.url.replace(/^https?:\/\/[^/]+/, "")}</span>
                </button>
              </li>
            ))}
      </ul>
      {isLoading && <Skeleton rows={10} />}
      {text && found.data && hits.length === 0 && <Empty icon="search" title="No section matches"><p>No section of this capture contains “{text}”.</p></Empty>}
      {!text && more && <More key={list.length} left={total - list.length} onMore={more} />}
    </nav>
  );
}

/** Asks for more when it comes into view. */
function More({ left, onMore }: { left: number; onMore: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && onMore(), { rootMargin: "400px" });
    if (button.current) observer.observe(button.current);
    return () => observer.disconnect();
  }, []);
  return <button ref={button} type="button" className="btn more" onClick={onMore}>Show more ({count(left)} left)</button>;
}

function Snippet({ text, matches }: { text: string; matches: readonly (readonly number[])[] }) {
  const parts: React.ReactNode[] = [];
  const letters = [...text];
  let from = 0;
  for (const [start = 0, end = 0] of matches) {
    parts.push(letters.slice(from, start).join(""), <mark key={start}>{letters.slice(start, end).join("")}</mark>);
    from = end;
  }
  parts.push(letters.slice(from).join(""));
  return <span className="snippet">{parts}</span>;
}

const VIEWS = [{ id: "rendered", name: "Rendered" }, { id: "markdown", name: "Markdown" }, { id: "text", name: "Text" }];

function Reader({ page, shown, onShow, heading, pages, onOpen, onList, run }: { page: CapturedPage; onList: () => void; shown: string; onShow: (shown: string) => void; heading: string | null; pages: readonly Schemas["DocumentView"][]; onOpen: (url: string) => void; run: Run }) {
  const body = useRef<HTMLDivElement>(null);
  const outline = useMemo(() => outlineOf(page.markdown), [page.markdown]);
  const html = useMemo(() => rendered(page.markdown), [page.markdown]);
  useEffect(() => {
    const target = heading ? [...(body.current?.querySelectorAll("h1, h2, h3, h4, h5, h6") ?? [])].find((one) => heading.includes(one.textContent ?? "\0")) : null;
    if (target) target.scrollIntoView({ block: "start" });
    else body.current?.closest(".reading")?.scrollTo(0, 0);
  }, [html, heading]);
  const follow = (event: React.MouseEvent) => {
    const link = (event.target as Element).closest("a");
    const known = link && pages.find((one) => one.url === link.href.split("#")[0]);
    if (!known || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    onOpen(known.url);
  };
  const show = (text: string) => {
    if (shown !== "rendered") onShow("rendered");
    [...(body.current?.querySelectorAll("h1, h2, h3, h4, h5, h6") ?? [])].find((one) => one.textContent === text)?.scrollIntoView({ block: "start" });
  };
  return (
    <>
      <div className="readcol">
        <div className="readbar">
          <button type="button" className="btn onlyphone" onClick={onList}><Icon name="list" small /> Pages</button>
          <Tabs style="seg" tabs={VIEWS} current={shown} onChoose={onShow} label="View" />
          <span className="grow" />
          <Outside url={page.url}>{page.url.replace(/^https?:\/\//, "")}</Outside>
        </div>
        <div className="reading" tabIndex={0} role="region" aria-label={page.title ?? page.url}>
          {/* The Markdown is rendered without HTML and then sanitised. */}
          {shown === "rendered" && <div ref={body} className="markdown" onClick={follow} dangerouslySetInnerHTML={{ __html: html }} />}
          {shown === "markdown" && <pre className="source">{page.markdown}</pre>}
          {shown === "text" && <pre className="source text">{plainText(page.markdown)}</pre>}
        </div>
      </div>
      <aside className="side pageside" aria-label="About the page">
        <section className="sec">
          <header><h2>On this page</h2><span className="t3 tn">{plural(page.tokensO200k, "token")}</span></header>
          <ul className="toc">{outline.map((one, index) => <li key={index} style={{ paddingLeft: (one.level - 1) * 12 }}><button type="button" className="linklike plain ell" onClick={() => show(one.text)}>{one.text}</button></li>)}</ul>
          {outline.length === 0 && <p className="t3 small">No headings</p>}
        </section>
        <section className="sec">
          <header><h2>Page</h2></header>
          <dl className="kv">
            <dt>Fetched</dt><dd>{moment(page.crawledAt)}</dd>
            <dt>Words</dt><dd>{count(page.words)}</dd>
            <dt>Tokens</dt><dd>{count(page.tokensO200k)} o200k, {count(page.tokensCl100k)} cl100k</dd>
            <dt>Read from</dt><dd>{page.source}{page.framework ? `, ${page.framework}` : ""}</dd>
            <dt>Confidence</dt><dd>{percent(page.confidence, 1)}</dd>
            <dt>Language</dt><dd>{page.language ?? "–"}</dd>
            <dt>Also at</dt><dd>{page.alternateUrls.length ? page.alternateUrls.map((one) => <Outside key={one} url={one} />) : "–"}</dd>
            <dt>Removed</dt><dd>{removed(page)}</dd>
          </dl>
        </section>
        <section className="sec">
          <header><h2>Downloads</h2></header>
          <ul className="downloads">
            {FILES.map(([format, name, icon]) => <li key={format}><Icon name={icon} /> <a href={at(view(`api/v1/runs/${run.id}/export`, { format }))} download>{name}</a></li>)}
          </ul>
        </section>
      </aside>
    </>
  );
}

function removed(page: CapturedPage): string {
  const reasons = new Set(page.removed.map((one) => String((one as { reason?: unknown }).reason ?? "")));
  return page.removed.length === 0 ? "–" : `${plural(page.removed.length, "part")} (${[...reasons].map((one) => spoken(one).toLowerCase()).join(", ")})`;
}
