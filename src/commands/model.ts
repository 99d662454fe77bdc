import type { Config } from '../config.ts';
import { findModel } from '../embedding/files.ts';
import { MODEL } from '../embedding/model.ts';
import { bringModel } from '../model-tools.ts';

interface Terminal {
  log(line: string): void;
  print(line: string): void;
}

/** Without a terminal, a line is said after so many further per cent. */
const PLAIN_STEP = 10;

/** `quantshelf model`: finds a sound copy or fetches one; returns the exit code. */
export async function fetchModelNow(
  config: Config,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Error('Stopped. Nothing half-written is left behind.'));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    const directory =
      (await findSound(config, terminal)) ?? (await fetch(config, stopping, terminal));
    const result = { id: MODEL.id, directory };
    terminal.print(json ? JSON.stringify(result) : `${result.id} is verified in ${directory}`);
    return 0;
  } catch (error) {
    terminal.log(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

/** A copy that must not be used is said and then replaced by a fetched one. */
async function findSound(config: Config, terminal: Terminal): Promise<string | null> {
  try {
    return await findModel(config);
  } catch (error) {
    terminal.log(error instanceof Error ? error.message : String(error));
    return null;
  }
}

async function fetch(
  config: Config,
  stopping: AbortController,
  terminal: Terminal,
): Promise<string> {
  if (config.offline) {
    throw new Error(
      'QUANTSHELF_OFFLINE is set, so nothing is fetched. Unset it, or point QUANTSHELF_MODEL_DIR at a copy.',
    );
  }
  const { directory } = await bringModel(config, {
    signal: stopping.signal,
    onProgress: progressLine(process.stderr, terminal),
    onWait: () => terminal.log('Another process is fetching the model; waiting for it.'),
  });
  return directory;
}

/** One line that is rewritten on a terminal; a line every few per cent elsewhere. */
function progressLine(stream: NodeJS.WriteStream, terminal: Terminal) {
  let said = -PLAIN_STEP;
  return ({ source, received, total }: { source: string; received: number; total: number }) => {
    const percent = Math.floor((received / total) * 100);
    const step = stream.isTTY ? 1 : PLAIN_STEP;
    // A source that starts anew starts its count anew.
    if (percent < said) said = -PLAIN_STEP;
    if (percent < said + step && percent !== 100) return;
    if (percent === said) return;
    said = percent;
    const line = `model from ${source}: ${percent} % of ${(total / 1e6).toFixed(0)} MB`;
    if (stream.isTTY) stream.write(`\r${line}${percent === 100 ? '\n' : ''}`);
    else terminal.log(line);
  };
}
