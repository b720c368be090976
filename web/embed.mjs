// Compresses the built files and writes the table through which the server embeds them.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const folder = new URL("dist/assets/", import.meta.url);
const table = new URL("../crates/bluesnake-server/src/web/files.rs", import.meta.url);
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 } };

const names = readdirSync(folder).sort();
for (const name of names) {
  const content = readFileSync(new URL(name, folder));
  writeFileSync(new URL(`${name}.br`, folder), brotliCompressSync(content, options));
  rmSync(new URL(name, folder));
}

const rows = names.map((name) => `    ("${name}", include_bytes!("../../../../web/dist/assets/${name}.br")),\n`);
writeFileSync(
  table,
  `//! Every file of the web UI, compressed. Written by \`tools/web\`.\n\n/// The name of each file and its content.\n` +
    `pub(super) const FILES: &[(&str, &[u8])] = &[\n${rows.join("")}];\n`,
);
