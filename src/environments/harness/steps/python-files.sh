# Writes a tar of the Python files below the current folder. Virtual environments and folders named like one of the arguments
# are left out, and so is what is as large as data: a source file above 2M was generated.
set -o pipefail
skipped=()
for name; do skipped+=(-name "$name" -o); done
find . \( "${skipped[@]}" -exec test -e {}/pyvenv.cfg \; \) -prune -o -type f -name '*.py' -size -2M -print0 |
  sort -z | tar -cf - --no-recursion --null -T -
