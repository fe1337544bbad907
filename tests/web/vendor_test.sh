#!/usr/bin/env bash
# Compares web/vendor with what npm fetched for web/package-lock.json. usage: vendor_test.sh WEB
set -euo pipefail
cd "$1"
[ -d node_modules ] || { echo "no web/node_modules: nothing to compare with"; exit 77; }
for package in vega vega-lite vega-embed; do
  # npm's folder must be of the pinned version, or the comparison would say nothing.
  pinned=$(sed -n "/\"node_modules\/$package\": {/,/}/s/.*\"version\": \"\(.*\)\".*/\1/p" package-lock.json)
  fetched=$(sed -n 's/^ *"version": "\(.*\)".*/\1/p' "node_modules/$package/package.json" | head -n 1)
  [ "$pinned" = "$fetched" ] || { echo "node_modules has $package $fetched, not $pinned: npm ci"; exit 77; }
  cmp "vendor/$package/$package.min.js" "node_modules/$package/build/$package.min.js"
  cmp "vendor/$package/LICENSE" "node_modules/$package/LICENSE"
done
echo "vega, vega-lite and vega-embed are npm's"
