// The folders of a site as a tree that opens level by level.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Run, type Schemas } from "../../api/client";
import { Icon, Skeleton } from "../../parts/basics";
import { count } from "../../words";
import type { FilterTexts } from "./filters";

type OnFilter = (filters: FilterTexts, tab?: string) => void;

function useFolders(run: number, prefix: string | undefined) {
  return useQuery({
    queryKey: ["tree", run, prefix],
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{id}/tree", { params: { path: { id: run }, query: { prefix } }, signal })),
  });
}

export function Structure({ run, onFilter }: { run: Run; onFilter: OnFilter }) {
  const roots = useFolders(run.id, undefined);
  if (!roots.data) return <Skeleton rows={8} />;
  const folders = roots.data.folders.toSorted((a, b) => b.urls - a.urls);
  return (
    <section className="sec">
      <header>
        <h2>Site structure</h2>
      </header>
      <div className="folder t3" aria-hidden="true"><span /><span>Folder</span><span className="num">URLs</span><span className="num">Errors</span></div>
      <ul className="tree">
        {folders.map((folder, index) => (
          <Folder key={folder.path} run={run.id} folder={folder} level={0} isFirst={index === 0} onFilter={onFilter} />
        ))}
      </ul>
    </section>
  );
}

function Folder({ run, folder, level, isFirst, onFilter }: { run: number; folder: Schemas["FolderView"]; level: number; isFirst: boolean; onFilter: OnFilter }) {
  const [isOpen, setOpen] = useState(isFirst && level === 0);
  const hasMore = folder.folders > 0;
  return (
    <li>
      <div className="folder" style={{ paddingLeft: level * 14 }}>
        <button type="button" className="btn ghost icon" disabled={!hasMore} aria-expanded={hasMore ? isOpen : undefined} aria-label={`${isOpen ? "Close" : "Open"} ${folder.name}`} onClick={() => setOpen(!isOpen)}>
          {hasMore && <Icon name={isOpen ? "chevron-down" : "chevron-right"} small />}
        </button>
        <button type="button" className="linklike plain ell" title={folder.path} onClick={() => onFilter({ prefix: folder.path }, "all")}>{folder.name.replace(/^https:\/\//, "")}</button>
        <span className="num">{count(folder.urls)}</span>
        <span className={folder.errors ? "num up" : "num t3"}>{count(folder.errors)}</span>
      </div>
      {isOpen && <Children run={run} prefix={folder.path} level={level + 1} onFilter={onFilter} />}
    </li>
  );
}

function Children({ run, prefix, level, onFilter }: { run: number; prefix: string; level: number; onFilter: OnFilter }) {
  const folders = useFolders(run, prefix);
  if (!folders.data) return null;
  return (
    <ul>
      {folders.data.folders.slice(0, 200).map((folder) => (
        <Folder key={folder.path} run={run} folder={folder} level={level} isFirst={false} onFilter={onFilter} />
      ))}
      {folders.data.folders.length > 200 && <li className="t3 small">{count(folders.data.folders.length - 200)} more folders</li>}
    </ul>
  );
}
