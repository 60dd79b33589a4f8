# Sourced by the shell that runs one command of the journal. It begins where the last command ended: same directory,
# exported variables and functions. Arguments: our folder, the job's path, the state folder. State is data in files,
# so it survives the worker, and a snapshot carries it.
__switchyard_job=$2 __switchyard_state=$3
shift $#
# Two slots in turn, the older one whole while the newer is written: a kill at any moment leaves one to begin from.
__switchyard_slot=0
[[ ! -s $__switchyard_state/slot ]] || read -r __switchyard_slot < "$__switchyard_state/slot"
if [[ -s $__switchyard_state/env.$__switchyard_slot ]]; then
  . "$__switchyard_state/env.$__switchyard_slot" 2>/dev/null
fi
if [[ -s $__switchyard_state/cwd.$__switchyard_slot ]]; then
  IFS= read -r -d '' __switchyard_cwd < "$__switchyard_state/cwd.$__switchyard_slot"
  cd -- "$__switchyard_cwd" 2>/dev/null || cd /
  unset __switchyard_cwd
fi
__switchyard_save() {
  local name slot=$((1 - __switchyard_slot))
  unset -f __switchyard_save
  printf '%s' "$PWD" > "$__switchyard_state/cwd.$slot"
  unset SWITCHYARD_JOB PWD OLDPWD SHLVL _
  {
    while IFS= read -r name; do [[ -v $name ]] || printf 'unset %s\n' "$name"; done < "$__switchyard_state/base"
    declare -px
    declare -f
  } > "$__switchyard_state/env.$slot" 2>/dev/null
  printf '%s\n' "$slot" > "$__switchyard_state/slot"
}
trap __switchyard_save EXIT
IFS= read -r -d '' __switchyard_command < "$__switchyard_job.cmd"
