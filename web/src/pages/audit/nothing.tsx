// A run that reached no page says so first: its empty lists and passed checks mean nothing.
import type { Run } from "../../api/client";
import { Message } from "../../parts/basics";
import { Link } from "../../router";
import { plural, spoken } from "../../words";
import { useReceipt } from "./side";

const HINTS: [RegExp, string][] = [
  [/^dns/, "Check the spelling of the host."],
  [/^private_address/, "Start the server with --allow-private to crawl hosts of your own network."],
  [/^robots/, "robots.txt of the site does not allow it; see the setting politeness.robots."],
  [/^(tls|certificate)/, "The certificate of the host is not valid."],
  [/^(connect|refused|reset|timeout|.*timeout)/, "Check that the site is up, and that this machine can reach it."],
];

export function NothingFetched({ run }: { run: Run }) {
  const receipt = useReceipt(run.id, false).data;
  const classes = receipt?.classes ?? {};
  if (!receipt || receipt.seen === 0 || (classes["fetched"]?.count ?? 0) + (classes["redirected"]?.count ?? 0) + (classes["pending"]?.count ?? 0) > 0) return null;
  const reasons = Object.values(classes).flatMap((one) => Object.entries(one.reasons)).sort((a, b) => b[1] - a[1]);
  const [reason, urls] = reasons[0] ?? ["", 0];
  return (
    <Message kind="err" icon="circle-alert" action={<Link className="btn" to={`/r/${run.id}/receipt`}>Show the reasons</Link>}>
      <b>Nothing was fetched from {run.domain}.</b> {plural(urls, "URL")}: {spoken(reason).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}. {HINTS.find(([pattern]) => pattern.test(reason))?.[1] ?? ""}
    </Message>
  );
}
