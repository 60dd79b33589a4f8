#!/bin/sh
# Starts Postgres. Where its folder is empty, first makes the database cluster with POSTGRES_USER as its owner, and runs
# what lies in /docker-entrypoint-initdb.d.
set -eu

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # A start that was cut off leaves no version file, and initdb takes empty folders only.
  find "$PGDATA" -mindepth 1 -delete
  made=$(mktemp -d)
  password=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" >"$password"
  initdb --pgdata "$made" --username "$POSTGRES_USER" --pwfile "$password" --auth-local trust --auth-host scram-sha-256 >&2
  rm "$password"
  echo 'host all all all scram-sha-256' >>"$made/pg_hba.conf"
  # Not reachable for others before it is complete.
  pg_ctl --pgdata "$made" --options '-c listen_addresses=' --wait start >&2
  for file in /docker-entrypoint-initdb.d/*.sql; do
    [ ! -e "$file" ] || psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres --file "$file" >&2
  done
  pg_ctl --pgdata "$made" --mode fast --wait stop >&2
  mv "$made/PG_VERSION" "$made/.PG_VERSION"
  cp -a "$made/." "$PGDATA/"
  mv "$PGDATA/.PG_VERSION" "$PGDATA/PG_VERSION"
  rm -rf "$made"
fi
exec postgres -D "$PGDATA" -c 'listen_addresses=*'
