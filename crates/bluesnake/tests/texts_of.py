#!/usr/bin/env python3
"""Prints everything in files of any export format, decompressed, names of files in archives included.

Usage: texts_of.py FILE...
"""

import gzip
import pathlib
import sys
import zipfile


def text_of(path):
    if path.suffix == ".parquet":
        import pyarrow.parquet

        return repr(pyarrow.parquet.read_table(path).to_pylist())
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).decode(errors="replace")
    if path.suffix in (".xlsx", ".zip"):
        with zipfile.ZipFile(path) as archive:
            return "\n".join(f"{name}\n{archive.read(name).decode(errors='replace')}" for name in archive.namelist())
    return path.read_text(errors="replace")


for argument in sys.argv[1:]:
    root = pathlib.Path(argument)
    for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
        if path.is_file():
            print(f"=== {path}\n{text_of(path)}")
