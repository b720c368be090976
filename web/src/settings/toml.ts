// Settings as TOML, the format of `--config` files: tables, strings, numbers, booleans, arrays and inline tables. Pure.
import { nested, type Values } from "./schema";

/** Settings as a TOML file that `--config` reads. */
export function toToml(values: Values): string {
  const text = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(text).join(", ")}]`;
    if (value && typeof value === "object") return `{ ${Object.entries(value).map(([key, one]) => `${JSON.stringify(key)} = ${text(one)}`).join(", ")} }`;
    return JSON.stringify(value);
  };
  return Object.entries(nested(values))
    .map(([group, settings]) => `[${group}]\n${Object.entries(settings).map(([key, value]) => `${key} = ${text(value)}\n`).join("")}`)
    .join("\n");
}

type Table = Record<string, unknown>;

/** The tables of a TOML file. Throws an `Error` that names the line. */
export function fromToml(text: string): Table {
  return new Reader(text).file();
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  file(): Table {
    const root: Table = {};
    let table = root;
    for (this.skip(); this.at < this.text.length; this.skip()) {
      if (this.take("[")) {
        table = inner(root, this.keys());
        if (!this.take("]")) this.fail("expected ]");
      } else this.pair(table);
      this.spaces();
      if (this.at < this.text.length && !/[\r\n#]/.test(this.text[this.at] ?? "")) this.fail("expected the end of the line");
    }
    return root;
  }

  private pair(table: Table): void {
    const keys = this.keys();
    if (!this.take("=")) this.fail("expected =");
    this.spaces();
    inner(table, keys.slice(0, -1))[keys.at(-1) ?? ""] = this.value();
  }

  private keys(): string[] {
    const keys: string[] = [];
    do {
      this.spaces();
      keys.push(/["']/.test(this.text[this.at] ?? "") ? this.string() : this.match(/[\w-]+/y, "expected a name"));
      this.spaces();
    } while (this.take("."));
    return keys;
  }

  private value(): unknown {
    const next = this.text[this.at] ?? "";
    if (next === '"' || next === "'") return this.string();
    if (this.take("[")) return this.list("]", () => this.value());
    if (this.take("{")) {
      const table: Table = {};
      this.list("}", () => this.pair(table));
      return table;
    }
    const word = this.match(/[\w+.-]+/y, "expected a value");
    if (word === "true" || word === "false") return word === "true";
    const number = Number(word.replace(/(?<=\d)_(?=\d)/g, ""));
    return Number.isNaN(number) ? this.fail(`unknown value ${word}`) : number;
  }

  private list<T>(end: string, item: () => T): T[] {
    const items: T[] = [];
    for (this.skip(); !this.take(end); this.skip()) {
      items.push(item());
      this.skip();
      if (!this.take(",") && this.text[this.at] !== end) this.fail(`expected , or ${end}`);
    }
    return items;
  }

  private string(): string {
    if (this.text[this.at] === "'") return this.match(/'[^'\n]*'/y, "unclosed string").slice(1, -1);
    const text = this.match(/"(?:[^"\\\n]|\\.)*"/y, "unclosed string");
    return JSON.parse(text.replace(/\\U([0-9a-fA-F]{8})/g, (_, code: string) => JSON.stringify(String.fromCodePoint(parseInt(code, 16))).slice(1, -1)).replace(/\t/g, "\\t")) as string;
  }

  private match(pattern: RegExp, otherwise: string): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) return this.fail(otherwise);
    this.at += found.length;
    return found;
  }

  private take(text: string): boolean {
    this.spaces();
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private spaces(): void {
    while (this.text[this.at] === " " || this.text[this.at] === "\t") this.at += 1;
  }

  /** Skips spaces, empty lines and comments. */
  private skip(): void {
    const pattern = /(?:\s|#.*)*/y;
    pattern.lastIndex = this.at;
    this.at += pattern.exec(this.text)?.[0].length ?? 0;
  }

  private fail(why: string): never {
    throw new Error(`line ${this.text.slice(0, this.at).split("\n").length}: ${why}`);
  }
}

function inner(table: Table, keys: readonly string[]): Table {
  let found = table;
  for (const key of keys) {
    if (!Object.hasOwn(found, key) || typeof found[key] !== "object") found[key] = {};
    found = found[key] as Table;
  }
  return found;
}
