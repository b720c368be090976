"""The smallest Scrapy spider that does the same work: every link and resource of the site, each once."""

import json

import scrapy
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor


class SiteSpider(scrapy.Spider):
    name = "site"
    custom_settings = {
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "COOKIES_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
    }
    links = LinkExtractor(tags=("a", "area", "link", "script", "img"), attrs=("href", "src"), deny_extensions=[])

    @classmethod
    def from_crawler(cls, crawler, url, parallelism, **kwargs):
        for name in ("CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN"):
            crawler.settings.set(name, int(parallelism), priority="spider")
        return super().from_crawler(crawler, url=url, **kwargs)

    def __init__(self, url, **kwargs):
        super().__init__(start_urls=[url], **kwargs)
        self.pages = 0
        self.visits = 0

    def parse(self, response):
        self.visits += 1
        if isinstance(response, HtmlResponse):
            self.pages += 1
            for link in self.links.extract_links(response):
                yield response.follow(link, callback=self.parse)

    def closed(self, reason):
        print(json.dumps({"pages": self.pages, "visits": self.visits, "end": reason}))
