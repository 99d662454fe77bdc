#!/usr/bin/env node
// Older versions of Node read this file, too: no syntax that they do not know.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  import('../dist/main.js');
} else {
  process.stderr.write(`QuantShelf needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
}
