# SPDX-License-Identifier: Apache-2.0
"""A release whose data is in parts: parts.py WHOLE PARTS N [PYTHON]

Copies the release WHOLE to PARTS with its data file cut into N parts (as many as there are lines, if N is 0), and the
manifest as a cluster would write it.  PYTHON then changes `m`, the manifest, and `f`, the bytes of each part by its
name; with `sign()` the list of files is made anew from them.  What is to be in the folder besides is `put(name, bytes)`,
and `swap(name)` a function that is called with the path of a file instead of writing it."""
import hashlib
import json
import os
import shutil
import sys

whole, out, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
shutil.rmtree(out, ignore_errors=True)
shutil.copytree(whole, out)
m = json.load(open(out + "/manifest.json"))
data = next(e["name"] for e in m["files"] if e["name"].startswith("data."))
ext = data.split(".")[1]
lines = open(f"{out}/{data}", "rb").read().splitlines(keepends=True)
os.remove(f"{out}/{data}")
n = n or len(lines)
f = {f"part-{i:05}.{ext}": b"".join(lines[len(lines) * i // n:len(lines) * (i + 1) // n]) for i in range(n)}
others = [e for e in m["files"] if e["name"] not in (data, "report.html")]
if os.path.exists(out + "/report.html"):
    os.remove(out + "/report.html")
swaps, more = {}, {}


def sign():
    m["files"] = [{"name": name, "bytes": len(b), "blake2b": hashlib.blake2b(b, digest_size=32).hexdigest()}
                  for name, b in f.items()] + others


def swap(name, how):
    swaps[name] = how


def put(name, content):
    more[name] = content


def part(i):
    return f"part-{i:05}.{ext}"


sign()
exec(sys.argv[4] if len(sys.argv) > 4 else "")
for name, content in {**f, **more}.items():
    path = f"{out}/{name}"
    if name in swaps:
        swaps[name](path)
    else:
        open(path, "wb").write(content)
open(out + "/manifest.json", "w").write(json.dumps(m, indent=2, ensure_ascii=False) + "\n")
