#!/bin/sh
# What some tests need from the system: a PostgreSQL server, which they start themselves, the library that runs
# language models in a file, and a browser. Without them these tests are skipped.
needed=""
command -v postgres >/dev/null || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || needed="$needed postgresql"
ldconfig -p 2>/dev/null | grep -q libgomp.so.1 || needed="$needed libgomp1"
command -v chromium >/dev/null || needed="$needed chromium fonts-dejavu-core"
[ -z "$needed" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    # shellcheck disable=SC2086
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $needed >/dev/null
else
    echo "not here:$needed; tests that need them will be skipped (install these packages to run them)"
fi
exit 0
