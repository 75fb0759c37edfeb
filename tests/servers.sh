#!/bin/sh
# The PostgreSQL tests start a server of their own; this sees to it that there is one to start. Without it they are skipped.
if command -v postgres >/dev/null || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >/dev/null
else
    echo "no PostgreSQL server here: its tests will be skipped (install the package postgresql to run them)"
fi
exit 0
