"""Fetches a source distribution through the package index that pip is configured for, without building anything.

Usage: sdist.py NAME VERSION TARGET. Prints `FILE SHA256` of what it wrote to TARGET. `pip download` would run the
project's build for its metadata, which needs compilers and headers that only the set-up brings.
"""
import hashlib
import html.parser
import json
import os
import re
import subprocess
import sys
import urllib.parse

from pip._internal.models.index import PyPI
from pip._vendor import requests


def index_urls():
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], stdout=subprocess.PIPE, text=True).stdout
    found = {}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        found[key.strip().split(".")[-1]] = value.strip().strip("'\"")
    first = os.environ.get("PIP_INDEX_URL") or found.get("index-url") or PyPI.simple_url
    extra = os.environ.get("PIP_EXTRA_INDEX_URL") or found.get("extra-index-url") or ""
    return [first] + extra.replace("\\n", " ").split()


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        href = dict(attrs).get("href")
        if tag == "a" and href:
            self.found.append(href)


def links(session, index, name):
    page = "%s/%s/" % (index.rstrip("/"), name)
    accept = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
    answer = session.get(page, headers={"Accept": accept}, timeout=60)
    if answer.status_code == 404:
        return []
    answer.raise_for_status()
    if "json" in answer.headers.get("Content-Type", ""):
        listed = json.loads(answer.text)["files"]
        return [(urllib.parse.urljoin(answer.url, f["url"]), f.get("hashes", {}).get("sha256")) for f in listed]
    parser = Links()
    parser.feed(answer.text)
    pairs = [urllib.parse.urldefrag(urllib.parse.urljoin(answer.url, href)) for href in parser.found]
    return [(url, fragment[7:] if fragment.startswith("sha256=") else None) for url, fragment in pairs]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def main(name, version, target):
    session = requests.Session()
    for variable in ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"):
        if os.path.exists(os.environ.get(variable, "")):
            session.verify = os.environ[variable]
            break
    seen = []
    for index in index_urls():
        for url, sha256 in links(session, index, normal(name)):
            file = urllib.parse.unquote(urllib.parse.urlparse(url).path.split("/")[-1])
            stem = re.sub(r"\.(tar\.gz|tgz|zip|tar\.bz2|tar\.xz)$", "", file)
            if stem == file or file.endswith(".whl"):
                continue
            owner, _, found = stem.rpartition("-")
            if normal(owner) != normal(name):
                continue
            seen.append(found)
            if found != version:
                continue
            body = session.get(url, timeout=300)
            body.raise_for_status()
            digest = hashlib.sha256(body.content).hexdigest()
            if sha256 and digest != sha256:
                sys.exit("the index announces sha256 %s, the file has %s" % (sha256, digest))
            with open(target, "wb") as out:
                out.write(body.content)
            print(file, digest)
            return
    sys.exit("no source distribution %s of %s; the index has: %s" % (version, name, ", ".join(seen[-12:]) or "none"))


main(*sys.argv[1:4])
