import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from '../../../../src/doors/http/turns.ts';

it('keys take turns, one piece of work at a time, and a failure affects only its own call', async () => {
  const turns = new Turns();
  const done: string[] = [];
  let atWork = 0;
  const work = (name: string) => async () => {
    atWork += 1;
    if (atWork > 1) throw new Error('two at a time');
    await delay(1);
    atWork -= 1;
    done.push(name);
    if (name === 'a2') throw new Error('its own fault');
  };
  const taken = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) =>
    turns.take(name.slice(0, 1), work(name)),
  );
  const ends = await Promise.allSettled(taken);
  expect(done).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  // Starts again after a pause.
  await turns.take('a', work('a4'));
  expect(done.at(-1)).toBe('a4');
});
