#!/usr/bin/env python3
"""Reads exports with other people's libraries: pyarrow, openpyxl and warcio.

Usage: read_exports.py FILE...   One line of JSON per file: its rows and the first three of them.
Ends with 1 when a file cannot be read or a digest is wrong.
"""

import json
import sys

FIRST = 3


def read_parquet(path):
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(path)
    rows = [row for batch in file.iter_batches() for row in batch.to_pylist()]
    return {"columns": file.schema_arrow.names, "rows": len(rows), "first": rows[:FIRST]}


def read_xlsx(path):
    import openpyxl

    workbook = openpyxl.load_workbook(path, read_only=True)
    rows = []
    for sheet in workbook:
        header, *data = sheet.iter_rows(values_only=True)
        rows += (dict(zip(header, row)) for row in data)
    return {"columns": list(header), "sheets": len(workbook.sheetnames), "rows": len(rows), "first": rows[:FIRST]}


def read_warc(path):
    from warcio.archiveiterator import ArchiveIterator

    records = []
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            body = record.content_stream().read()
            status = record.http_headers and record.http_headers.get_statuscode()
            url = record.rec_headers.get_header("WARC-Target-URI")
            records.append({"type": record.rec_type, "url": url, "status": status, "body_bytes": len(body)})
    return {"rows": len(records), "first": records[:FIRST]}


READERS = {".parquet": read_parquet, ".xlsx": read_xlsx, ".warc.gz": read_warc, ".warc": read_warc}


def main(paths):
    failed = False
    for path in paths:
        try:
            read = next(read for suffix, read in READERS.items() if path.endswith(suffix))
            report = read(path)
        except StopIteration:
            failed, report = True, {"error": "no reader for this name"}
        except Exception as error:
            failed, report = True, {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"path": path, **report}, default=str))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
