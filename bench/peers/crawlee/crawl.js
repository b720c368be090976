// The smallest Crawlee program that does the same work: every link and resource of the site, each once.
// Titles and links go to a file of JSON lines; the queue stays in memory, which is the fastest that Crawlee offers.
// Arguments: the URL to start at, the file to write, the seconds after which it stops, and the requests at once.

import { createWriteStream } from "node:fs";
import { CheerioCrawler, Configuration, log } from "@crawlee/cheerio";

const [url, file, patience, parallelism] = process.argv.slice(2);
const written = createWriteStream(file);
// Redirects lead to some pages twice.
const pages = new Set();
let visits = 0;

log.setLevel(log.LEVELS.ERROR);
const crawler = new CheerioCrawler(
  {
    minConcurrency: Number(parallelism),
    maxConcurrency: Number(parallelism),
    maxRequestRetries: 0,
    useSessionPool: false,
    persistCookiesPerSession: false,
    respectRobotsTxtFile: false,
    additionalMimeTypes: ["text/css", "text/javascript", "image/png"],
    async requestHandler({ $, request, response, contentType, enqueueLinks }) {
      visits += 1;
      if (contentType.type !== "text/html" || response.statusCode !== 200 || pages.has(request.loadedUrl)) return;
      pages.add(request.loadedUrl);
      const elements = $("a[href], area[href], link[href], script[src], img[src]").get();
      const links = elements.flatMap(({ attribs }) => resolved(attribs.href ?? attribs.src, request.loadedUrl));
      written.write(`${JSON.stringify({ url: request.loadedUrl, title: $("title").text(), links })}\n`);
      await enqueueLinks({ urls: links, strategy: "same-origin" });
    },
    failedRequestHandler() {
      visits += 1;
    },
  },
  new Configuration({ persistStorage: false, purgeOnStart: true, availableMemoryRatio: 0.75 }),
);

function resolved(reference, base) {
  return URL.canParse(reference, base) ? [new URL(reference, base).href] : [];
}

setTimeout(() => crawler.stop(), Number(patience) * 1000).unref();
await crawler.run([url]);
written.end(() => console.log(JSON.stringify({ pages: pages.size, visits })));
