# Starts a command; before PostgreSQL, it creates the database at the first start.
set -eu
if [ "$1" = postgres ]; then
  data=/var/lib/postgresql/data
  cd "$data"
  if [ ! -s "$data/PG_VERSION" ]; then
    printf '%s' "$POSTGRES_PASSWORD" > /tmp/password
    initdb -D "$data" -U "$POSTGRES_USER" --pwfile=/tmp/password --locale=C.UTF-8 \
      --auth-local=trust --auth-host=scram-sha-256 > /dev/null
    rm /tmp/password
    echo "create database $POSTGRES_DB" | postgres --single -D "$data" postgres > /dev/null
    echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
  fi
  exec postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
fi
exec "$@"
