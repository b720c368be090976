// Uses the types that openapi-typescript made: lists runs and the pages of the newest one. Usage: node use.js SERVER
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
