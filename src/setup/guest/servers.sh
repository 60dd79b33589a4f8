pointsman_servers=$(mktemp)
# Since the machine started: that clock is not set.
pointsman_uptime() { read -r up _ < /proc/uptime; up=${up%.*}; }
# Starts server $1 by the command $2, unless it is up, and waits until $3 says that it is.
pointsman_start() {
  local log pid up began; pointsman_uptime; began=$up
  bash -c "$3" > /dev/null 2>&1 && return
  log=$(mktemp)
  POINTSMAN_SERVER=$pointsman_servers setsid bash -c "$2" > "$log" 2>&1 < /dev/null &
  pid=$!
  until bash -c "$3" > /dev/null 2>&1; do
    if [[ -n $pid ]] && ! kill -0 "$pid" 2> /dev/null; then
      wait "$pid" || { echo "$1 did not start: its start command ended with $?" && tail -c 1500 "$log"; return 1; }
      pid=
    fi
    pointsman_uptime; (( up - began < 60 )) || { echo "$1 was not ready after 60 s" && tail -c 1500 "$log"; return 1; }
    sleep 0.1
  done
  # One that ended by then left its server in the background, and its number to anybody.
  kill -0 "$pid" 2> /dev/null && echo "$pid" >> "$pointsman_servers"
  rm -f "$log"
}
# Ends what was started, and waits until it has written what it holds.
pointsman_stop() {
  local pid stat up began family=" $(tr '\n' ' ' < "$pointsman_servers")"; pointsman_uptime; began=$up
  for pid in $(printf '%s\n' /proc/[0-9]* | sed 's|/proc/||' | sort -n); do
    stat=$(cat "/proc/$pid/stat") && stat=${stat##*) ? } || continue
    [[ $family == *" ${stat%% *} "* ]] || grep -qzxF "POINTSMAN_SERVER=$pointsman_servers" "/proc/$pid/environ" || continue
    family+="$pid "
  done
  # su ends by itself; asked to, it would kill what it runs after two seconds.
  for pid in $family; do [[ $(cat "/proc/$pid/comm") =~ ^(su|runuser)?$ ]] || kill "$pid"; done
  for pid in $family; do
    while stat=$(cat "/proc/$pid/stat") && [[ $stat != *') Z '* ]]; do
      pointsman_uptime; (( up - began < 60 )) || { kill -9 "$pid"; break; }
      sleep 0.1
    done
  done
  rm -f "$pointsman_servers"
} 2> /dev/null
