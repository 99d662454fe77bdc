// Hosts pass a setting that was left blank as its placeholder.
for (const name of ['FRED_API_KEY', 'QUANTSHELF_HOME']) {
  if (process.env[name]?.startsWith('${')) delete process.env[name];
}
// A host that runs this inside a process of its own may have arguments there.
process.argv.splice(2);
await import('./server/bin/quantshelf.js');
