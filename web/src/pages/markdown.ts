// Captured Markdown as safe HTML. Crawled text is hostile: HTML in it stays text, what is rendered is sanitised, and
// remote images become links, because loading them would tell the site who reads it.
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";

const parser = new MarkdownIt({ html: false, linkify: false });

parser.renderer.rules["image"] = (tokens, index) => {
  const token = tokens[index];
  const source = String(token?.attrGet("src") ?? "");
  const text = String(token?.content || source);
  return `<a class="image" href="${parser.utils.escapeHtml(source)}">Image: ${parser.utils.escapeHtml(text)}</a>`;
};

const ALLOWED = {
  ALLOWED_TAGS: ["a", "blockquote", "br", "code", "dd", "del", "div", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "span", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul"],
  ALLOWED_ATTR: ["href", "class", "start", "target", "rel"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
};

export function rendered(markdown: string): string {
  const clean = DOMPurify.sanitize(parser.render(markdown), { ...ALLOWED, RETURN_DOM_FRAGMENT: true });
  for (const link of clean.querySelectorAll("a[href]")) {
    link.setAttribute("target", "_blank");
    link.setAttribute("rel", "noopener noreferrer nofollow");
  }
  const holder = document.createElement("div");
  holder.append(clean);
  return holder.innerHTML;
}

/** The headings of a document. */
export function outlineOf(markdown: string): { level: number; text: string }[] {
  const tokens = parser.parse(markdown, {});
  return tokens.flatMap((token, index) => {
    if (token.type !== "heading_open") return [];
    const inline = tokens[index + 1]?.children ?? [];
    return [{ level: Number(token.tag.slice(1)), text: inline.map((one) => one.content).join("").trim() }];
  });
}

/** The words without marks. */
export function plainText(markdown: string): string {
  const lines: string[] = [];
  for (const token of parser.parse(markdown, {})) {
    if (token.type === "inline") lines.push((token.children ?? []).map((one) => (one.type.endsWith("break") ? "\n" : one.content)).join(""));
    if (token.type === "fence" || token.type === "code_block") lines.push(token.content.trimEnd());
  }
  return lines.join("\n\n");
}
