// The real binary, real local sites and a real browser. Nothing here waits a fixed time or uses a fixed port.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";
import { overlay } from "./overlay.mjs";

const target = process.env.BLUESNAKE_TARGET;
const FLAGS = ["--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--no-first-run"];

export class World {
  folder = mkdtempSync(join(tmpdir(), "bluesnake-web-"));
  processes = new Set();
  servers = [];

  /** Starts a program and waits for the address that it prints. */
  async run(program, ...args) {
    const child = spawn(join(target, program), args, { stdio: ["ignore", "pipe", "ignore"] });
    this.processes.add(child);
    let text = "";
    for await (const chunk of child.stdout) {
      text += chunk;
      const found = /https?:\/\/[\d.]+:(\d+)/.exec(text);
      if (!found) continue;
      child.stdout.resume();
      return { child, url: found[0], port: found[1] };
    }
    throw new Error(`${program} ${args.join(" ")} printed no address: ${text}`);
  }

  site(...args) {
    return this.run("testsite", "serve", ...args);
  }

  /** A site of these files. */
  files(name, files) {
    const folder = join(this.folder, name);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return this.run("testsite", "folder", folder);
  }

  /** A site that answers every path with `{ status, headers, body }`. */
  async answers(answer) {
    const url = await this.listen((incoming, outgoing) => {
      const { status = 200, headers, body } = answer(incoming.url);
      outgoing.writeHead(status, headers);
      outgoing.end(body);
    });
    return { url, port: new URL(url).port };
  }

  /** Starts the server on the shared database; again, on the same port, after it was stopped. */
  async serve() {
    const port = this.server?.port ?? "0";
    this.server = await this.run("bluesnake", "--db", join(this.folder, "web.db"), "serve", "--port", port, "--allow-private", "--rate-limit", "0");
    this.url ??= await this.uiOf(() => this.server.url);
  }

  /** Where the UI of a server is. */
  async uiOf(server) {
    return process.env.BLUESNAKE_WEB ? this.listen(overlay(server)) : server();
  }

  async stopServer(signal = "SIGKILL") {
    const { child } = this.server;
    child.kill(signal);
    await once(child, "exit");
    this.processes.delete(child);
  }

  async api(method, path, body) {
    const response = await fetch(`${this.server.url}/api/v1/${path}`, { method, headers: body ? { "content-type": "application/json" } : {}, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return text ? JSON.parse(text) : null;
  }

  /** Runs a job to its end and returns the run. */
  async done(path, body) {
    const started = await this.api("POST", path, { mode: "fresh", ...body, settings: { politeness: { rate: 0 }, ...body.settings } });
    const ended = await this.until(async () => {
      const run = await this.api("GET", `runs/${started.runId}`);
      return run.state === "in_progress" ? null : run;
    });
    return ended;
  }

  /** Asks again until the answer is true. */
  async until(ask) {
    for (;;) {
      const answer = await ask();
      if (answer) return answer;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** A proxy that serves the UI below a path, as a reverse proxy would. */
  async proxy(prefix) {
    return `${await this.listen((incoming, outgoing) => {
      const path = incoming.url.startsWith(prefix) ? incoming.url.slice(prefix.length) : "/nothing/here.txt";
      const { origin: _origin, ...headers } = incoming.headers;
      const upstream = request(`${this.url}${path}`, { method: incoming.method, headers: { ...headers, host: new URL(this.url).host } }, (answer) => {
        outgoing.writeHead(answer.statusCode, answer.headers);
        answer.pipe(outgoing);
        answer.on("close", () => outgoing.destroy());
      });
      upstream.on("error", () => outgoing.destroy());
      outgoing.on("close", () => upstream.destroy());
      incoming.pipe(upstream);
    })}${prefix}`;
  }

  async listen(listener) {
    const server = createServer(listener);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.servers.push(server);
    return `http://127.0.0.1:${server.address().port}`;
  }

  async open() {
    this.browser = await chromium.launch({ executablePath: process.env.BLUESNAKE_BROWSER, args: FLAGS });
  }

  /** A page in a context of its own. `alerts` must stay empty: an alert means that a script of a crawled page ran. */
  async page(options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce", ...options });
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    page.alerts = [];
    page.on("dialog", (dialog) => { page.alerts.push(dialog.message()); void dialog.dismiss(); });
    page.errors = [];
    page.on("pageerror", (error) => page.errors.push(String(error)));
    page.on("console", (message) => { if (/Content Security Policy/.test(message.text())) page.errors.push(message.text()); });
    return page;
  }

  async close() {
    await this.browser?.close();
    for (const server of this.servers) { server.closeAllConnections(); server.close(); }
    for (const child of this.processes) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}
