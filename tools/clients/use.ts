// Uses the types that openapi-typescript made: lists runs and the pages of the newest one, reads its grid, its issues and
// what changed. Usage: node use.js SERVER
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };

const client = createClient<paths>({ baseUrl: process.argv[2] });

const { data: version, error } = await client.GET("/api/v1/version");
if (!version || version.name !== "bluesnake") throw new Error(JSON.stringify(error));

const { data: projects } = await client.GET("/api/v1/projects", { params: { query: { limit: 10 } } });
const project = projects?.items[0];
if (!project?.runId) throw new Error("there is no project");

const { data: pages } = await client.GET("/api/v1/runs/{id}/pages", {
  params: { path: { id: project.runId }, query: { type: "html" } },
});
const urls: string[] = (pages?.items ?? []).map((page: components["schemas"]["UrlView"]) => page.url);
if (!urls[0]?.startsWith(project.url)) throw new Error(urls.join(" "));
console.log(`TypeScript: ${urls.length} pages of ${project.domain}`);

const path = { id: project.runId };
/** The data of a response, which must be there. */
function must<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const runs = must(await client.GET("/api/v1/runs", { params: { query: { job: "crawl", state: "completed" } } }));
if (runs.items.length < 2) throw new Error(`there are ${runs.items.length} runs`);
must(await client.GET("/api/v1/captures"));

const query = { sort: "url", order: "desc", columns: "title,status", limit: 5 } as const;
const grid = must(await client.GET("/api/v1/runs/{id}/rows", { params: { path, query } }));
const row: components["schemas"]["RowView"] | undefined = grid.items[0];
if (!row?.url.startsWith(project.url) || row.depth !== undefined) throw new Error(JSON.stringify(row));
const arrays = must(
  await client.GET("/api/v1/runs/{id}/rows", { params: { path, query: { ...query, shape: "rows" } } }),
);
if (arrays.rows?.[0]?.[0] !== row.title) throw new Error(JSON.stringify(arrays));
const facets = must(await client.GET("/api/v1/runs/{id}/facets", { params: { path, query: { by: "type" } } }));
const histogram = must(await client.GET("/api/v1/runs/{id}/histogram", { params: { path, query: { of: "depth" } } }));
const counted = histogram.buckets.reduce((sum, bucket) => sum + bucket.count, histogram.missing);
if (counted !== facets.total) throw new Error(`${counted} of ${facets.total}`);
const tree = must(await client.GET("/api/v1/runs/{id}/tree", { params: { path } }));
if (tree.folders[0]?.path !== project.url) throw new Error(JSON.stringify(tree));

const one = { ...path, number: row.number };
const detail = must(await client.GET("/api/v1/runs/{id}/urls/{number}", { params: { path: one } }));
if (detail.row.url !== row.url) throw new Error(JSON.stringify(detail));
const inlinks = must(await client.GET("/api/v1/runs/{id}/urls/{number}/inlinks", { params: { path: one } }));
const outlinks = must(await client.GET("/api/v1/runs/{id}/urls/{number}/outlinks", { params: { path: one } }));

const issues = must(await client.GET("/api/v1/runs/{id}/issues", { params: { path } }));
const check = issues.checks.find((check) => check.findings > 0);
if (!check || issues.checks.length !== must(await client.GET("/api/v1/checks")).length) throw new Error("no issues");
const found = must(
  await client.GET("/api/v1/runs/{id}/issues/{check}", { params: { path: { ...path, check: check.id } } }),
);
if (found.total !== check.findings) throw new Error(JSON.stringify(found));
must(await client.POST("/api/v1/runs/{id}/audit", { params: { path }, body: { settings: {} } }));

const two = { a: runs.items[1].id, b: runs.items[0].id };
const comparison = must(await client.GET("/api/v1/runs/{a}/compare/{b}", { params: { path: two } }));
const changes = must(await client.GET("/api/v1/runs/{a}/compare/{b}/rows", { params: { path: two } }));
const report = must(
  await client.GET("/api/v1/runs/{id}/report", { params: { path, query: { download: true } }, parseAs: "text" }),
);
if (comparison.b.runId !== two.b || !report.startsWith("<!")) throw new Error(JSON.stringify(comparison));
console.log(
  `TypeScript: ${grid.total} rows, ${inlinks.total} links to the last and ${outlinks.total} from it, ` +
    `${found.total} × ${check.id}, ${changes.total} changes`,
);
