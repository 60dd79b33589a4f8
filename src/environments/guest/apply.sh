# Applies the patch of $1 bytes on standard input, without context where $2 says so, and clears the paths that follow. Prints
# what git says the patch touches (`--numstat -z`), and ends with what git says where it does not fit; 75 is no word on the
# patch. It comes this way because a file that the engine writes costs as much as another command.
bytes=$1 how=$2
shift 2
patch=$(mktemp -p /tmp) && head -c "$bytes" > "$patch" || exit 75
if [ -s "$patch" ]; then
  git apply --numstat -z $how "$patch"
  if ! said=$(git apply --whitespace=nowarn $how "$patch" 2>&1); then
    # A committed image's files have new inodes, which a merge would take for changes.
    git update-index -q --refresh || true
    # A patch whose context has moved is tried as a three-way merge before it is given up.
    git apply --whitespace=nowarn --3way "$patch" > /dev/null 2>&1 || { printf '%s\n' "$said" >&2; exit 1; }
    git reset -q
  fi
fi
rm -rf -- "$patch" "$@" || exit 75
