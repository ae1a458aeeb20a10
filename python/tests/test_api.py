# SPDX-License-Identifier: Apache-2.0
"""Functions, signatures, errors, results, maps: what needs no data frames."""

from __future__ import annotations

import gc
import inspect
import json
import logging
import os
import pickle
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import lethe
from conftest import LOG, data_of
from conftest import lethe as program


# --- functions ---


def test_every_method_and_command_is_a_function() -> None:
    tables = lethe.tables()
    for m in tables["methods"]:
        f = getattr(lethe, m["name"])
        assert "Parameters" in f.__doc__ and m["summary"][1:20] in f.__doc__
        assert hasattr(lethe.Chain, m["name"])
    names = {c["name"] for c in tables["commands"]} - {"release", "methods", "version"}
    assert all(callable(getattr(lethe, n)) for n in names)


def test_signatures_have_the_defaults_of_the_tables() -> None:
    parameters = inspect.signature(lethe.threshold).parameters
    assert parameters["t"].default == 5 and parameters["as_"].default == "log"
    assert parameters["force"].default is False and parameters["time"].default is None
    assert inspect.signature(lethe.check).parameters["qi"].default is inspect.Parameter.empty


def test_documentation_is_in_words_of_python() -> None:
    for f in lethe._functions.functions.values():
        assert f.__doc__ is not None
        assert not re.search(r"(?<![-\w])--(?!then|sql)[a-z]", f.__doc__), f.__name__


# --- errors ---


@pytest.mark.parametrize(("call", "code", "option"), [
    (lambda: lethe.threshold(LOG, t=0), "usage", "t"),
    (lambda: lethe.threshold(LOG, time="never"), "usage", "time"),
    (lambda: lethe.disconnect(LOG, min_urls="few"), "usage", "min_urls"),
    (lambda: lethe.threshold("/nonexistent/log.tsv"), "io", None),
    (lambda: lethe.Release("/nonexistent"), "io", None),
    (lambda: lethe.chain(LOG).release(), "usage", None),
    (lambda: lethe.profile([]), "usage", None),
    (lambda: lethe.scrub_text("x", kinds="emial"), "usage", "kinds"),
    (lambda: lethe.profile("x.parquet"), "io", None),
])
def test_errors_say_what_is_wrong(call, code, option) -> None:
    with pytest.raises(lethe.Error) as e:
        call()
    assert (e.value.code, e.value.option) == (code, option)
    assert e.value.message and "--" not in e.value.message
    again = pickle.loads(pickle.dumps(e.value))
    assert (again.code, again.message) == (code, e.value.message)


def test_an_option_is_named_as_python_writes_it() -> None:
    with pytest.raises(lethe.Error, match=r"^t: 0 is out of range"):
        lethe.threshold(LOG, t=0)
    with pytest.raises(TypeError, match="did you mean 'min_urls'"):
        lethe.disconnect(LOG, minurls=3)
    with pytest.raises(TypeError, match="'qi'"):
        lethe.check(LOG)
    with pytest.raises(TypeError, match="cannot read builtins.int"):
        lethe.profile(3)


def test_an_error_of_a_line_has_file_and_line(tmp_path: Path) -> None:
    bad = tmp_path / "log.tsv"
    bad.write_text("AnonID\tQuery\tQueryTime\n1\tmaps\tnever\n", encoding="utf-8")
    with pytest.raises(lethe.Error) as e:
        lethe.profile(bad, strict_input=True)
    assert (e.value.code, e.value.file, e.value.line) == ("input", str(bad), 2)


def test_nothing_published_is_an_error_with_the_report(tmp_path: Path) -> None:
    with pytest.raises(lethe.NothingPublished, match="300") as e:
        lethe.threshold(LOG, t=300, output=tmp_path / "r")
    assert isinstance(e.value, lethe.Error) and not e.value.report
    assert e.value.report["verdict"]["holds"] is False
    assert os.listdir(tmp_path) == []


def test_refused_requests_write_nothing(tmp_path: Path) -> None:
    for request in ('{"command":"release"}', '{"command":"profile","inputs":[{"path":1}]}', "{",
                    '{"command":"profile","input":[]}', '{"command":"profile","inputs":[{"stream":0}]}',
                    json.dumps({"command": "release", "inputs": [{"path": str(LOG)}],
                                "steps": [{"method": "threshold", "options": {"t": [True]}}],
                                "output": {"path": str(tmp_path / "r")}})):
        status, report, streams, error = lethe._lethe.call(request)
        assert (status, report, streams) == (2, None, []) and error[1]
    assert os.listdir(tmp_path) == []


def test_without_wordnet_the_error_names_the_package() -> None:
    code = ("import lethe, sys\ntry: lethe.threshold(sys.argv[1], t=3)\n"
            "except lethe.Error as e: print(e.code, 'wordnet-base' in str(e), 'same=' in str(e))")
    done = subprocess.run([sys.executable, "-c", code, LOG], capture_output=True, text=True,
                          check=True, env={**os.environ, "WNSEARCHDIR": "/nonexistent"})
    assert done.stdout == "io True True\n"


# --- messages, progress, callbacks ---


def test_messages_go_to_the_logger(caplog: pytest.LogCaptureFixture, capfd) -> None:
    with caplog.at_level(logging.INFO, "lethe"):
        lethe.profile(LOG)
    assert any("header" in r.message and r.levelname == "INFO" for r in caplog.records)
    assert capfd.readouterr() == ("", "")


def test_rows_are_told_as_they_come() -> None:
    rows: list[str] = []
    study = lethe.compare(LOG, methods="threshold", t=[3, 5], on_row=lambda row, i, n: rows.append(
        row["label"]))
    assert len(rows) == 2 and sorted(rows) == sorted(r["label"] for r in study["metrics"]["rows"])


def test_an_exception_in_a_callback_ends_the_call() -> None:
    class Enough(Exception):
        pass

    def stop(*_: object) -> None:
        raise Enough

    with pytest.raises(Enough):
        lethe.compare(LOG, on_row=stop)
    lethe.profile(LOG)  # the next one is not disturbed


def test_progress_ends_with_none(tmp_path: Path) -> None:
    big = tmp_path / "big.tsv"
    lethe.synth(users=12000, seed=1, output=big)
    phases: list[object] = []
    lethe.profile(big, progress=lambda phase, done, total: phases.append(phase), threads=1)
    assert phases and phases[-1] is None


INTERRUPTED = """
import lethe, os, signal, sys, threading, time
threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    lethe.synth(users=100000, queries_per_user=300, output=sys.argv[1])
    print("finished")
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begin < 4)
print(lethe.scrub_text("joe@aol.com"))
"""


def test_ctrl_c_ends_a_call(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, tmp_path / "log"], capture_output=True,
                          text=True, check=False, cwd=tmp_path, timeout=60)
    assert done.stdout == "interrupted True\n[email]\n", done.stderr
    assert os.listdir(tmp_path) == []


def test_calls_run_side_by_side() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda _: lethe.profile(LOG, threads=1)["metrics"]["rows"], range(8)))
    assert rows == [352] * 8


# --- results ---


def test_results_are_mappings_that_show_themselves() -> None:
    r = lethe.profile(LOG)
    assert r["metrics"]["users"] == 40 and "metrics" in r and bool(r)
    assert json.loads(json.dumps(dict(r)))["metrics"] == r.to_dict()["metrics"]
    assert "users" in repr(r) and ">40</td>" in r._repr_html_() and "72.5 %" in repr(r)


def test_html_is_escaped(tmp_path: Path) -> None:
    evil = tmp_path / "<script>alert(1)<"
    evil.mkdir()
    r = lethe.threshold(LOG, t=3, output=evil / "<b>r")
    shown = lethe.Result("x", {"<b>": "<script>", "rows": [{"<i>": "&<"}], "l": ["<u>"]})._repr_html_()
    shown += r._repr_html_() + r.report(title="<script>x</script>")._repr_html_()
    for tag in ("<script", "<i>", "<u>", "<b>r", "<b><"):
        assert tag not in shown


def test_answers_that_are_no_are_false(table_file: Path) -> None:
    check = lethe.check(table_file, qi=["age", "sex"], k=3)
    assert not check and check["metrics"]["holds"] is False and ": no" in repr(check)
    assert lethe.check(table_file, qi=["sex"], k=3)


# --- releases ---


def test_a_release_without_a_folder_goes_with_its_object() -> None:
    r = lethe.threshold(LOG, t=3)
    private = Path(r.folder).parent
    assert stat.S_IMODE(private.stat().st_mode) == 0o700 and "temporary" in repr(r)
    assert r.verify() and r.counts["read"] == 352 and r.manifest["verdict"]["holds"] and r.caveats
    del r
    gc.collect()
    assert not private.exists()


def test_save_keeps_it(tmp_path: Path) -> None:
    r = lethe.chain(LOG).scrub().threshold(t=3).release()
    private = Path(r.folder).parent
    r.save(tmp_path / "kept")
    gc.collect()
    assert not private.exists() and r.verify() and os.listdir(tmp_path) == ["kept"]
    with pytest.raises(lethe.Error, match="exists"):
        r.save(tmp_path / "kept")
    r.save(tmp_path / "kept", force=True)
    assert lethe.Release(tmp_path / "kept").verify()
    with open(tmp_path / "kept" / "data.tsv", "a", encoding="utf-8") as f:
        f.write("x\n")
    assert not r.verify()


def test_a_chain_is_not_changed_by_what_is_added() -> None:
    first = lethe.chain(LOG).scrub(kinds=["email", "phone"])
    second = first.threshold(t=3)
    assert repr(first) == "lethe.chain(<PosixPath>).scrub(kinds=['email', 'phone'])"
    assert [s["command"] for s in second.release().manifest["steps"]] == ["scrub", "threshold"]


def test_evaluation(tmp_path: Path) -> None:
    r = lethe.threshold(LOG, t=3, map=True)
    assert r.measure(LOG)["metrics"]["users"]["original"] == 40
    assert "known-terms" in r.attack(LOG, map=r.map)["metrics"]
    page = r.report(LOG, map=r.map, title="A log")
    assert page.html.startswith("<!DOCTYPE html>") and "A log" in page.html
    r.report(output=tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_publish_and_redo() -> None:
    r = lethe.publish(LOG, goal="counts", seed=1)
    assert r.verify() and r.map is None and r.result["metrics"]["chosen"]["label"]
    assert sorted(os.listdir(Path(r.folder).parent)) == ["release"]
    again = lethe.redo(r, LOG, seed=1)
    assert again.frame.equals(r.frame)
    assert isinstance(lethe.publish(LOG, goal="counts", dry_run=True), lethe.Result)


def test_what_writes_files_gives_text(table_file: Path, tmp_path: Path) -> None:
    log = lethe.synth(users=20, seed=3)
    assert log.text.startswith("AnonID\t")
    assert "20-24" in lethe.hierarchy(table_file, "age").text
    lethe.key(tmp_path / "key")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    sealed = lethe.seal(LOG, t=3, key_file=tmp_path / "key", output=tmp_path / "sealed")
    for data in (sealed, sealed.folder, tmp_path / "sealed" / "data.tsv"):
        assert "weather" in lethe.open(data).text
    assert sealed.verify()


# --- secrets ---


def test_the_map_stays_secret(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        r = lethe.threshold(LOG, t=3, map=True, seed=987654321)
        at = lethe.threshold(LOG, t=3, map=tmp_path / "map.tsv")
    finally:
        os.umask(old)
    assert r.map is not None and at.map is not None
    secret = r.map._path
    assert stat.S_IMODE(os.stat(secret).st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "map.tsv").stat().st_mode) == 0o600
    shown = [repr(r), str(r.map), r._repr_html_(), repr(r.result), r.result._repr_html_(),
             json.dumps(dict(r.result)), json.dumps(r.manifest), repr(r.attack(LOG, map=r.map)),
             json.dumps(dict(r.attack(LOG, map=r.map)))]
    assert not any(secret in s or "987654321" in s for s in shown)
    for thing in (r, r.map):
        with pytest.raises(TypeError):
            pickle.dumps(thing)
    with pytest.raises(TypeError):
        json.dumps(r.map)
    assert not hasattr(r.map, "_repr_html_") and not hasattr(r.map, "__fspath__")
    r.map.save(tmp_path / "copy")
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        r.map.save(tmp_path / "copy")
    m = r.map
    del r, thing
    gc.collect()
    assert os.path.exists(secret)
    del m
    gc.collect()
    assert not os.path.exists(secret)


def test_saving_keeps_the_map(tmp_path: Path) -> None:
    r = lethe.threshold(LOG, t=3, map=True).save(tmp_path / "kept")
    assert "temporary" not in repr(r) and r.verify() and r.attack(LOG, map=r.map)


def test_a_forked_process_removes_nothing() -> None:
    r = lethe.threshold(LOG, t=3)
    child = os.fork()
    if child == 0:
        r._keep.remove()  # as it would at its end
        os._exit(0)
    os.waitpid(child, 0)
    assert r.verify()


def test_no_map_without_a_request() -> None:
    assert lethe.threshold(LOG, t=3).map is None
    with pytest.raises(lethe.Error):
        lethe.attack(lethe.threshold(LOG, t=3), LOG, map="/nonexistent")


# --- the program ---


@pytest.mark.parametrize("arguments", [["threshold", "-t", "3"], ["split", "--by", "gap"],
                                       ["microagg", "-k", "3"], ["scrub"]])
def test_releases_of_files_equal_those_of_the_program(arguments, tmp_path: Path) -> None:
    assert program(*arguments, LOG, "--seed", "5", "-o", tmp_path / "r").returncode == 0
    kwargs = {"-t": "t", "--by": "by", "-k": "k"}
    options = {kwargs[arguments[i]]: arguments[i + 1] for i in range(1, len(arguments), 2)}
    r = getattr(lethe, arguments[0])(LOG, seed=5, **options)
    assert data_of(r) == data_of(tmp_path / "r")


def test_the_command_line(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "lethe"]
    done = subprocess.run([*run, "profile", "--json", LOG], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["metrics"]["users"] == 40
    wrong = subprocess.run([*run, "profile", "/nonexistent"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 4 and "nonexistent" in wrong.stderr


def test_the_folder_of_wordnet_is_a_setting(tmp_path: Path) -> None:
    with pytest.raises(lethe.Error) as failed:
        lethe.clump(LOG, k=3, wordnet_dir=tmp_path)
    assert failed.value.code == "io" and str(tmp_path) in failed.value.message


def test_save_replaces_releases_alone(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("x", encoding="utf-8")
    r = lethe.threshold(LOG, t=3)
    with pytest.raises(lethe.Error, match="not a release"):
        r.save(precious, force=True)
    assert (precious / "thesis.txt").exists()
    r.save(tmp_path / "out")
    lethe.threshold(LOG, t=3).save(tmp_path / "out", force=True)
    assert lethe.Release(tmp_path / "out").verify()


def test_limits_are_checked() -> None:
    for limits in ({"threads": -1}, {"threads": 2**32 + 1}, {"memory": -1}, {"memory": 2**64 + 1}):
        with pytest.raises(lethe.Error, match="out of range"):
            lethe.profile(LOG, **limits)


def test_calls_of_threads_end_with_the_interpreter(tmp_path: Path) -> None:
    """No files are left, maps above all."""
    done = subprocess.run(
        [sys.executable, "-c", f"""
import threading, time, lethe
log = lethe.synth(users=3000, seed=1).text
open({str(tmp_path / "log.tsv")!r}, "w").write(log)
threading.Thread(target=lambda: lethe.compare({str(tmp_path / "log.tsv")!r}), daemon=True).start()
time.sleep(1.5)
"""], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["log.tsv"]


def test_join(tmp_path: Path) -> None:
    """Releases of parts become one, as the program makes it."""
    rows = lethe.synth(users=40, queries_per_user=10, seed=5).text.splitlines()
    parts = []
    for i in range(2):
        of_part = [rows[0], *(row for row in rows[1:] if int(row.split("\t")[0]) % 2 == i)]
        (tmp_path / f"{i}.tsv").write_text("\n".join(of_part) + "\n", encoding="utf-8")
        parts.append(lethe.clump(str(tmp_path / f"{i}.tsv"), k=3))
    joined = lethe.join(parts, title="Both")
    assert joined.verify() and joined.manifest["parts"] == 2 and joined.manifest["title"] == "Both"
    assert joined.counts["read"] == sum(part.counts["read"] for part in parts) == len(rows) - 1
    kept = lethe.join([part.folder for part in parts], output=tmp_path / "kept")
    assert kept.folder == str(tmp_path / "kept")
    with pytest.raises(lethe.Error, match="exists"):
        lethe.join(parts, output=tmp_path / "kept")
    with pytest.raises(lethe.Error, match="given twice"):
        lethe.join([parts[0], parts[0]])
    with open(os.path.join(parts[1].folder, "data.txt"), "a", encoding="utf-8") as f:
        f.write("x\n")
    with pytest.raises(lethe.NothingPublished, match="does not keep its promise"):
        lethe.join(parts, output=tmp_path / "never")
    assert not (tmp_path / "never").exists()
