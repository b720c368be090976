"""Uses the client that openapi-python-client generated: crawls a site, lists its pages and exports them.

Usage: use.py SERVER SITE
"""

import sys
import time

from bluesnake_client import Client
from bluesnake_client.api.config import get_config, put_config
from bluesnake_client.api.crawls import post_crawl
from bluesnake_client.api.pages import get_runs_id_pages
from bluesnake_client.api.runs import get_runs_id, get_runs_id_export
from bluesnake_client.api.system import get_version
from bluesnake_client.models import AuditRequest, ConfigBody

server, site = sys.argv[1:]
client = Client(base_url=server, raise_on_unexpected_status=True)

version = get_version.sync(client=client)
assert version.name == "bluesnake", version

put_config.sync(client=client, body=ConfigBody(url=site, crawl_budget=1000))
assert get_config.sync(client=client, url_query=site).crawl_budget == 1000

run = post_crawl.sync(client=client, body=AuditRequest(url=site)).run_id
while get_runs_id.sync(run, client=client).state != "completed":
    time.sleep(0.1)
pages = get_runs_id_pages.sync(run, client=client)
assert pages.items and pages.items[0].url.startswith(site), pages

# Every default that is documented is sent, and the answer is a file.
export = get_runs_id_export.sync_detailed(run, client=client)
assert export.status_code == 200, export
assert export.parsed.payload.read().startswith(b"number,url,"), export.content[:100]
print(f"Python: {len(pages.items)} pages of run {run}, {len(export.content)} bytes of CSV")
