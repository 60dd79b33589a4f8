"""Usage: go.py MODULE VERSION; GOPROXY, GOSUMDB and GONOSUMDB as Go has them. What `go mod download` would fetch."""
import base64
import fnmatch
import hashlib
import io
import os
import re
import zipfile

from fetching import Refused, from_debian, get, needed, run, tool, unknown, write

HINT = "Put go on the worker's PATH, or set GOPROXY in its environment (without credentials)."


def settings():
    """Go's own, where the worker has neither Go nor the variables."""
    found = {name: os.environ.get(name, "") for name in ("GOPROXY", "GOSUMDB", "GONOSUMDB")}
    if found["GOPROXY"] and found["GOSUMDB"]:
        return found
    folder = from_debian(r"^golang-1\.[0-9]+-go$")
    needed(folder, "the Go module proxy", HINT)
    root = os.path.join(folder, "usr/lib", os.listdir(os.path.join(folder, "usr/lib"))[0])
    for name in ("GOPROXY", "GOSUMDB"):
        asked = tool([root + "/bin/go", "env", name], "go env", env={"GOROOT": root, "HOME": "/tmp"})
        found[name] = found[name] or asked.strip()
    return found


def escaped(text):
    """Capitals as the proxy protocol wants them, for file systems that know none."""
    return re.sub("[A-Z]", lambda letter: "!" + letter.group().lower(), text)


def directory_hash(data):
    """Go's `h1:`: the digest of a sorted list of every file's digest and name."""
    digest = hashlib.sha256()
    with zipfile.ZipFile(io.BytesIO(data)) as files:
        for name in sorted(files.namelist(), key=lambda name: name.encode()):
            digest.update(("%s  %s\n" % (hashlib.sha256(files.read(name)).hexdigest(), name)).encode())
    return "h1:" + base64.b64encode(digest.digest()).decode()


def verified(data, module, version, proxy, env):
    database = env["GOSUMDB"].split()[0]
    private = [pattern for pattern in env["GONOSUMDB"].split(",") if pattern]
    heads = ["/".join(module.split("/")[: n + 1]) for n in range(module.count("/") + 1)]
    if database == "off" or any(fnmatch.fnmatch(head, pattern) for head in heads for pattern in private):
        return ["the Go checksum database is switched off for this module, so the file was taken as it came"]
    name = database.split("+")[0]
    path = "/lookup/%s@%s" % (escaped(module), escaped(version))
    for base in ("%s/sumdb/%s" % (proxy, name), "https://" + name):
        try:
            answer = get(base + path)
        except Refused:
            continue
        lines = answer[0].decode().splitlines() if answer else []
        sums = [line.split()[2] for line in lines if line.split()[:2] == [module, version] and len(line.split()) == 3]
        if not sums:
            continue
        if directory_hash(data) != sums[0]:
            message = "the checksum database has %s for it, the file has %s" % (sums[0], directory_hash(data))
            raise Refused("Unavailable", message, "Somebody between here and the proxy changes files.")
        return ["compared with the Go checksum database; the signature of its answer was not checked"]
    return ["no Go checksum database could be asked, so the file was taken as it came"]


def versions_at(at):
    listed = get(at + "list")
    return listed[0].decode().split() if listed else []


def main(module, version):
    env = settings()
    proxies = [each.rstrip("/") for each in re.split("[,|]", env["GOPROXY"]) if each not in ("direct", "off", "")]
    needed(proxies, "a Go module proxy (GOPROXY is %s)" % env["GOPROXY"], HINT)
    seen = []
    for proxy in proxies:
        at = "%s/%s/@v/" % (proxy, escaped(module))
        try:
            answer = get("%s%s.zip" % (at, escaped(version)))
        except Refused:
            # A guarded proxy forbids what it does not have; its list tells which it was.
            if version in (listed := versions_at(at)) or not listed:
                raise
            answer = None
        if answer is None:
            seen += versions_at(at)
            continue
        write(answer[0])
        return {"notes": verified(answer[0], module, version, proxy, env)}
    in_order = sorted(seen, key=lambda each: [int(part) for part in re.findall(r"\d+", each)])
    raise unknown("version %s of %s" % (version, module), in_order)


run(main)
