"""The real program with its console, peers that speak lines to it, and a browser without a screen.

BATON_PROGRAM names the program; by default it is the one that `swift build` made. Where there is no browser the tests are
left out, and say so.
"""

import atexit
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import unittest
import urllib.parse

try:
    from axe_core_python.selenium import Axe
    from selenium import webdriver
    from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    webdriver = Keys = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ROOT / "Sources/CConsole/files"
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
LONG = 60


class Server:
    """`baton serve` on free ports, with a console."""

    def __init__(self, *arguments, port=0, keeps_signals=False):
        words = ["--http", f"127.0.0.1:{port}", *arguments]
        if "--config" not in arguments:
            words = ["--port", "0", *words]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BATON_")}
        self.process = subprocess.Popen([PROGRAM, "serve", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, env=environment, restore_signals=not keeps_signals)
        self.ports = []
        self.url = ""
        while not (self.ports and self.url):
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(f"baton serve {' '.join(words)} ended with {self.process.wait()}")
            if line.startswith("listening on tcp"):
                self.ports.append(int(line.rpartition(":")[2]))
            if line.startswith("console at "):
                self.url = line.split()[2]
        threading.Thread(target=lambda: [None for _ in self.process.stdout], daemon=True).start()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(LONG)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self.process.stdout.close()

    def peer(self, name=None, token=None):
        return Peer(self.ports[0], name, token)


class Peer:
    """A connection that speaks lines."""

    def __init__(self, port, name=None, token=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LONG)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.number = 0
        if name or token:
            hello = {"name": name, "token": token}
            self.ask(op="hello", **{key: value for key, value in hello.items() if value})

    def say(self, **members):
        self.socket.sendall(json.dumps(members).encode() + b"\n")

    def line(self):
        text = self.lines.readline()
        if not text:
            raise AssertionError("the server closed the connection")
        return json.loads(text)

    def ask(self, **members):
        """Sends a request, and returns its reply."""
        self.number += 1
        self.say(id=f"ask-{self.number}", **members)
        while True:
            line = self.line()
            if line.get("id") == f"ask-{self.number}" and line["op"] not in ("offer", "lapsed"):
                if line["op"] == "error":
                    raise AssertionError(line)
                return line

    def serve(self, handler, verdict, **members):
        """Serves a link: `verdict` gives the members of the answer to an offer, or None for no answer."""
        self.ask(op="insert", handler=handler, **members)
        threading.Thread(target=self.work, args=(verdict,), daemon=True).start()
        return self

    def work(self, verdict):
        self.socket.settimeout(None)
        try:
            for text in self.lines:
                offer = json.loads(text)
                answer = verdict(offer) if offer["op"] == "offer" else None
                if answer:
                    self.say(id=offer["id"], **answer)
        except (OSError, ValueError):
            self.socket.close()

    def close(self):
        try:
            # A thread that reads ends with this, and not with the close of the socket.
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.lines.close()
        self.socket.close()


class Browser:
    """Chromium, once for all tests. What it finds, it finds by name and role, as people do."""

    one = None

    @classmethod
    def get(cls):
        if cls.one is None:
            cls.one = cls()
            atexit.register(cls.one.driver.quit)
        return cls.one

    def __init__(self):
        if webdriver is None:
            raise unittest.SkipTest("selenium and axe-core-python are not installed: see Tests/Console/README.md")
        program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        driver = shutil.which("chromedriver")
        if not program or not driver:
            raise unittest.SkipTest("there is no browser here: install chromium and chromium-driver")
        options = webdriver.ChromeOptions()
        options.binary_location = program
        for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                     "--window-size=1200,750"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options, webdriver.ChromeService(driver))
        self.driver.set_script_timeout(LONG)

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def media(self, scheme="light", motion="no-preference"):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}]})

    def open(self, server, view="now", **fields):
        """Loads the console anew, at a view with fields."""
        self.driver.get("about:blank")
        self.rest()
        query = f"?{urllib.parse.urlencode(fields)}" if fields else ""
        self.driver.get(f"{server.url}#{view}{query}")

    def go(self, view, **fields):
        """Follows an address within the page."""
        query = f"?{urllib.parse.urlencode(fields)}" if fields else ""
        self.run("location.hash = arguments[0]", f"#{view}{query}")

    def rest(self):
        """Takes the pointer away, so that nothing is held under it."""
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 1, "y": 1})

    def point(self, element):
        """Puts the pointer on an element."""
        webdriver.ActionChains(self.driver).move_to_element(element).perform()

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition, words):
        """Waits until a condition holds, and returns what it gave."""
        def holds(_):
            try:
                return condition()
            except StaleElementReferenceException:
                return None
        return WebDriverWait(self.driver, LONG, 0.1).until(holds, words)

    def text(self, selector="body"):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def wait_text(self, words, selector="body"):
        def holds():
            return words in self.text(selector)
        try:
            self.wait(holds, words)
        except WebDriverException as error:
            raise AssertionError(f"“{words}” did not come in {selector}; there was: {self.text(selector)}") from error

    def wait_live(self):
        self.wait_text("live", "#state")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def button(self, name, within="body"):
        """The button of this name, once it is there and shown."""
        path = f"//{within}//button[normalize-space()={json.dumps(name)}]"
        return self.wait(lambda: next((each for each in self.driver.find_elements(By.XPATH, path)
                                       if each.is_displayed()), None), f"a button “{name}”")

    def press(self, name, within="body"):
        """Presses a button that may be used, and takes the pointer away again."""
        button = self.wait(lambda: next(iter([each for each in [self.button(name, within)] if each.is_enabled()]), None),
                           f"a button “{name}” that may be used")
        button.click()
        self.rest()

    def link(self, name):
        return self.wait(lambda: next((each for each in self.driver.find_elements(By.LINK_TEXT, name)
                                       if each.is_displayed()), None), f"a link “{name}”")

    def field(self, name, within="main"):
        """The field of this label."""
        path = f"//{within}//label[span[normalize-space()={json.dumps(name)}]]/*[self::input or self::select or self::textarea]"
        return self.wait(lambda: next((each for each in self.driver.find_elements(By.XPATH, path)
                                       if each.is_displayed()), None), f"a field “{name}”")

    def write(self, name, text, within="main"):
        field = self.field(name, within)
        field.clear()
        field.send_keys(text)

    def row(self, name):
        """The link of a table's row."""
        return self.wait(lambda: next((each for each in self.all(".row a[href]") if each.text == name), None), f"a row “{name}”")

    def outside(self, width):
        """What people use or read that does not fit onto a screen of this width, but for what is scrolled in its own frame."""
        wide = self.run("return document.documentElement.scrollWidth")
        out = self.run("""
          return [...document.querySelectorAll("a, button, input, select, textarea, h1, h2, p")].filter((each) => {
            const box = each.getBoundingClientRect();
            return box.width > 0 && box.left > -900 && (box.left < -1 || box.right > arguments[0] + 1) && !each.closest(".skip, .scroll");
          }).map((each) => each.outerHTML.slice(0, 120));""", width)
        return out + ([f"the page is {wide} wide"] if wide > width else [])

    def controls(self):
        """Roles and names in Chromium's own tree for screen readers, not what the page says of itself."""
        tree = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if "role" in node and not node.get("ignored")}

    def faults(self):
        """What the page told the browser's own console as errors."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def axe(self):
        """What axe finds wrong: rule and place of each."""
        return [f"{each['id']}: {node['html']} {node['failureSummary']}"
                for each in Axe().run(self.driver)["violations"] for node in each["nodes"]]


class ConsoleTest(unittest.TestCase):
    """A test with a browser. Errors in the browser's own console are failures."""

    #: Words of errors that the test brings about.
    expected = ()

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def setUp(self):
        self.browser.size(1200, 750)
        self.browser.media()
        self.browser.faults()
        self.peers = []

    def tearDown(self):
        self.browser.driver.get("about:blank")
        for peer in self.peers:
            peer.close()
        faults = [each for each in self.browser.faults() if not any(words in each for words in self.expected)]
        self.assertEqual(faults, [])

    def serve(self, *arguments, **options):
        server = Server(*arguments, **options)
        self.addCleanup(server.end)
        return server

    def peer(self, server, name=None, token=None):
        peer = server.peer(name, token)
        self.peers.append(peer)
        return peer
