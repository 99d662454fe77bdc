import type { Reading } from './sections.ts';

export async function readPdf(_bytes: Uint8Array): Promise<Reading> {
  return { ok: false, reason: 'too little text' };
}
