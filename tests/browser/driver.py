# SPDX-License-Identifier: Apache-2.0
"""A browser for tests: headless Chromium by chromedriver's plain HTTP protocol (W3C WebDriver), with
Python's standard library alone."""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMEDRIVER = shutil.which("chromedriver")
# What the environment says of proxies is not for a port of this machine.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Browser:
    """A window of a given width; console messages are kept.  Use with `with`."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="lethe-browser-")
        self.session = None
        self.process = subprocess.Popen(
            [CHROMEDRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "HOME": self.profile})
        try:
            self._begin()
        except BaseException:
            self.__exit__()
            raise

    def _begin(self):
        port = None
        limit = threading.Timer(30, self.process.kill)
        limit.start()
        for line in self.process.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                port = found.group(1)
                break
        limit.cancel()
        if not port:
            raise RuntimeError("chromedriver did not start")
        self.base = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     "--disable-dev-shm-usage", f"--user-data-dir={self.profile}/data"]
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"binary": CHROMIUM, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = f"/session/{answer['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        try:
            if self.session:
                self._call("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait(20)
            self.process.stdout.close()
            shutil.rmtree(self.profile, ignore_errors=True)

    def _call(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"},
                                         method=method)
        try:
            with DIRECT.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode(errors="replace")) from error

    def size(self, width, height):
        """Of what the page sees, whatever the window adds to it."""
        self.command("Emulation.setDeviceMetricsOverride",
                     {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def command(self, name, parameters):
        return self._call("POST", self.session + "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, path):
        self._call("POST", self.session + "/url", {"url": "file://" + os.path.realpath(path)})

    def ask(self, script):
        """What a function body returns; runs outside the page's policy."""
        return self.command("Runtime.evaluate", {"expression": f"(() => {{ {script} }})()",
                                                 "returnByValue": True})["result"].get("value")

    def media(self, kind="", dark=False):
        self.command("Emulation.setEmulatedMedia", {"media": kind, "features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def messages(self):
        """Of the console since the last call."""
        return self._call("POST", self.session + "/se/log", {"type": "browser"})

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": key,
                                                    "windowsVirtualKeyCode": {"Tab": 9}[key]})

    def picture(self, path):
        """Of the whole page."""
        shot = self.command("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True})
        with open(path, "wb") as out:
            out.write(base64.b64decode(shot["data"]))
