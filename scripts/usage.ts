/** If `--help` is among the arguments, prints how to call the script and ends it. */
export function answerHelp(usage: string): void {
  if (!process.argv.includes('--help')) return;
  process.stdout.write(`${usage.trim()}\n`);
  process.exit(0);
}
