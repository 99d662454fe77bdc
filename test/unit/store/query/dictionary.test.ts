import { describe, expect, it } from 'vitest';
import termFile from '../../../../data/field-terms.json' with { type: 'json' };
import { translate } from '../../../../src/store/search/query/dictionary.ts';

const LANGUAGES = ['German', 'Spanish', 'French', 'Chinese'] as const;

describe('a question in another language', () => {
  it.each([
    [
      'German',
      'Wie wirkt das Klima auf Schwankungen der Agrarpreise?',
      'effect climate volatility agricultural price',
    ],
    ['German', 'Kreditrisikomodelle', 'credit risk model'],
    [
      'Spanish',
      'cobertura de opciones con costes de transacción',
      'hedging option transaction costs',
    ],
    [
      'French',
      'prévision de la volatilité par l’apprentissage profond',
      'forecasting volatility deep learning',
    ],
    ['Chinese', '强化学习用于最优执行', 'reinforcement learning optimal execution'],
  ])('%s: %s', (language, question, english) => {
    expect(translate(question, language, () => false)).toBe(english);
  });

  it('keeps the names that the shelf holds', () => {
    const question = 'Volatilidad y riesgo en Uniswap y Utopía';
    const read = translate(question, 'Spanish', (stem) => stem === 'uniswap');
    expect(read).toBe('volatility risk uniswap');
  });

  it('takes the inflections of a term, and no longer word for one of up to three letters', () => {
    const read = (question: string) => translate(question, 'German', () => false);
    expect(read('implizite Volatilitäten in den USA')).toBe('implied volatility United States');
    expect(read('implizite Volatilitäten in Usambara')).toBe('implied volatility');
  });

  it('takes numbers, and the words that English shares but for their endings', () => {
    const isHeld = (stem: string) => stem === 'convex';
    const question = 'La convexidad y turbulencia de opciones en 2025';
    expect(translate(question, 'Spanish', isHeld)).toBe('convexity option 2025');
  });

  it('stays as it is where too little of it is known, or nothing of its language', () => {
    expect(translate('¿Dónde está la volatilidad?', 'Spanish', () => true)).toBeNull();
    expect(translate('Волатильность и риск', 'Russian', () => true)).toBeNull();
  });
});

it('the terms are written as they are looked for, each form once in its language', () => {
  for (const language of LANGUAGES) {
    const forms = termFile.terms.flatMap((term) =>
      term[language].map((form) => [form, term.english]),
    );
    expect(forms.length).toBeGreaterThan(200);
    expect(new Set(forms.map(([form]) => form)).size).toBe(forms.length);
    for (const [form = ''] of forms) {
      expect(form).toBe(form.trim().toLowerCase());
      expect(form).not.toMatch(/\p{M}|[\u00e0-\u00f6\u00f8-\u00ff]/u);
      expect(form).not.toBe('');
    }
  }
});
