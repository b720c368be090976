// The links to or from a URL, in pages.
import { useInfiniteQuery } from "@tanstack/react-query";
import { api, ask, type Run, type Schemas } from "../../api/client";
import { Empty, Skeleton, Status, Url } from "../../parts/basics";
import { Link, view } from "../../router";
import { count, within } from "../../words";

const STEP = 200;
type LinkRow = Schemas["LinkView"] & { links?: number };

export function Links({ run, number, kind }: { run: Run; number: number; kind: "inlinks" | "outlinks" }) {
  const links = useInfiniteQuery({
    queryKey: [kind, run.id, number],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { id: run.id, number }, query: { offset: pageParam, limit: STEP } };
      return kind === "inlinks"
        ? ask(api.GET("/api/v1/runs/{id}/urls/{number}/inlinks", { params, signal }))
        : ask(api.GET("/api/v1/runs/{id}/urls/{number}/outlinks", { params, signal }));
    },
    getNextPageParam: (last) => (last.offset + last.items.length < last.total ? last.offset + last.items.length : undefined),
  });
  if (!links.data) return links.error ? <Empty icon="circle-alert" title={links.error.message} /> : <Skeleton rows={5} />;
  const rows = links.data.pages.flatMap((page) => page.items as LinkRow[]);
  const total = links.data.pages[0]?.total ?? 0;
  if (total === 0) return <Empty icon="list" title={kind === "inlinks" ? "No page of this run links here" : "This document has no links"} />;
  const isIn = kind === "inlinks";
  return (
    <>
      <table className="g links">
        <thead>
          <tr>
            <th style={{ width: "34%" }}>{isIn ? "From" : "To"}</th>
            <th style={{ width: 86 }}>{isIn ? "Kind" : "Status"}</th>
            <th>Anchor text</th>
            <th style={{ width: 90 }}>Position</th>
            <th>Path</th>
            <th style={{ width: 64 }}>Follow</th>
            {isIn && <th style={{ width: 60 }} className="num">Links</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((link, index) => {
            const [url, to] = isIn ? [link.sourceUrl, link.sourceNumber] : [link.targetUrl, link.targetNumber];
            return (
              <tr key={index}>
                <td><Link to={view(`/r/${run.id}`, { n: to, pane: "details", search: url })}><Url text={within(url, run.domain)} full={url} /></Link></td>
                <td>{isIn ? <span className="t3">{link.type}</span> : <Status status={link.status} />}</td>
                <td title={link.context}>{link.text || <span className="t3">{link.type}</span>}</td>
                <td className="t2">{link.position}</td>
                <td className="mono t2" title={link.domPath}>{link.domPath}</td>
                <td>{link.follow ? "Yes" : "No"}</td>
                {isIn && <td className="num">{count(link.links ?? 1)}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
      {links.hasNextPage && (
        <button type="button" className="btn more" onClick={() => void links.fetchNextPage()}>
          Show more ({count(total - rows.length)} left)
        </button>
      )}
    </>
  );
}
