"""Uses the client that openapi-python-client generated: crawls a site, lists its pages and exports them; reads the grid,
the issues and a comparison.

Usage: use.py SERVER SITE
"""

import sys
import time

from bluesnake_client import Client
from bluesnake_client.api.captures import get_captures
from bluesnake_client.api.compare import get_runs_a_compare_b, get_runs_a_compare_b_rows, get_runs_id_report
from bluesnake_client.api.config import get_config, put_config
from bluesnake_client.api.crawls import post_crawl
from bluesnake_client.api.grid import (
    get_runs_id_facets,
    get_runs_id_histogram,
    get_runs_id_rows,
    get_runs_id_tree,
    get_runs_id_urls_number,
    get_runs_id_urls_number_inlinks,
    get_runs_id_urls_number_outlinks,
)
from bluesnake_client.api.issues import get_checks, get_runs_id_issues, get_runs_id_issues_check, post_runs_id_audit
from bluesnake_client.api.pages import get_runs_id_pages
from bluesnake_client.api.runs import get_runs, get_runs_id, get_runs_id_export
from bluesnake_client.api.system import get_version
from bluesnake_client.models import (
    AuditAgain,
    AuditAgainSettings,
    AuditRequest,
    ConfigBody,
    GetRunsIdHistogramOf,
    GetRunsIdRowsShape,
    GetRunsIdRowsSort,
    GetRunsState,
)

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

# The grid: any window of a sorted and filtered list.
window = get_runs_id_rows.sync(run, client=client, sort=GetRunsIdRowsSort.URL, status="2xx", limit=5)
assert 0 < len(window.items) <= window.total <= window.version, window
assert all(row.url and row.status == 200 for row in window.items), window
arrays = get_runs_id_rows.sync(run, client=client, columns="number,title", shape=GetRunsIdRowsShape.ROWS)
assert arrays.columns == ["number", "title"] and arrays.rows[0][0] == 1, arrays
facets = get_runs_id_facets.sync(run, client=client, by="status,type")
assert [facet.name for facet in facets.facets] == ["status", "type"], facets
histogram = get_runs_id_histogram.sync(run, client=client, of=GetRunsIdHistogramOf.SIZE, buckets=4)
assert sum(bucket.count for bucket in histogram.buckets) + histogram.missing == facets.total, histogram
tree = get_runs_id_tree.sync(run, client=client)
assert tree.folders[0].path == site, tree
first = get_runs_id_urls_number.sync(run, 1, client=client)
assert first.row.number == 1 and first.headers is not None, first
outlinks = get_runs_id_urls_number_outlinks.sync(run, 1, client=client)
inlinks = get_runs_id_urls_number_inlinks.sync(run, outlinks.items[0].target_number, client=client)
assert any(link.source_number == 1 and link.links > 0 for link in inlinks.items), inlinks

# Issues, and the same run audited with other thresholds.
issues = get_runs_id_issues.sync(run, client=client)
assert issues.is_completed and len(issues.checks) == len(get_checks.sync(client=client)), issues
found = next(check for check in issues.checks if check.findings)
rows = get_runs_id_issues_check.sync(run, found.id, client=client, limit=1)
assert rows.total == found.findings and rows.items[0].url == found.examples[0].url, rows
again = AuditAgain(settings=AuditAgainSettings.from_dict({"audit": {"off": [found.id]}}))
again = post_runs_id_audit.sync(run, client=client, body=again)
assert next(check for check in again.checks if check.id == found.id).not_checked, again

# A second run, compared with the first.
second = post_crawl.sync(client=client, body=AuditRequest(url=site)).run_id
while get_runs_id.sync(second, client=client).state != "completed":
    time.sleep(0.1)
comparison = get_runs_a_compare_b.sync(run, second, client=client)
assert comparison.a.run_id == run and comparison.b.run_id == second, comparison
changes = get_runs_a_compare_b_rows.sync(run, second, client=client)
report = get_runs_id_report.sync(second, client=client, against=run)
assert report.startswith("<!"), report[:100]
runs = get_runs.sync(client=client, state=GetRunsState.COMPLETED)
assert [row.id for row in runs.items] == [second, run], runs
assert get_captures.sync(client=client).items == []
print(f"Python: {issues.pages} pages, {len(issues.checks)} checks, {changes.total} changes, {len(report)} characters of HTML")
