# Prints every version that is installed, by the tool that knows it.
section() { printf '# %s\n' "$1"; }
command -v dpkg-query > /dev/null && { section debian; dpkg-query -W -f '${Package}=${Version}\n'; }
command -v python3 > /dev/null && { section python; python3 -m pip freeze --all 2> /dev/null; }
[ -d node_modules ] && { section node; npm ls --all --parseable --long 2> /dev/null | sed 's/^.*://' | sort -u; }
[ -f go.mod ] && command -v go > /dev/null && { section go; GOFLAGS=-mod=mod go list -m all 2> /dev/null; }
[ -f Cargo.lock ] && { section rust; awk -F'"' '/^name = /{name=$2} /^version = /{print name "=" $2}' Cargo.lock; }
true
