// The receipt: every URL is in exactly one class, for one reason, and the classes add up.
import type { Run } from "../api/client";
import { useProgress } from "../api/live";
import { Icon, Skeleton } from "../parts/basics";
import { Stack } from "../parts/charts";
import { Link, view } from "../router";
import { count, percent, spoken } from "../words";
import { CLASSES, useReceipt } from "./audit/side";
import { RunBar, WithRun } from "./run";

export function Receipt({ run }: { run: number }) {
  return <WithRun id={run} part="Receipt">{(found) => <ReceiptOf run={found} />}</WithRun>;
}

const MEANS: Record<string, string> = {
  fetched: "The server responded, and the response was read.",
  redirected: "The server sent us to another URL.",
  failed: "No response, after all attempts.",
  refused: "Not requested, because a rule or a limit of the settings says so.",
  recorded: "Noted, but not to be fetched.",
  skipped: "Would have been fetched, but something ended the need for it.",
  pending: "Not fetched yet; resuming the run continues here.",
};

function ReceiptOf({ run }: { run: Run }) {
  const receipt = useReceipt(run.id, useProgress(run.id) !== undefined);
  const classes = CLASSES.map(([id, name, fill]) => ({ id, name, fill, count: receipt.data?.classes[id]?.count ?? 0, reasons: receipt.data?.classes[id]?.reasons ?? {} }));
  const seen = receipt.data?.seen ?? 0;
  return (
    <main className="app">
      <RunBar run={run} name={`Receipt of run ${run.id}`}>
        <Link className="btn" to={`/r/${run.id}`}><Icon name="list" small /> All URLs</Link>
      </RunBar>
      <div className="scroll">
        <div className="page">
          {!receipt.data ? <Skeleton rows={12} /> : (
            <>
              <p className="sum tn">
                {classes.filter((one) => one.count > 0).map((one, index) => <span key={one.id}>{index > 0 && " + "}{count(one.count)} {one.name.toLowerCase()}</span>)}
                {" = "}<b>{count(seen)} URLs seen</b>
                {" "}{receipt.data.addsUp && <span className="tag ok"><Icon name="check" small /> adds up</span>}
              </p>
              <Stack parts={classes} label={`${count(seen)} URLs by class`} />
              {classes.filter((one) => one.count > 0).map((one) => (
                <section key={one.id} className="card receipt">
                  <header>
                    <i className={one.fill} />
                    <h2><Link to={view(`/r/${run.id}`, { disposition: one.id })}>{one.name}</Link></h2>
                    <span className="grow t2">{MEANS[one.id]}</span>
                    <b className="tn">{count(one.count)}</b>
                    <span className="t3 tn share">{percent(one.count, seen)}</span>
                  </header>
                  <ul>
                    {Object.entries(one.reasons).sort((a, b) => b[1] - a[1]).map(([reason, urls]) => (
                      <li key={reason}>
                        <Link className="grow" to={view(`/r/${run.id}`, { reason: `${one.id}/${reason}` })}>{spoken(reason)}</Link>
                        <span className="tn">{count(urls)}</span>
                        <span className="t3 tn share">{percent(urls, seen)}</span>
                      </li>
                    ))}
                  </ul>
                </section>
              ))}
            </>
          )}
        </div>
      </div>
    </main>
  );
}
