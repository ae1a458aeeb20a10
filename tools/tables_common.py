# SPDX-License-Identifier: Apache-2.0
"""What tools/clump-tables, tools/ssg-tables and tools/microagg-tables share: they run lethe, make tables and plots of its
figures, and put them into a page of docs/."""
import argparse
import collections
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCITE = "excite-small.log.zst"
EXCITE_COLUMNS = ("--columns", "user=1,time=2,query=3")


def stop(text):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {text}")


# --- runs ---


class Data:
    """Records of one kind: what lethe is given for them, and what an adversary or a measure is given besides the release."""

    def __init__(self, name, path, options, attack=()):
        self.name, self.path, self.options, self.attack = name, str(path), options, attack

    def with_options(self, options):
        return Data(self.name, self.path, options, self.attack)


class Runner:
    """Runs lethe.  Figures that were made once are not made again, nor those that the file `keep` holds."""

    def __init__(self, lethe, work, keep):
        self.lethe, self.work, self.keep, self.known = lethe, work, keep, {}
        self.peak_bytes = 0  # of memory, of the last call; no less than this script had when it made it
        if keep and keep.exists():
            for line in keep.read_text().splitlines():
                run = json.loads(line)
                self.known[run["key"]] = run

    def call(self, *args, may_refuse=False, program=None):
        """The JSON object that lethe prints, and the processor seconds that it took; None where it says that it cannot be
        done (exit 1) and that is an answer.  `program`: another one in place of lethe."""
        with tempfile.TemporaryFile() as out:
            child = subprocess.Popen([program or self.lethe, *map(str, args)], stdout=out)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode == 1 and may_refuse:
                return None, 0
            if child.returncode != 0:
                stop(f"exit {child.returncode}: {pathlib.Path(program or 'lethe').name} {' '.join(map(str, args))}")
            self.peak_bytes = used.ru_maxrss * 1024
            out.seek(0)
            return json.load(out), used.ru_utime + used.ru_stime

    def prunings(self, *args):
        """The figures of a search without some of its techniques: bench/prunings, which is built beside lethe."""
        program = pathlib.Path(self.lethe).parent / "bench" / "prunings"
        if not program.exists():
            stop(f"cannot find '{program}': build the benchmarks first (ninja bench/prunings)")
        answer, cpu = self.call(*args, program=program)
        return {**answer, "cpu": cpu}

    def release(self, data, method, k, may_refuse=False):
        folder, table = self.work / "release", self.work / "map"
        answer, cpu = self.call(method[0], data.path, *method[1:], "-k", k, *data.options, "--seed", 1, "-q", "--json",
                                "--force", "-o", folder, "--map", table, may_refuse=may_refuse)
        if answer is None:
            return None, 0
        if not answer["verdict"]["holds"]:
            stop(f"the promise does not hold: {data.name} {method} {k}")
        return answer["metrics"], cpu

    def remember(self, key, make):
        if key not in self.known:
            self.known[key] = {"key": key, **make()}
            if self.keep:
                with self.keep.open("a") as f:
                    f.write(json.dumps(self.known[key]) + "\n")
        return self.known[key]


# --- data ---


class Synthetic:
    """A log of lethe synth: how many users it has, how many queries each, and how records are made of it."""

    def __init__(self, users, queries_per_user, options):
        self.users, self.options = users, options
        self.command = ("synth", "--users", str(users), "--queries-per-user", str(queries_per_user), "--seed", "1")


def synthetic(run, log, sizes):
    """For each size, the log up to the last user with whom it has no more than so many records.  A user without a term has
    none."""
    whole = run.work / "all.tsv"
    subprocess.run([run.lethe, *log.command, "-q", "-o", str(whole)], check=True)
    run.release(Data("all", whole, log.options), ("partition",), 2)
    with (run.work / "map").open() as f:
        next(f)  # names the release
        records = collections.Counter(line.split("\t")[0] for line in f)
    made = {n: Data(f"synthetic {n}", run.work / f"{n}.tsv", log.options) for n in sizes}
    left = {n: open(made[n].path, "w", encoding="utf-8") for n in sizes}
    last, seen = None, 0
    with whole.open(encoding="utf-8") as f:
        header = next(f)
        for out in left.values():
            out.write(header)
        for line in f:
            user = line.split("\t", 1)[0]
            if user != last:
                last, seen = user, seen + records[user]
                for n in [n for n in left if n < seen]:
                    left.pop(n).close()
            for out in left.values():
                out.write(line)
    for out in left.values():
        out.close()
    if seen < max(sizes):
        stop("the log has too few users with a noun")
    whole.unlink()
    return made


def unpacked(path):
    return subprocess.run(["zstd", "-dcq", str(path)], check=True, capture_output=True).stdout.decode().splitlines()


# --- tables ---


def percent(x, digits=1):
    return f"{100 * x:.{digits}f} %"


def against(a, b):
    return f"{100 * (a / b - 1):+.1f} %".replace("-", "−")


def table(head, rows):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


# --- plots ---

STYLE = """<style>
text{font:12px sans-serif;fill:#333}.t{font-weight:bold}.a{stroke:#999;fill:none}.g{stroke:#999;stroke-opacity:.3}
@media (prefers-color-scheme:dark){text{fill:#ddd}}
</style>"""
LOOKS = (("#d9660a", "none"), ("#b8860b", "2 3"), ("#3f7fd1", "none"), ("#1a9a72", "6 3"), ("#c2418f", "none"))
PANEL, HEIGHT, LEFT, TOP = 230, 220, 62, 58


def step_of(top):
    """A round number of which four to eight make up the axis."""
    unit = 10.0 ** math.floor(math.log10(top / 4))
    return next(unit * m for m in (1, 2, 5, 10) if top / (unit * m) <= 8)


def mark(i, x, y, colour):
    """Series are told apart without colour too."""
    shapes = (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"', f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"',
              f'<path d="M{x:.1f} {y - 4:.1f}l4 7h-8z"', f'<path d="M{x:.1f} {y + 4:.1f}l4-7h-8z"',
              f'<path d="M{x:.1f} {y - 4.5:.1f}l4.5 4.5l-4.5 4.5l-4.5-4.5z"')
    return f'{shapes[i % 5]} fill="{colour}"/>'


class Axis:
    """Where numbers stand on the y axis: from 0, or by logarithm."""

    def __init__(self, values, log, top_px, height):
        self.log, self.top_px, self.height = log, top_px, height
        if log:
            low, high = (f(math.log10(v) for v in values) for f in (min, max))
            self.low, self.high = math.floor(low), math.ceil(high + 1e-9)
            self.ticks = [10.0 ** e for e in range(self.low, self.high + 1)]
        else:
            step = step_of(max(values))
            n = math.ceil(max(values) / step + 1e-9)
            self.low, self.high, self.ticks = 0, n * step, [i * step for i in range(n + 1)]

    def at(self, v):
        part = ((math.log10(v) if self.log else v) - self.low) / (self.high - self.low)
        return self.top_px + self.height * (1 - part)


def draw_series(at, y, series):
    """A value may be None: it has no point."""
    out = []
    for s, ys in enumerate(series.values()):
        colour, dash = LOOKS[s % len(LOOKS)]
        points = [(x, y.at(v)) for x, v in zip(at, ys) if v is not None]
        line = " ".join(f"{x:.1f},{v:.1f}" for x, v in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8" '
                   f'stroke-dasharray="{dash}"/>')
        out += [mark(s, x, v, colour) for x, v in points]
    return out


def draw_panel(x0, width, y, unit, name, x_name, labels, series):
    """`unit`: None where the numbers of the y axis stand beside another panel."""
    at = [x0 + width * (j + 0.5) / len(labels) for j in range(len(labels))]
    out = [f'<text x="{x0 + width / 2:.0f}" y="{TOP - 10}" text-anchor="middle">{name}</text>']
    for tick in y.ticks:
        out.append(f'<path class="g" d="M{x0} {y.at(tick):.1f}h{width}"/>')
        if unit is not None:
            out.append(f'<text x="{x0 - 6}" y="{y.at(tick) + 4:.1f}" text-anchor="end">{tick:g}{unit}</text>')
    out.append(f'<path class="a" d="M{x0} {TOP}v{HEIGHT}h{width}"/>')
    for x, label in zip(at, labels):
        out.append(f'<text x="{x:.1f}" y="{TOP + HEIGHT + 17}" text-anchor="middle">{label}</text>')
    out.append(f'<text x="{x0 + width / 2:.0f}" y="{TOP + HEIGHT + 35}" text-anchor="middle">{x_name}</text>')
    return out + draw_series(at, y, series)


def plot(title, unit, x_name, panels, log=False):
    """panels: (name, labels of x, {series: values}); one axis for all.  x_name: one for all, or a list of them."""
    values = [v for _, _, series in panels for ys in series.values() for v in ys if v is not None]
    y, names = Axis(values, log, TOP, HEIGHT), list(panels[0][2])
    x_names = [x_name] * len(panels) if isinstance(x_name, str) else x_name
    widths = [max(PANEL, 30 * len(labels)) for _, labels, _ in panels]
    total = max(LEFT + sum(w + 20 for w in widths), LEFT + sum(40 + 7 * len(n) for n in names))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {TOP + HEIGHT + 76}" width="{total}" '
           f'height="{TOP + HEIGHT + 76}" role="img">', f"<title>{title}</title>", STYLE,
           f'<text x="{LEFT}" y="18" class="t">{title}</text>']
    x0 = LEFT
    for i, (name, labels, series) in enumerate(panels):
        out += draw_panel(x0, widths[i], y, unit if i == 0 else None, name, x_names[i], labels, series)
        x0 += widths[i] + 20
    x = LEFT
    for s, name in enumerate(names):
        out.append(mark(s, x + 6, TOP + HEIGHT + 58, LOOKS[s % len(LOOKS)][0]))
        out.append(f'<text x="{x + 16}" y="{TOP + HEIGHT + 62}">{name}</text>')
        x += 40 + 7 * len(name)
    return "\n".join([*out, "</svg>", ""])


# --- the whole ---


def put_in(page, tables):
    """Each table between its marks, <!-- NAME --> and <!-- /NAME -->, in place of what stands there."""
    text = page.read_text(encoding="utf-8")
    for name, rows in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            stop(f"'{page}' has no place for the table '{name}'")
        text = f"{before}{begin}\n{rows}\n\n{end}{after}"
    page.write_text(text, encoding="utf-8")


def main(name, runner, make, add_options=lambda p: None):
    """Makes the tables and plots of docs/NAME.md.  make(run, arguments, folder of data or None) gives both, by
    name; `runner` is the class of run."""
    own_page = ROOT / "docs" / f"{name}.md"
    p = argparse.ArgumentParser(description=f"Makes the tables and plots of docs/{name}.md.")
    p.add_argument("--quick", action="store_true", help="small sizes")
    p.add_argument("--lethe", default=str(ROOT / "build" / "lethe"), help="the program (build/lethe)")
    p.add_argument("--data", default=os.environ.get("LETHE_DATA"), help="folder of real data (LETHE_DATA)")
    p.add_argument("-o", "--output", type=pathlib.Path, help="where to write plots (docs) and all tables (nowhere)")
    p.add_argument("--page", type=pathlib.Path, help=f"the page to put the tables into (docs/{name}.md without -o)")
    p.add_argument("--keep", type=pathlib.Path, help="runs made before, and now")
    add_options(p)
    a = p.parse_args()
    if a.quick and not a.output:
        p.error("--quick is not for the page: name a folder with -o")
    with tempfile.TemporaryDirectory() as work:
        run = runner(os.path.realpath(a.lethe), pathlib.Path(work), a.keep)
        tables, drawings = make(run, a, pathlib.Path(a.data).resolve() if a.data else None)
    folder, page = (a.output, a.page) if a.output else (ROOT / "docs", a.page or own_page)
    folder.mkdir(parents=True, exist_ok=True)
    if a.output:
        whole = "".join(f"## {title}\n\n{rows}\n\n" for title, rows in tables.items())
        (folder / f"{name}-tables.md").write_text(whole, encoding="utf-8")
    for title, drawing in drawings.items():
        (folder / f"{name}-{title}.svg").write_text(drawing, encoding="utf-8")
    if page:
        put_in(page, tables)
