import { describe, expect, it } from 'vitest';
import { describeJsonFault } from '../../../src/cli/json-syntax.ts';

describe('the place where arguments stop being JSON', () => {
  it.each([
    ['{}', undefined],
    ['7', undefined],
    ['', 'it ends too early'],
    ['{"q": "abc', 'it ends too early'],
    ['{"q": tru', 'it ends too early'],
    ['{"q": {"a": -', 'it ends too early'],
    ['{q: "x"}', 'it goes wrong at character 2'],
    ['{"q": "x",}', 'it goes wrong at character 11'],
    ['{"q": "x"}}', 'it goes wrong at character 11'],
    ['{"q": undefined}', 'it goes wrong at character 7'],
    ['{"limit": 05}', 'it goes wrong at character 12'],
    ['{"😀": bad}', 'it goes wrong at character 7'],
    [`{"q": "${'x'.repeat(5000)}", b}`, 'it goes wrong at character 5011'],
  ])('%s', (text, fault) => {
    expect(describeJsonFault(text)).toBe(fault);
  });
});
