#!/bin/bash
# The exec journal: runs commands exactly once, inside of the container, on behalf of a worker that may die at any moment.
#
# One server answers one worker over stdin/stdout; requests are served in order. A job is a few files under $ROOT/jobs:
# creating the first is the lock, so a request that is sent again finds the job and follows it instead of running it again.
# Everything lives in the container's own layer: a snapshot that holds a command's effect also holds its record.
#
# Requests (a line of words, then the announced bytes):      Answers (a line of words, then the announced bytes):
#   run ID AFTER DIR_N TIMEOUT_MS HEAD TAIL N     dir command        done ID CODE REASON START_US END_US ELIDED TREE BYTES
#   apply ID AFTER DIR_N KIND TEXT_N PATH_N N     dir text path bytes   done ...      (KIND: write, delete, none)
#   look LIMIT PATH_N                       path              file KIND PARENT BYTES  (KIND: missing, directory, file, large)
#   digest WORKDIR_N                        path              tree HASH|- 0
#   diff BASE WORKDIR_N                     path              patch HASH|- BYTES
#   state                                                     state BYTES
#   position                                                  position ID 0
# DIR is the work directory whose tree id the job met (DIR_N 0: none); it is taken in the idle time after the job before.
# AFTER is the job that the worker believes came last ("*": any). When it did not, the answer is `diverged LAST 0`: the
# container is not the one that the worker's transcript describes, and must be rebuilt.
#
# Needs bash >= 5, coreutils and /proc; git for digests and diffs.
set -u -m
# Lengths are bytes here; commands get the locale that the container came with.
LOCALE=${LC_ALL-unset}
declare +x LC_ALL=C
ROOT=/var/lib/switchyard
JOBS=$ROOT/jobs
STATE=$ROOT/state
KEEP=64
STARTED=0
HOME_OF_SCRIPTS=${BASH_SOURCE[0]%/*}

mkdir -p "$JOBS" "$STATE"
WAKE=$ROOT/wake.$$
mkfifo "$WAKE" && exec 8<>"$WAKE" && rm -f "$WAKE"
[[ -s $STATE/base ]] || compgen -e > "$STATE/base"
# What tests and editors leave behind is no change of the workspace, and its bytes differ from run to run.
[[ -s $ROOT/exclude ]] || printf '%s\n' __pycache__/ '*.pyc' .pytest_cache/ .mypy_cache/ .ruff_cache/ .hypothesis/ > "$ROOT/exclude"

now_us() { local t=$EPOCHREALTIME; REPLY=${t/./}; }

read_bytes() { # N: the next N bytes of the request; commands, paths and texts hold no NUL
  REPLY=
  (( $1 == 0 )) || IFS= read -r -N "$1" REPLY
}

last_job() { REPLY=-; [[ ! -s $STATE/last ]] || read -r REPLY < "$STATE/last"; }

# Answers 0 when job $1 may start after $2; 1 when it is there already; 2 when the container diverged.
admit() {
  [[ -e $JOBS/$1.lock ]] && return 1
  last_job
  [[ $2 == '*' || $2 == "$REPLY" ]] || { printf 'diverged %s 0\n' "$REPLY"; return 2; }
  set -o noclobber # the redirection fails when another server was quicker, and costs no process
  { : > "$JOBS/$1.lock"; } 2> /dev/null
  local made=$?
  set +o noclobber
  return "$made"
}

forget_old_jobs() {
  (( ++STARTED % KEEP == 0 )) || return 0
  local old
  mapfile -t old < <(cd "$JOBS" && ls -1t -- *.lock | tail -n +$((KEEP + 1)))
  (cd "$JOBS" && for lock in "${old[@]}"; do rm -f -- "${lock%.lock}".*; done)
}

# --- processes ---------------------------------------------------------------------------------------------------

# Whether $1 is a live process (zombies are not).
alive() {
  local stat
  { read -r stat < "/proc/$1/stat"; } 2>/dev/null || return 1
  stat=${stat##*) }
  [[ ${stat%% *} != Z ]]
}

# Processes of job $1 that started at clock tick $2 or later: those that carry its mark, wherever they fled to
# (setsid, nohup, double fork), and young orphans whose environment is unreadable or was cleared. No forks, so it works
# in the middle of a fork bomb.
processes_of() {
  FOUND=()
  local dir pid stat fields entry marked readable
  for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    (( pid == 1 || pid == $$ || pid == BASHPID )) && continue
    { read -r stat < "$dir/stat"; } 2>/dev/null || continue
    fields=(${stat##*) })
    [[ ${fields[0]} == Z ]] && continue
    (( ${fields[19]} >= $2 )) || continue
    marked= readable=
    while IFS= read -r -d '' entry; do
      readable=1
      [[ $entry == "SWITCHYARD_JOB=$1" ]] && { marked=1; break; }
    done 2>/dev/null < "$dir/environ"
    if [[ -n $marked ]] || { [[ -z $readable ]] && (( ${fields[1]} == 1 )); }; then FOUND+=("$pid"); fi
  done
}

kill_tree() { # ID: TERM, half a second of grace, then KILL until nobody is left
  local born=0 round
  [[ ! -s $JOBS/$1.born ]] || read -r born < "$JOBS/$1.born"
  processes_of "$1" "$born"
  (( ${#FOUND[@]} == 0 )) || kill -TERM "${FOUND[@]}" 2>/dev/null
  for (( round = 0; round < 200; round++ )); do
    processes_of "$1" "$born"
    (( ${#FOUND[@]} == 0 )) && return 0
    (( round < 10 )) || kill -KILL "${FOUND[@]}" 2>/dev/null
    read -r -t 0.05 -u 8 _ || :
  done
}

# --- commands ----------------------------------------------------------------------------------------------------

start_job() { # ID COMMAND
  local job=$JOBS/$1 stat
  printf '%s' "$2" > "$job.cmd"
  : > "$job.out"
  { read -r stat < /proc/self/stat; } 2>/dev/null
  now_us; printf '%s\n' "$REPLY" > "$job.start"
  printf '%s\n' "$1" > "$STATE/last"
  (
    { read -r stat < "/proc/$BASHPID/stat"; stat=(${stat##*) }); printf '%s\n' "${stat[19]}" > "$job.born"; }
    printf '%s\n' "$BASHPID" > "$job.keeper"
    if [[ $LOCALE == unset ]]; then unset LC_ALL; else export LC_ALL=$LOCALE; fi
    SWITCHYARD_JOB=$1 bash --noprofile --norc -c '. "$1/shell.sh"; eval "$__switchyard_command"' bash "$HOME_OF_SCRIPTS" "$job" "$STATE" < /dev/null >> "$job.out" 2>&1 8>&-
    code=$?
    now_us
    printf '%s %s\n' "$code" "$REPLY" > "$job.code"
    printf 'x\n' >&8
  ) > /dev/null 2>&1 &
}

# Keeps the output file small while the command runs: the head is set aside once, then only the newest tail. The writer
# appends, so cutting the file to nothing is safe; what a fast writer adds between the last look and the cut is not counted.
rotate_output() { # ID HEAD TAIL
  local job=$JOBS/$1 size elided=0
  size=$(stat -c %s "$job.out" 2>/dev/null) || return 0
  (( size > $2 + 2 * $3 + 1048576 )) || return 0
  [[ -e $job.head ]] || head -c "$2" "$job.out" > "$job.head"
  tail -c "$3" "$job.out" > "$job.tail.new" && mv "$job.tail.new" "$job.tail"
  size=$(stat -c %s "$job.out")
  truncate -s 0 "$job.out"
  [[ ! -s $job.rotated ]] || read -r elided < "$job.rotated"
  printf '%s\n' "$(( elided + size ))" > "$job.rotated"
}

# Waits until the job ends, its deadline passes, or its keeper is gone. Any number of servers may follow one job.
follow_job() { # ID TIMEOUT_MS HEAD TAIL
  local job=$JOBS/$1 start=0 keeper=0 code='' deadline polls=0 pause=0.25 every=1
  [[ ! -s $job.start ]] || read -r start < "$job.start"
  (( start > 0 )) || { now_us; start=$REPLY; }
  (( deadline = start + $2 * 1000 ))
  [[ -n ${FOLLOWING:-} ]] && pause=0.02 every=12
  while [[ ! -s $job.code ]]; do
    read -r -t "$pause" -u 8 _ || :
    [[ -s $job.code ]] && break
    now_us
    if (( REPLY >= deadline )) && [[ ! -e $job.reason ]]; then
      printf 'timeout\n' > "$job.reason"
      kill_tree "$1"
    fi
    (( ++polls % every )) || rotate_output "$1" "$3" "$4"
    [[ ! -s $job.keeper ]] || read -r keeper < "$job.keeper"
    if (( keeper == 0 )); then
      # The server died between making the job and starting it: nothing ran, and nobody will say so later.
      (( polls < 100 )) || { now_us; printf '137 %s\n' "$REPLY" > "$job.code"; }
    elif ! alive "$keeper" && [[ ! -s $job.code ]]; then
      kill_tree "$1"
      [[ -e $job.reason ]] || printf 'killed\n' > "$job.reason"
      now_us; printf '137 %s\n' "$REPLY" > "$job.code"
    fi
  done
}

answer_job() { # ID HEAD TAIL
  local job=$JOBS/$1 tree=- code=137 end=0 start=0 reason=exit elided=0 body='' size rest
  read -r code end < "$job.code"
  [[ ! -s $job.start ]] || read -r start < "$job.start"
  [[ ! -s $job.reason ]] || read -r reason < "$job.reason"
  [[ ! -s $job.tree ]] || read -r tree < "$job.tree"
  # A small output without NUL bytes needs no process at all: `read` fails at the end of the file, having read it all.
  if [[ ! -e $job.rotated ]] && ! IFS= read -r -d '' -n 65537 body < "$job.out" && (( ${#body} < 65537 && ${#body} <= $2 )); then
    printf 'done %s %s %s %s %s 0 %s %s\n%s' "$1" "$code" "$reason" "$start" "$end" "$tree" "${#body}" "$body"
    return
  fi
  [[ -e $job.final ]] || assemble_output "$1" "$2" "$3"
  read -r elided < "$job.final"
  size=$(stat -c %s "$job.shown")
  printf 'done %s %s %s %s %s %s %s %s\n' "$1" "$code" "$reason" "$start" "$end" "$elided" "$tree" "$size"
  cat "$job.shown"
}

assemble_output() { # ID HEAD TAIL: head and tail of all that was written, and how many bytes are missing between
  local job=$JOBS/$1 size rotated=0 total shown
  size=$(stat -c %s "$job.out")
  [[ ! -s $job.rotated ]] || read -r rotated < "$job.rotated"
  total=$(( rotated + size ))
  if (( rotated == 0 && total <= $2 + $3 )); then
    cp "$job.out" "$job.shown"
  else
    [[ -e $job.head ]] || head -c "$2" "$job.out" > "$job.head"
    { cat "$job.head"; { [[ ! -e $job.tail ]] || cat "$job.tail"; cat "$job.out"; } | tail -c "$3"; } > "$job.shown"
  fi
  : > "$job.out"; rm -f "$job.head" "$job.tail"
  shown=$(stat -c %s "$job.shown")
  printf '%s\n' "$(( total > shown ? total - shown : 0 ))" > "$job.final"
}

serve_run() { # ID AFTER DIR_N TIMEOUT_MS HEAD TAIL N
  local dir command FOLLOWING=
  read_bytes "$3"; dir=$REPLY
  read_bytes "$7"; command=$REPLY
  admit "$1" "$2"
  case $? in
    0) forget_old_jobs; note_tree "$1" "$dir"; start_job "$1" "$command" ;;
    1) FOLLOWING=1 ;;
    2) return ;;
  esac
  follow_job "$1" "$4" "$5" "$6"
  answer_job "$1" "$5" "$6"
  foresee_tree "$dir"
}

# --- files -------------------------------------------------------------------------------------------------------

# A write-ahead record: the bytes are complete in the job before the file is touched, so that a kill between the two is
# mended by applying them again. Written through the path, so owner, mode and links stay.
serve_apply() { # ID AFTER DIR_N KIND TEXT_N PATH_N N
  local dir text path job=$JOBS/$1
  read_bytes "$3"; dir=$REPLY
  read_bytes "$5"; text=$REPLY
  read_bytes "$6"; path=$REPLY
  if [[ ! -e $job.ready ]]; then
    rm -f "$job".*
    admit "$1" "$2"
    if (( $? == 2 )); then (( $7 == 0 )) || head -c "$7" > /dev/null; return; fi
    note_tree "$1" "$dir"
    printf '%s' "$text" > "$job.out"
    printf '%s' "$path" > "$job.path"
    printf '%s\n' "$4" > "$job.kind"
    (( $7 == 0 )) && : > "$job.bytes" || head -c "$7" > "$job.bytes"
    now_us; printf '%s\n' "$REPLY" > "$job.start"
    : > "$job.ready"
  else
    (( $7 == 0 )) || head -c "$7" > /dev/null
  fi
  if [[ ! -s $job.code ]]; then
    # From the record, not from the request: a retry computed its request from a file that may be half written.
    local code=0 kind
    read -r kind < "$job.kind"
    IFS= read -r -d '' path < "$job.path"
    case $kind in
      write) cat "$job.bytes" > "$path" || code=1 ;;
      delete) rm -f -- "$path" || code=1 ;;
    esac 2> "$job.error"
    now_us
    printf '%s %s\n' "$code" "$REPLY" > "$job.code"
    printf '%s\n' "$1" > "$STATE/last"
  fi
  answer_job "$1" 16777216 0
  foresee_tree "$dir"
}

serve_look() { # LIMIT PATH_N
  local path parent=0 size body
  read_bytes "$2"; path=$REPLY
  [[ -d ${path%/*}/ || -z ${path%/*} ]] && parent=1
  if [[ -d $path ]]; then
    body=$(find "$path" -maxdepth 2 -not -path "${path%/}/.*" -not -path "${path%/}/*/.*" 2>/dev/null | sort)
    printf 'file directory %s %s\n%s' "$parent" "${#body}" "$body"
  elif [[ ! -f $path ]]; then
    printf 'file missing %s 0\n' "$parent"
  else
    size=$(stat -L -c %s "$path")
    if (( size > $1 )); then printf 'file large %s 0\n' "$parent"; return; fi
    # A file that grows or shrinks while it is read must not break the framing: copy first, then announce.
    head -c "$size" "$path" > "$ROOT/look" 2>/dev/null
    size=$(stat -c %s "$ROOT/look")
    printf 'file file %s %s\n' "$parent" "$size"
    cat "$ROOT/look"
  fi
}

# --- workspace ---------------------------------------------------------------------------------------------------

# Our own index and object folder beside the repository's: the agent's staging area and objects stay as they are.
GIT=(-c core.fsync=none -c core.autocrlf=false -c core.quotepath=off -c core.hooksPath=/dev/null -c safe.directory='*' -c core.excludesFile="$ROOT/exclude")

snapshot_tree() { # WORKDIR
  REPLY=-
  local top objects
  { read -r top; read -r objects; } < <(git -C "$1" "${GIT[@]}" rev-parse --show-toplevel --git-path objects 2>/dev/null) || return 0
  [[ $objects == /* ]] || objects=$1/$objects
  mkdir -p "$ROOT/objects"
  OWN=(env GIT_INDEX_FILE="$ROOT/index" GIT_OBJECT_DIRECTORY="$ROOT/objects" GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects" git -C "$top" "${GIT[@]}")
  REPLY=$("${OWN[@]}" add -A > /dev/null 2>&1 && "${OWN[@]}" write-tree 2>/dev/null) || REPLY=-
  [[ -n $REPLY ]] || REPLY=-
}

# After an answer the worker asks the model, which takes longer than a tree: the next job finds it ready. A kill before
# it is written only means that it is taken at the start of the next job, from the same files.
foresee_tree() { # DIR
  [[ -n $1 ]] || return 0
  snapshot_tree "$1"
  local tree=$REPLY
  last_job
  printf '%s %s\n' "$REPLY" "$tree" > "$STATE/tree"
}

note_tree() { # ID DIR: the tree that job ID meets; the last job must not be noted yet
  [[ -n $2 ]] || return 0
  local at=- tree=-
  [[ ! -s $STATE/tree ]] || read -r at tree < "$STATE/tree"
  last_job
  if [[ $at != "$REPLY" || $at == - ]]; then snapshot_tree "$2"; tree=$REPLY; fi
  printf '%s\n' "$tree" > "$JOBS/$1.tree"
}

serve_digest() { # WORKDIR_N
  read_bytes "$1"
  snapshot_tree "$REPLY"
  printf 'tree %s 0\n' "$REPLY"
}

serve_diff() { # BASE WORKDIR_N
  local workdir tree size=0
  read_bytes "$2"; workdir=$REPLY
  snapshot_tree "$workdir"; tree=$REPLY
  : > "$ROOT/patch"
  if [[ $tree != - ]]; then
    "${OWN[@]}" diff --no-ext-diff --no-textconv --no-color --no-renames \
      --binary --full-index --src-prefix=a/ --dst-prefix=b/ "$1" "$tree" -- > "$ROOT/patch" 2>/dev/null
  fi
  size=$(stat -c %s "$ROOT/patch")
  printf 'patch %s %s\n' "$tree" "$size"
  cat "$ROOT/patch"
}

serve_state() {
  local body='' cwd=''
  local slot=0
  [[ ! -s $STATE/slot ]] || read -r slot < "$STATE/slot"
  [[ ! -s $STATE/cwd.$slot ]] || IFS= read -r -d '' cwd < "$STATE/cwd.$slot"
  [[ ! -s $STATE/env.$slot ]] || IFS= read -r -d '' body < "$STATE/env.$slot"
  body="$cwd"$'\n'"$body"
  printf 'state %s\n%s' "${#body}" "$body"
}

serve() {
  trap : PIPE # not '': commands would inherit an ignored SIGPIPE
  printf 'ready %s 0\n' "$BASH_VERSION"
  local words
  while read -r -a words; do
    case ${words[0]:-} in
      run) serve_run "${words[@]:1}" ;;
      apply) serve_apply "${words[@]:1}" ;;
      look) serve_look "${words[@]:1}" ;;
      digest) serve_digest "${words[@]:1}" ;;
      diff) serve_diff "${words[@]:1}" ;;
      state) serve_state ;;
      position) last_job; printf 'position %s 0\n' "$REPLY" ;;
      *) printf 'refused %s 0\n' "${words[0]:-}" ;;
    esac
  done
}

case ${1:-serve} in
  serve) serve ;;
  kill) # ID REASON: from a second process, while the server waits for the job
    [[ -e $JOBS/$2.lock ]] || exit 0
    [[ -e $JOBS/$2.reason ]] || printf '%s\n' "${3:-cancelled}" > "$JOBS/$2.reason"
    kill_tree "$2" ;;
esac
