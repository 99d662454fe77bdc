#!/bin/sh
# Claude Desktop runs the command `node` inside its own process, where macOS refuses native parts that
# others have signed; any other command gets a process of its own. What the desktop starts has a short
# PATH, so this looks where Node is commonly installed.
here=${0%/*}
new_enough='process.exit(process.versions.napi >= 10 ? 0 : 1)'
for node in \
  "$(command -v node)" \
  /opt/homebrew/bin/node \
  /usr/local/bin/node \
  "${VOLTA_HOME:-$HOME/.volta}"/bin/node \
  "${ASDF_DATA_DIR:-$HOME/.asdf}"/shims/node \
  "$HOME"/.local/share/mise/shims/node \
  "$HOME"/.local/share/fnm/aliases/default/bin/node \
  "$HOME/Library/Application Support"/fnm/aliases/default/bin/node \
  "${NVM_DIR:-$HOME/.nvm}"/versions/node/*/bin/node; do
  if [ -x "$node" ] && "$node" -e "$new_enough" </dev/null >/dev/null 2>&1; then
    exec "$node" "$here/start.mjs"
  fi
done
echo 'QuantShelf needs Node 22.14 or newer and found none. Install it from https://nodejs.org and restart the host.' >&2
exit 1
