import { downloadModel } from '../app/model.ts';
import type { Config } from '../config.ts';
import { findModel } from '../embedding/files.ts';
import { MODEL } from '../embedding/model.ts';
import type { Terminal } from './terminal.ts';

/** Without a terminal, a line is printed every so many per cent. */
const LINE_STEP = 10;

/** `quantshelf model`: finds an undamaged copy or downloads one; returns the exit code. */
export async function prepareModel(
  config: Config,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const signal = terminal.stopSignal(new Error('Stopped. Nothing half-written is left behind.'));
  try {
    const directory =
      (await findUndamaged(config, terminal)) ?? (await download(config, signal, terminal));
    const result = { id: MODEL.id, directory };
    terminal.print(json ? JSON.stringify(result) : `${result.id} is verified in ${directory}`);
    return 0;
  } catch (error) {
    terminal.log(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

/** A damaged copy is logged; a download then replaces it. */
async function findUndamaged(config: Config, terminal: Terminal): Promise<string | null> {
  try {
    return await findModel(config);
  } catch (error) {
    terminal.log(error instanceof Error ? error.message : String(error));
    return null;
  }
}

async function download(config: Config, signal: AbortSignal, terminal: Terminal): Promise<string> {
  if (config.offline) {
    throw new Error(
      'QUANTSHELF_OFFLINE is set, so nothing is downloaded. Unset it, or point QUANTSHELF_MODEL_DIR at a copy.',
    );
  }
  const { directory } = await downloadModel(config, {
    signal,
    onProgress: progressLine(process.stderr, terminal),
    onWait: () => terminal.log('Another process is downloading the model; waiting for it.'),
  });
  return directory;
}

/** Rewrites one line on a terminal; prints a line every few per cent elsewhere. */
function progressLine(stream: NodeJS.WriteStream, terminal: Terminal) {
  let last = -LINE_STEP;
  return ({ source, received, total }: { source: string; received: number; total: number }) => {
    const percent = Math.floor((received / total) * 100);
    const step = stream.isTTY ? 1 : LINE_STEP;
    // The next source starts at 0 again.
    if (percent < last) last = -LINE_STEP;
    if (percent < last + step && percent !== 100) return;
    if (percent === last) return;
    last = percent;
    const line = `model from ${source}: ${percent} % of ${(total / 1e6).toFixed(0)} MB`;
    if (stream.isTTY) stream.write(`\r${line}${percent === 100 ? '\n' : ''}`);
    else terminal.log(line);
  };
}
