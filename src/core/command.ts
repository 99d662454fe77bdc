/** Whether npx started this process from its cache, so that no `quantshelf` is on the PATH. */
const IS_NPX = /[\\/]_npx[\\/]/.test(import.meta.url);

/**
 * A message with its commands as they work where this process runs: messages say `quantshelf sync`, the
 * page has it in <code>, and under npx that becomes `npx -y quantshelf sync`.
 */
export function spellCommands(message: string): string {
  return IS_NPX ? message.replace(/(?<=`|<code>)(?=quantshelf )/g, 'npx -y ') : message;
}
