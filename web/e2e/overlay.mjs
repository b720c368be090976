// Serves the UI as it is in web/dist in front of a server whose binary embeds an older one. Headers, and with them the
// content policy, are those of the server. Only for working on the UI: set BLUESNAKE_WEB=1.
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";

const dist = new URL("../dist/", import.meta.url);

/** A listener that answers views and files itself and passes everything else on. */
export function overlay(upstream) {
  return (incoming, outgoing) => {
    const path = new URL(incoming.url, "http://any").pathname;
    const isOurs = !/^\/(api|metrics|mcp)(\/|$)/.test(path);
    const { origin: _origin, ...headers } = incoming.headers;
    const passed = request(`${upstream()}${isOurs ? "/" : incoming.url}`, { method: incoming.method, headers: { ...headers, host: new URL(upstream()).host } }, (answer) => {
      if (!isOurs) {
        outgoing.writeHead(answer.statusCode, answer.headers);
        answer.pipe(outgoing);
        answer.on("close", () => outgoing.destroy());
        return;
      }
      answer.resume();
      const { "content-length": _length, "content-encoding": _encoding, etag: _etag, "transfer-encoding": _chunks, ...kept } = answer.headers;
      const [status, more, body] = fileAt(path);
      outgoing.writeHead(status, { ...kept, ...more });
      outgoing.end(body);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  };
}

const TYPES = { js: "text/javascript", css: "text/css", svg: "image/svg+xml", txt: "text/plain" };

function fileAt(path) {
  const name = /^\/assets\/([\w.-]+)$/.exec(path)?.[1];
  if (!name) {
    const up = "../".repeat(path.split("/").length - 2);
    return [200, { "content-type": "text/html; charset=utf-8" }, readFileSync(new URL("index.html", dist), "utf8").replaceAll('"./', `"./${up}`)];
  }
  const file = new URL(`assets/${name}.br`, dist);
  if (!existsSync(file)) return [404, {}, ""];
  return [200, { "content-type": TYPES[name.split(".").pop()] ?? "application/octet-stream", "content-encoding": "br" }, readFileSync(file)];
}
