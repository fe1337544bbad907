#!/usr/bin/env bash
# Builds the documentation's site, warnings being errors, and looks at it in a browser. Skipped (77) without mkdocs, which
# make docs installs.
# usage: site_test.sh SOURCE_DIR [SITE]
set -euo pipefail
command -v mkdocs > /dev/null || { echo "mkdocs is not installed: make docs installs it"; exit 77; }
site=${2:-$(mktemp -d)}
[ -n "${2:-}" ] || trap 'rm -rf "$site"' EXIT
mkdocs build --quiet --strict --config-file "$1/site/mkdocs.yml" --site-dir "$site"
if [ -x /usr/bin/chromium ] && [ -x /usr/bin/chromedriver ] && command -v node > /dev/null; then
  node "$1/tests/docs/site_test.mjs" "$site"
else
  echo "built; not looked at, because there is no chromium, chromedriver or node"
fi
