// The report of a run: one HTML file, to read here or to send.
import { useQuery } from "@tanstack/react-query";
import { api, ask, type Run } from "../api/client";
import { at } from "../base";
import { Icon } from "../parts/basics";
import { Link, view } from "../router";
import { moment, plural, spoken } from "../words";
import { RunBar, WithRun } from "./run";

export function Report({ run }: { run: number }) {
  return <WithRun id={run} part="Report">{(found) => <ReportOf run={found} />}</WithRun>;
}

const FORMATS = { csv: "CSV", xlsx: "Excel", jsonl: "JSON lines", parquet: "Parquet" };

function ReportOf({ run }: { run: Run }) {
  const previous = useQuery({
    queryKey: ["previous", run.id],
    retry: false,
    queryFn: ({ signal }) => ask(api.GET("/api/v1/runs/{id}/previous", { params: { path: { id: run.id } }, signal })),
  });
  const url = (params: Record<string, number>) => at(view(`api/v1/runs/${run.id}/report`, params));
  const before = previous.data;
  return (
    <main className="app">
      <RunBar run={run} name={`Report of run ${run.id}`}>
        <Link className="btn" to={`/r/${run.id}`}><Icon name="list" small /> All URLs</Link>
      </RunBar>
      <div className="scroll">
        <div className="page">
          <div className="three reports">
            <section className="card">
              <div className="txt">
                <h2><Icon name="file-text" /> This run</h2>
                <p>What was crawled, what is wrong, where it is and how to fix it: {plural(run.urlsSeen, "URL")} of {run.domain}, {moment(run.createdAt)}. One HTML file without scripts that loads nothing.</p>
                <div className="row actions">
                  <a className="btn primary" href={url({})} target="_blank" rel="noopener"><Icon name="external-link" small /> Open report</a>
                  <a className="btn" href={url({ download: 1 })} download><Icon name="download" small /> Download report</a>
                </div>
              </div>
            </section>
            {before && (
              <section className="card">
                <div className="txt">
                  <h2><Icon name="git-compare" /> With changes since run {before.id}</h2>
                  <p>The same, and what appeared, disappeared, broke and was fixed since {moment(before.createdAt)}.</p>
                  <div className="row actions">
                    <a className="btn" href={url({ against: before.id })} target="_blank" rel="noopener"><Icon name="external-link" small /> Open with changes</a>
                    <a className="btn" href={url({ against: before.id, download: 1 })} download><Icon name="download" small /> Download with changes</a>
                  </div>
                </div>
              </section>
            )}
            <section className="card">
              <div className="txt">
                <h2><Icon name="package" /> Tables</h2>
                <p>The data itself, for a spreadsheet or another program.</p>
                <ul className="downloads">
                  {(["pages", "urls", "links", "issues", "receipt"] as const).map((table) => (
                    <li key={table}>
                      <span className="grow">{table === "urls" ? "URLs" : spoken(table)}</span>
                      {(["csv", "xlsx", "jsonl", "parquet"] as const).map((format) => (
                        <a key={format} href={at(view(`api/v1/runs/${run.id}/export`, { table, format }))} download>{FORMATS[format]}</a>
                      ))}
                    </li>
                  ))}
                </ul>
              </div>
            </section>
          </div>
        </div>
      </div>
    </main>
  );
}
