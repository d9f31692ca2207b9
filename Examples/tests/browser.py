"""A browser without a window, by the protocol that chromedriver speaks: no library is needed."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
#: The member under which an element's name comes (W3C WebDriver).
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
LONG = 60


class Browser:
    """One browser with tabs."""

    def __init__(self) -> None:
        self.driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, text=True)
        assert self.driver.stdout
        for line in self.driver.stdout:
            if "on port " in line and "successfully" in line:
                self.root = f"http://127.0.0.1:{line.rstrip('. ' + chr(10)).rpartition(' ')[2]}/session"
                break
        wanted = {"goog:chromeOptions": {"binary": CHROMIUM, "args": FLAGS}, "goog:loggingPrefs": {"browser": "ALL"}}
        self.root += "/" + self.call("POST", "", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=LONG) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from None

    def close(self) -> None:
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(LONG)
            assert self.driver.stdout
            self.driver.stdout.close()

    def open(self, url: str) -> Tab:
        handle = self.call("POST", "/window/new", {"type": "tab"})["handle"]
        tab = Tab(self, handle)
        tab.call("POST", "/url", {"url": url})
        return tab

    def complaints(self) -> list[str]:
        """What the pages' own console has, as far as it is serious."""
        lines = self.call("POST", "/se/log", {"type": "browser"})
        return [line["message"] for line in lines if line["level"] in ("SEVERE", "WARNING")]


class Tab:
    """One page."""

    def __init__(self, browser: Browser, handle: str) -> None:
        self.browser, self.handle = browser, handle

    def call(self, method: str, path: str, body: Any = None) -> Any:
        self.browser.call("POST", "/window", {"handle": self.handle})
        return self.browser.call(method, path, body)

    def script(self, text: str) -> Any:
        return self.call("POST", "/execute/sync", {"script": text, "args": []})

    def types(self, selector: str, text: str) -> None:
        element = self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]
        self.call("POST", f"/element/{element}/value", {"text": text})

    async def shows(self, words: str, selector: str = "body") -> None:
        """Waits until the words stand there."""
        end = time.monotonic() + LONG
        while words not in (text := self.script(f"return document.querySelector('{selector}').innerText")):
            if time.monotonic() > end:
                raise AssertionError(f"{words!r} is not in {text!r}")
            await asyncio.sleep(0.02)
