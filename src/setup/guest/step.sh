step_left=$(mktemp)
# Runs the command on its standard input; the directory, exported variables and functions that it leaves are there for the next.
# One that is marked may-fail failed when it was recorded, too.
step() {
  local turn=$1 may_fail=${2-} command step_names code
  command=$(cat) step_names=$(compgen -e)
  shift $#
  (
    leave() {
      printf 'cd -- %q\n' "$PWD"
      for name in $step_names; do [[ -v $name ]] || printf 'unset %s\n' "$name"; done
      unset -f leave && declare -f
      set -o posix && export -p
    }
    trap 'leave > "$step_left"' EXIT
    set +u -o pipefail
    [[ -z ${BASH_ENV-} || ! -r $BASH_ENV ]] || . "$BASH_ENV"
    eval "$command"
  ) < /dev/null
  code=$?
  [[ $code == 0 || $may_fail ]] || { echo "step $turn failed with $code" >&2; exit 1; }
  . "$step_left"
}
