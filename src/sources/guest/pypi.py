"""Usage: pypi.py NAME VERSION. The source distribution, through the index that pip is configured for.

`pip download` would run the project's build for its metadata, which needs compilers and headers that only the set-up
brings.
"""
import collections
import html.parser
import os
import re
import subprocess
import sys
import urllib.parse

from fetching import Refused, document, get, run, stranger, verified, write
from pip._internal.models.index import PyPI


def index_urls():
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], stdout=subprocess.PIPE, text=True).stdout
    found = {}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        found[key.strip().split(".")[-1]] = value.strip().strip("'\"")
    first = os.environ.get("PIP_INDEX_URL") or found.get("index-url") or PyPI.simple_url
    extra = os.environ.get("PIP_EXTRA_INDEX_URL") or found.get("extra-index-url") or ""
    return [first] + extra.replace("\\n", " ").split()


Link = collections.namedtuple("Link", "url digests uploaded yanked")
PAGE = "the files of a project"


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        if tag == "a" and dict(attrs).get("href"):
            self.found.append(dict(attrs))


def links(index, name):
    """Of each file its address, its digests, when it came and whether it was taken back."""
    answer = get("%s/%s/" % (index.rstrip("/"), name), "application/vnd.pypi.simple.v1+json, text/html;q=0.5")
    if answer is None:
        return []
    body, base = answer[0].decode("utf-8", "replace"), answer[1]
    if body.lstrip().startswith("{"):
        listed = document(answer, ("files",), PAGE)["files"]
        return [
            Link(urllib.parse.urljoin(base, f["url"]), f.get("hashes", {}), f.get("upload-time"), f.get("yanked"))
            for f in listed
        ]
    parser = Links()
    parser.feed(body)
    if not parser.found:
        raise stranger(answer, PAGE)
    return [linked(base, attributes) for attributes in parser.found]


def linked(base, attributes):
    """A link of a page: the digest stands behind the address."""
    url, fragment = urllib.parse.urldefrag(urllib.parse.urljoin(base, attributes["href"]))
    algorithm, _, digest = fragment.partition("=")
    return Link(url, {algorithm: digest}, None, "data-yanked" in attributes)


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def main(name, version):
    seen, wheels = [], False
    for index in index_urls():
        for link in links(index, normal(name)):
            file = urllib.parse.unquote(urllib.parse.urlparse(link.url).path.split("/")[-1])
            stem = re.sub(r"\.(tar\.gz|tgz|zip|tar\.bz2|tar\.xz)$", "", file)
            wheels = wheels or file.endswith(".whl") and file.split("-")[1] == version
            owner, _, found = stem.rpartition("-")
            if stem == file or normal(owner) != normal(name):
                continue
            seen.append(found)
            if found == version:
                return fetched(link, file)
    listed = ", ".join(seen[-12:]) or "none"
    only = ", and wheels alone of that version" if wheels else ""
    message = "no source distribution %s of %s; the index has: %s%s" % (version, name, listed, only)
    raise Refused("InvalidInput", message, "Name a version that has a source distribution.")


def fetched(link, file):
    answer = get(link.url)
    if answer is None:
        raise Refused("Unavailable", "%s is listed but not there" % file, "Try another index or a later time.")
    notes = verified(answer[0], link.digests, "the index")
    write(answer[0])
    yanked = ["this version was yanked by its authors"] if link.yanked else []
    return {"notes": notes + yanked, **({"released": link.uploaded} if link.uploaded else {})}


run(main)
