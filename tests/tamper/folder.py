# SPDX-License-Identifier: Apache-2.0
"""A release as Python values: read from its folder, changed, written back as consistently as a forger would."""
import copy
import hashlib
import json
import re
import zlib

ROWS = {"log": "data.tsv", "sealed": "data.tsv", "records": "data.txt", "table": "data.csv", "counts": "counts.tsv"}
HASHED = re.compile(rb"#[0-9a-f]{32}")


def lines_of(data):
    return data.split(b"\n")[:-1] if data.endswith(b"\n") else data.split(b"\n")


def csv_fields(line):
    """Fields of one line of data.csv: quoted only if they hold a comma or a quote."""
    fields, at = [], 0
    for match in re.finditer(rb'(?:"((?:[^"]|"")*)"|([^,"]*))(,|$)', line):
        if match.start() != at:
            raise ValueError("quotes")
        quoted, plain, end = match.groups()
        fields.append(plain if quoted is None else quoted.replace(b'""', b'"'))
        at = match.end()
        if not end:
            return fields
    raise ValueError("quotes")


def csv_line(fields):
    return b",".join(b'"' + f.replace(b'"', b'""') + b'"' if b"," in f or b'"' in f else f for f in fields)


def entry(name, data):
    return {"name": name, "bytes": len(data), "blake2b": hashlib.blake2b(data, digest_size=32).hexdigest()}


class Release:
    """The manifest, and the bytes of the other files; `rows` are the fields (of records: items) of each line."""

    def __init__(self, name, shape, manifest, files):
        self.name, self.shape, self.manifest, self.files = name, shape, manifest, files
        self.text = None  # of the manifest, if a change wants other bytes than json.dumps gives
        self.results = None  # what --results of verify gets
        self.options = []  # further options of verify
        self.linked = None  # a file that is written beside the folder, with a link in it
        data = lines_of(files[ROWS[shape]])
        n_head = {"log": 1, "sealed": 2, "records": 0, "table": 1, "counts": 1}[shape]
        self.head, self.rows = data[:n_head], [self.fields(line) for line in data[n_head:]]
        self.columns = csv_fields(self.head[0]) if shape == "table" else None

    def fields(self, line):
        if self.shape == "table":
            return csv_fields(line)
        return line.split(b"\t" if self.shape != "records" else b" ") if line else []

    def line(self, row):
        if self.shape == "table":
            return csv_line(row)
        return (b" " if self.shape == "records" else b"\t").join(row)

    def count(self, row):
        """Of a line of counts; 0 where it is none."""
        return int(row[1]) if len(row) > 1 and row[1].isdigit() else 0

    def copy(self):
        other = copy.copy(self)
        other.manifest, other.files = copy.deepcopy(self.manifest), dict(self.files)
        other.head, other.rows = list(self.head), [list(row) for row in self.rows]
        return other

    @property
    def last(self):
        return self.manifest["steps"][-1]["parameters"]

    @property
    def sensitive(self):
        """Of a table, the sensitive column, or the first of several."""
        return self.last["sa"].split(",")[0]

    def parameters(self, command):
        return next((s["parameters"] for s in self.manifest["steps"] if s["command"] == command), None)

    def claim(self, notion):
        return next((c for c in self.manifest["claims"] if c["notion"] == notion), None)

    def table_of(self, name):
        """The lines of taxonomy.tsv or theta.tsv as lists of fields."""
        return [line.split(b"\t") for line in lines_of(self.files[name])]

    def set_table(self, name, lines):
        self.files[name] = b"".join(b"\t".join(line) + b"\n" for line in lines)

    def set_rows(self):
        """The data file anew: items and lines in the order of their bytes, as a release has them."""
        if self.shape == "records":
            for row in self.rows:
                row.sort()
        if self.shape == "counts":
            self.rows.sort(key=lambda row: (-self.count(row), row[0]))
            lines = self.head + [self.line(row) for row in self.rows]
        else:
            lines = self.head + sorted(self.line(row) for row in self.rows)
        self.files[ROWS[self.shape]] = b"".join(line + b"\n" for line in lines)

    def drop_file(self, name):
        self.files.pop(name, None)
        self.manifest["files"] = [file for file in self.manifest["files"] if file["name"] != name]

    def set_counts(self):
        """As many rows as there are now; what was read grows or shrinks with them."""
        counts, n = self.manifest["counts"], len(self.rows)
        if "rows_out" in self.manifest["metrics"]:  # drawn rows: `published` counts lines of the input
            n = counts["published"]
        elif self.shape == "counts":
            n = sum(self.count(row) for row in self.rows)
            n = n if self.last["by"] == "rows" else max(n, counts["published"])
        elif self.shape == "records":
            n = max(counts["published"] + n - self.manifest["metrics"]["records"], 0)
        counts["published"] = n
        counts["read"] = n + counts["suppressed"] + counts["rejected"]

    def set_digests(self):
        for file in self.manifest["files"]:
            data = self.files.get(file["name"])
            if data is not None:
                file["bytes"] = len(data)
                file["blake2b"] = hashlib.blake2b(data, digest_size=32).hexdigest()

    def set_claims(self, claims):
        """Claims, and a verdict that says of each that it holds."""
        self.manifest["claims"] = claims
        self.manifest["verdict"] = {"holds": True, "checks": [{**c, "holds": True} for c in claims]}

    def parts(self):
        """The files and the list of them with the data in parts, as many as its bytes tell; None: as it is.  Only data
        that is as the manifest says, so that whatever is wrong with a release stays wrong."""
        name, data = ROWS[self.shape], self.files.get(ROWS[self.shape])
        n = zlib.crc32(data) % 4 if data else 0
        listed = self.manifest.get("files")
        if not n or self.text or self.linked or not data.endswith(b"\n") or not isinstance(listed, list):
            return None
        if name == "counts.tsv" or not {"ubi.ndjson", "report.html"}.isdisjoint(self.files) or listed[:1] != [entry(name, data)]:
            return None
        lines, ext = [line + b"\n" for line in data.split(b"\n")[:-1]], name.split(".")[1]
        cut = [b"".join(lines[len(lines) * i // n:len(lines) * (i + 1) // n]) for i in range(n)]
        files = {f"part-{i:05}.{ext}": part for i, part in enumerate(filter(None, cut))}
        return ({**files, **{other: self.files[other] for other in self.files if other != name}},
                [entry(*part) for part in files.items()] + listed[1:])

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        parts = self.parts()
        files, manifest = (parts[0], {**self.manifest, "files": parts[1]}) if parts else (self.files, self.manifest)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        if self.linked:
            (folder / self.linked).replace(folder.parent / "linked")
            (folder / self.linked).symlink_to(folder.parent / "linked")
        text = self.text if self.text is not None else json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        (folder / "manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))


def shape_of(manifest):
    names = {file["name"] for file in manifest["files"]}
    if "data.txt" in names:
        return "records"
    if "data.csv" in names:
        return "table"
    if "counts.tsv" in names:
        return "counts"
    return "sealed" if manifest["steps"][-1]["command"] == "seal" else "log"


def read(name, folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    files = {f["name"]: (folder / f["name"]).read_bytes() for f in manifest["files"]}
    return Release(name, shape_of(manifest), manifest, files)
