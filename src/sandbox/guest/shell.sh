# Evaluated by the shell that runs one command of the journal. It begins where an earlier one ended: same directory,
# exported variables and functions. Arguments: the job's path, the names of the container's own variables, and the state to
# begin with (empty: none). State is data in files, so it survives the worker, and a snapshot carries it.
unset POINTSMAN_SHELL
__pointsman_job=$1 __pointsman_base=$2
if [[ -n $3 ]]; then
  { IFS= read -r -d $'\1' __pointsman_cwd; IFS= read -r -d '' __pointsman_state; } < "$3"
  eval "$__pointsman_state" 2> /dev/null
  # bash read it before it knew the variable; a umask lives there (experience's set_umask).
  [[ -n ${BASH_ENV-} && -r $BASH_ENV ]] && . "$BASH_ENV"
  cd -- "$__pointsman_cwd" 2> /dev/null || cd /
  unset __pointsman_cwd __pointsman_state
fi
shift $#
__pointsman_save() {
  local name
  unset -f __pointsman_save
  {
    printf '%s\1' "$PWD"
    unset POINTSMAN_JOB PWD OLDPWD SHLVL _
    while IFS= read -r name; do [[ -v $name ]] || printf 'unset %s\n' "$name"; done < "$__pointsman_base"
    declare -px
    declare -f
    printf '\n#whole\n'
  } > "$__pointsman_job.env" 2> /dev/null
}
trap __pointsman_save EXIT
{ read -r _; IFS= read -r -d '' __pointsman_command; } < "$__pointsman_job.cmd"
