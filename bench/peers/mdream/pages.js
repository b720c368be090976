// mdream on pages of documentation: node pages.js ROUNDS <LIST
// Without `origin`, which mdream would join to relative links as if all pages were at the root.
// Reads lines of JSON with `file` and `url`, writes a line with `markdown` for each, then one with `cpu_ms_per_page`.

import { readFileSync } from 'node:fs'
import { htmlToMarkdown } from 'mdream'

const rounds = Number(process.argv[2] ?? 1)
const list = readFileSync(0, 'utf8').trim().split('\n').map(line => JSON.parse(line))
const pages = list.map(({ file }) => ({ html: readFileSync(file, 'utf8') }))

let extracted = []
const start = process.cpuUsage()
for (let round = 0; round < rounds; round++) {
  extracted = pages.map(({ html }) => htmlToMarkdown(html, { minimal: true }))
}
const { user, system } = process.cpuUsage(start)
for (const markdown of extracted) console.log(JSON.stringify({ markdown }))
console.log(JSON.stringify({ cpu_ms_per_page: (user + system) / 1000 / rounds / pages.length }))
