#!/bin/sh
# Creates Temporal's two databases and brings their schemas to this version. Safe to run at every start and after an
# upgrade: what exists is kept, and only newer schema versions are applied.
set -eu

schema=/etc/temporal/schema/postgresql/v12

for store in temporal visibility; do
  case $store in
  temporal) database=temporal ;;
  visibility) database=temporal_visibility ;;
  esac
  sql() { temporal-sql-tool --plugin "$SQL_PLUGIN" --endpoint "$SQL_HOST" --port "$SQL_PORT" --user "$SQL_USER" --database "$database" "$@"; }
  echo "schema: $database"
  sql create-database
  sql setup-schema --version 0.0
  sql update-schema --schema-dir "$schema/$store/versioned"
done
