#!/usr/bin/env python3
"""The page that `haccess-log export --format html` makes, in a real browser: it filters and unfolds, what is in a journal stays
text, nothing is loaded, and a phone shows it without scrolling sideways.

    html.py HACCESS_LOG [DIRECTORY]    DIRECTORY: where pictures of the page go
"""
import base64, hashlib, http.client, json, os, re, subprocess, sys, tempfile

log = os.path.abspath(sys.argv[1])
pictures = sys.argv[2] if len(sys.argv) > 2 else None
failed = []


def check(what, good, detail=""):
    if not good:
        failed.append(what)
        print(f"html.py: {what}: {detail}")


HOSTILE = ["</script><script>document.title='owned'</script>", "<img src=x onerror=\"document.title='owned'\">",
           "\" onclick=\"document.title='owned'", "'><svg/onload=document.title='owned'>", "&lt;b&gt;&amp;", "]]>--><!--",
           "\x1b[31mred\x1b[0m\nnext\ttab", "\u202egnp.exe", "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627", "\u6f22\u5b57\U0001f600",
           "x" * 800, "a b " * 150, "\x01" + "1", "\x02"]


def record(run, seq, event, prev, **fields):
    line = json.dumps({"schema_version": 1, "run_id": run, "seq": seq, "ts": f"2026-11-30T20:{seq // 60 % 60:02}:{seq % 60:02}.000Z",
                       "event": event, "prev": prev, **fields}, ensure_ascii=seq % 2 == 0).encode()
    return line.replace(b"INVALID", b"\xff\xfe\xc3")


def launch(text, number, adapter="codex", access="full-access", reason="qualified", parent=None):
    return {"id": f"a{number}", "adapter": adapter, "class": "session", "pid": 1, "cwd": text, "model": text, "effort": text,
            "parent_launch": parent, "policy": {"path": text, "state": "enabled"}, "projection": access, "enforcement": text,
            "request": {"access": "full-access", "model": text, "effort": text, "lane": None,
                        "sources": [{"spelling": text, "value": text, "file": text}]},
            "access": {"mode": "full-access" if access == "full-access" else "sandboxed", "reason": reason, "detail": text,
                       "remedy": text},
            "checks": [{"name": text, "result": "failed", "saw": text}],
            "argv_requested": [adapter, text], "argv_rendered": [adapter, "--x", text]}


def write_run(state, run, records):
    os.makedirs(f"{state}/runs/{run}", mode=0o700)
    prev = "0" * 64
    with open(f"{state}/runs/{run}/journal.jsonl", "wb") as f:
        for seq, (event, fields) in enumerate(records):
            line = record(run, seq, event, prev, **fields)
            prev = hashlib.sha256(line).hexdigest()
            f.write(line + b"\n")
    os.chmod(f"{state}/runs/{run}/journal.jsonl", 0o600)


class Browser:
    def __init__(self, home):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True, env={**os.environ, "HOME": home})
        for line in self.driver.stdout:
            if found := re.search(r"successfully on port (\d+)", line):
                break
        self.http = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={home}/profile"]}
        self.session = ""
        self.session = "/session/" + self.post("/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options}}})["sessionId"]

    def post(self, path, body):
        self.http.request("POST", self.session + path, json.dumps(body), {"Content-Type": "application/json"})
        answer = json.loads(self.http.getresponse().read())["value"]
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(answer)
        return answer

    def run(self, script, *args):
        return self.post("/execute/sync", {"script": script, "args": list(args)})

    def devtools(self, command, **params):
        return self.post("/goog/cdp/execute", {"cmd": command, "params": params})

    def type(self, selector, text):
        element = list(self.post("/element", {"using": "css selector", "value": selector}).values())[0]
        self.post(f"/element/{element}/clear", {})
        self.post(f"/element/{element}/value", {"text": text})

    def click(self, selector):
        element = list(self.post("/element", {"using": "css selector", "value": selector}).values())[0]
        self.post(f"/element/{element}/click", {})

    def picture(self, name):
        if pictures:
            shot = self.devtools("Page.captureScreenshot", captureBeyondViewport=False)
            with open(f"{pictures}/{name}.png", "wb") as f:
                f.write(base64.b64decode(shot["data"]))

    def size(self, width, height, mobile=False):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def close(self):
        try:
            self.http.request("DELETE", self.session)
            self.http.getresponse().read()
        finally:
            self.driver.terminate()
            self.driver.wait()


VISIBLE = "return [...document.querySelectorAll('details.launch')].filter(d => d.getClientRects().length).length"

with tempfile.TemporaryDirectory() as top:
    state, home = f"{top}/state", f"{top}/home"
    os.mkdir(home)
    env = {"HOME": home, "HACCESS_STATE_DIR": state, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TMPDIR": top, "COLUMNS": "110"}
    write_run(state, "run-20261130T202915Z-3fa91c", [("run.start", {"command": "./orchestrate.sh", "cwd": "/home/user/shop"})] + [
        ("agent.start", launch("gpt-5.1-codex", 1)), ("agent.start", launch("sonnet", 2, "claude-code", "workspace-write", "effort_below_floor", "run-20261130T202915Z-3fa91c/a1")),
        ("agent.refused", launch("gpt-5.1-codex", 3) | {"refusal": {"code": "filesystem_policies_conflict", "detail": "two of them"}})])
    write_run(state, "run-hostile", [("run.start", {"command": HOSTILE[1], "cwd": HOSTILE[0]})] + [
        ("agent.start", launch(text, number, text if number % 3 == 0 else "codex", text if number % 4 == 0 else "workspace-write", text))
        for number, text in enumerate(HOSTILE + ["INVALID"], 1)])
    write_run(state, "run-many", [("run.start", {"command": "./many.sh", "cwd": "/home/user/many"})] + [
        ("agent.start", launch("gpt-5.1-codex", n, "codex", "workspace-write", "disabled")) for n in range(1, 1001)])
    page = subprocess.run([log, "export", "--format", "html", "--utc"], env=env, capture_output=True, check=True).stdout
    page.decode()
    with open(f"{top}/page.html", "wb") as f:
        f.write(page)
    total = 3 + len(HOSTILE) + 1 + 1000

    browser = Browser(home)
    try:
        browser.size(1280, 900)
        browser.post("/url", {"url": f"file://{top}/page.html"})
        check("nothing is loaded", browser.run("return performance.getEntriesByType('resource').length") == 0)
        check("what is hostile stays text", browser.run("return document.title") == "haccess journal" and
              browser.run("return document.querySelectorAll('img, iframe, object, embed, link, a, svg[onload], [onclick], [onerror]').length") == 0 and
              browser.run("return document.scripts.length") == 1, browser.run("return document.title"))
        check("all launches are there", browser.run("return document.querySelectorAll('details.launch').length") == total)
        check("all text is there", browser.run("return document.body.textContent.includes(arguments[0])", HOSTILE[0]))
        check("totals", browser.run("return [...document.querySelectorAll('.totals b')].map(b => +b.textContent)")[:2] == [total, 3],
              browser.run("return [...document.querySelectorAll('.totals b')].map(b => b.textContent)"))
        check("the summary is above", browser.run("return document.querySelector('#summary').getBoundingClientRect().top < document.querySelector('#runs').getBoundingClientRect().top"))
        browser.picture("light")

        browser.type("input[name=words]", "effort_below sonnet")
        check("words filter", browser.run(VISIBLE) == 1 and browser.run("return document.querySelector('output').textContent") == f"1 of {total} launches",
              [browser.run("return document.querySelector('output').textContent"), browser.run(VISIBLE)])
        browser.type("input[name=words]", "no such word")
        check("nothing fits", browser.run(VISIBLE) == 0 and browser.run("return [...document.querySelectorAll('section.run')].every(s => s.hidden)"))
        browser.type("input[name=words]", " ")
        browser.click("select[name=access] option[value=refused]")
        check("a choice filters", browser.run(VISIBLE) == 1, [browser.run(VISIBLE), browser.run("return document.querySelector('output').textContent"), browser.run("return document.querySelector('select[name=access]').value")])
        browser.click("select[name=access] option[value='']")
        browser.click("select[name=reason] option[value=disabled]")
        check("a reason filters", browser.run(VISIBLE) == 1000, browser.run(VISIBLE))
        browser.click("select[name=reason] option[value='']")
        check("the filter goes away", browser.run(VISIBLE) == total)

        browser.run("document.querySelectorAll('section.run').forEach(s => { if (s.textContent.includes('orchestrate')) s.id = 'mine' })")
        browser.run("document.querySelector('#mine details.launch.narrowed summary').click()")
        said = browser.run("const d = document.querySelector('#mine details.launch.narrowed'); return d.open ? d.querySelector('pre').textContent : null")
        why = subprocess.run([log, "why", "--utc", "run-20261130T202915Z-3fa91c", "a2"], env=env, capture_output=True, text=True, check=True).stdout
        check("a launch unfolds to what why says", said is not None and said.strip() == why.strip(), f"{said}\n--- why:\n{why}")
        browser.run("document.querySelector('#mine details.tree summary').click()")
        tree = subprocess.run([log, "tree", "run-20261130T202915Z-3fa91c"], env=env, capture_output=True, text=True, check=True).stdout
        said = browser.run("return document.querySelector('#mine details.tree pre').textContent")
        check("the tree is there", said.strip() == tree.strip(), f"{said}\n--- tree:\n{tree}")
        browser.run("document.querySelector('#mine').scrollIntoView()")
        browser.picture("unfolded")

        light = browser.run("return getComputedStyle(document.body).backgroundColor")
        browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        check("dark", browser.run("return getComputedStyle(document.body).backgroundColor") != light)
        browser.picture("dark")
        browser.devtools("Emulation.setEmulatedMedia", features=[])
        browser.run("document.querySelectorAll('#mine details, section.run:has(code) details').forEach((d, i) => { if (i < 60) d.open = true })")
        browser.size(390, 844, True)
        check("a phone does not scroll sideways", browser.run("return document.documentElement.scrollWidth") <= 390, browser.run("return document.documentElement.scrollWidth"))
        browser.picture("phone")
        browser.run("document.querySelector('#mine').scrollIntoView()")
        browser.picture("phone-unfolded")
    finally:
        browser.close()
print(f"html.py: {'all good' if not failed else str(len(failed)) + ' failed'}")
sys.exit(bool(failed))
