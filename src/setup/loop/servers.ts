import type { ServiceSpec } from '../../contract';
import { quote } from '../../rollout/shell';

/** Name of the script's function; with ours in front, because steps bring functions of their own along. */
const START = 'pointsman_start';

/** The step that starts a service of the sandbox, for those that come after it: they may fill its database. */
export function startCommand({ name, start = 'true', health, port, env }: ServiceSpec): string {
  const ready = health ?? `exec 3<>/dev/tcp/127.0.0.1/${port}`;
  const variables = Object.entries(env).map(([key, value]) => `${key}=${quote(value)} `);
  return `${variables.join('')}${START} ${quote(name)} ${quote(start)} ${quote(ready)}`;
}

/** Whether a step of the script starts a server. */
export function startsServer(command: string): boolean {
  return command.includes(`${START} `);
}

/**
 * Nobody keeps a server that a script starts: an image has files and no processes. So the script ends those that it started,
 * which writes what they hold. Whoever runs it on a machine of their own has other processes there: a server's are those
 * that it forked, and those that went into the background with its variable.
 */
export const SERVERS = `pointsman_servers=$(mktemp)
# Starts server $1 by the command $2, unless it is up, and waits until $3 says that it is.
${START}() {
  local log pid began=$SECONDS
  bash -c "$3" > /dev/null 2>&1 && return
  log=$(mktemp)
  POINTSMAN_SERVER=$pointsman_servers setsid bash -c "$2" > "$log" 2>&1 < /dev/null &
  pid=$!
  until bash -c "$3" > /dev/null 2>&1; do
    if [[ -n $pid ]] && ! kill -0 "$pid" 2> /dev/null; then
      wait "$pid" || { echo "$1 did not start: its start command ended with $?" && tail -c 1500 "$log"; return 1; }
      pid=
    fi
    (( SECONDS - began < 60 )) || { echo "$1 was not ready after 60 s" && tail -c 1500 "$log"; return 1; }
    sleep 0.1
  done
  # One that ended by then left its server in the background, and its number to anybody.
  kill -0 "$pid" 2> /dev/null && echo "$pid" >> "$pointsman_servers"
  rm -f "$log"
}
# Ends what was started, and waits until it has written what it holds.
pointsman_stop() {
  local pid stat family=" $(tr '\\n' ' ' < "$pointsman_servers")" began=$SECONDS
  for pid in $(printf '%s\\n' /proc/[0-9]* | sed 's|/proc/||' | sort -n); do
    stat=$(cat "/proc/$pid/stat") && stat=\${stat##*) ? } || continue
    [[ $family == *" \${stat%% *} "* ]] || grep -qzxF "POINTSMAN_SERVER=$pointsman_servers" "/proc/$pid/environ" || continue
    family+="$pid "
  done
  # su ends by itself; asked to, it would kill what it runs after two seconds.
  for pid in $family; do [[ $(cat "/proc/$pid/comm") =~ ^(su|runuser)?$ ]] || kill "$pid"; done
  for pid in $family; do
    while stat=$(cat "/proc/$pid/stat") && [[ $stat != *') Z '* ]]; do
      (( SECONDS - began < 60 )) || { kill -9 "$pid"; break; }
      sleep 0.1
    done
  done
  rm -f "$pointsman_servers"
} 2> /dev/null`;

export const STOP_SERVERS = 'pointsman_stop';
