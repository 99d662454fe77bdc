import { countOf } from '../../core/text.ts';
import type { Answer, Data, Failure, Fields, Meta } from './answer.ts';
import {
  actions,
  ageOf,
  type Child,
  fold,
  foldButton,
  make,
  plainButton,
  prose,
  remarks,
} from './dom.ts';
import { formatPrice } from './format.ts';

/** The services of a host, or of the server's page, for a drawn answer. */
export interface Port {
  /** Credits of a call; undefined if the tool cannot be called. */
  priceOf(tool: string): number | undefined;
  call(tool: string, args: Fields): Promise<Answer>;
  /** A link, or its label alone if links cannot be opened. */
  link(label: string, address: string): Child;
  /** Reads the text of a resource; absent if resources cannot be read. */
  readonly read?: ((uri: string) => Promise<string>) | undefined;
  /** Saves a file, whose data is base64 unless it is text; absent if files cannot be saved. */
  readonly download?: ((name: string, type: string, data: string) => void) | undefined;
  /** Further entries for the menu. */
  extras(): Child[];
  /** Tells the model, if there is one, what the user has opened. */
  tellModel(text: string): void;
}

export interface Shown {
  data: Data;
  meta: Meta;
  /** Arguments of the call. */
  args: Fields;
}

type Loaded = ({ kind: 'answer' } & Shown) | ({ kind: 'failure' } & Failure);

export interface Drawing {
  parts: Child[];
  /** A sentence for the model about what is shown. */
  summary: string;
}

/** The item that was not found, by argument. */
const NO_SUCH: Readonly<Record<string, string>> = {
  indicator: 'No such indicator.',
  series_id: 'No such series.',
  event_card_id: 'No such event.',
  paperCardId: 'No such paper.',
};
/** Other errors, by code. */
const WORDS: Readonly<Record<string, string>> = {
  insufficient_credits: 'No credits are left.',
  rate_limited: 'Too many calls in a minute. Try again soon.',
};

/** Label of notices, which name tools and arguments. */
const NOTE = 'Note to the assistant';
const NOT_DRAWN = 'This answer cannot be drawn. The reply itself is complete.';

interface Layout {
  meta: Meta;
  body: readonly Child[];
  source: readonly Child[];
  /** Entries of the menu. */
  more?: readonly Child[];
  buttons?: readonly Child[];
}

/** An item of a list. */
interface Card {
  title: string;
  facts: readonly Child[];
  parts: readonly Child[];
}

/** How many cards of a list show at first. */
const MOST_CARDS = 5;

/** Explains a verdict of the ranking, unless the match is good. */
function verdictWords({ verdict }: Meta): string[] {
  if (verdict === 'weak') return ['These are near the question, but may not answer it.'];
  return verdict === 'none' ? ['Nothing on the shelf answers this.'] : [];
}

interface Place {
  main: HTMLElement;
  status: HTMLElement;
  port: Port;
  draw(shown: Shown, stage: Stage): Drawing;
  /** Level of an answer's heading. */
  level: 1 | 3;
}

/** Draws one answer at a time, and calls tools from it. */
export class Stage {
  readonly port: Port;
  readonly #place: Place;
  #shown: Shown | undefined;
  /** Earlier answers to go back to. */
  #trail: Shown[] = [];

  constructor(place: Place) {
    this.port = place.port;
    this.#place = place;
  }

  /** Replaces the content. */
  show(answer: Answer, args: Fields): void {
    this.#trail = [];
    try {
      if (answer.kind === 'failure') this.#explain(answer);
      else this.#replace({ ...answer, args });
    } catch {
      this.say(NOT_DRAWN, 'bad');
    }
  }

  /** Shows a message instead of an answer; without a kind, the answer is pending. */
  say(text: string, kind: '' | 'bad', more: readonly Child[] = []): void {
    this.#place.main.replaceChildren(
      make(`h${this.#place.level}`, { class: 'unseen' }, 'QuantShelf'),
      make('p', { class: `message ${kind}`.trim(), role: kind && 'alert' }, ...prose(text)),
      ...more,
    );
    this.#place.main.setAttribute('aria-busy', String(kind === ''));
  }

  /** Explains an error to people; the message for the assistant is folded away. */
  #explain({ message, code = '', param = '' }: Failure): void {
    const words = (code === 'not_found' ? NO_SUCH[param] : undefined) ?? WORDS[code];
    if (words === undefined) {
      this.say(message, 'bad');
      return;
    }
    const nearest = param === 'indicator' ? [...new Set(message.match(/\bus\.[\w.]*\w/g))] : [];
    const tries = nearest.map((indicator) =>
      this.quietButton(indicator, 'macro_indicator_history', { indicator }),
    );
    const note = fold(NOTE, make('p', {}, ...prose(message)));
    this.say(tries.length === 0 ? words : `${words} Try`, 'bad', [...actions(tries), note]);
  }

  /** Shows parts that were drawn by the caller. */
  place(parts: readonly Child[]): void {
    this.#place.main.replaceChildren(...parts);
    this.#place.main.setAttribute('aria-busy', 'false');
  }

  get isBusy(): boolean {
    return this.#place.main.getAttribute('aria-busy') === 'true';
  }

  /** Lays out an answer: title, body, buttons, source and a menu. */
  layout(title: string, { meta, body, source, more = [], buttons = [] }: Layout): Child[] {
    const { notice } = meta;
    const note = notice === undefined ? [] : [fold(NOTE, make('p', {}, ...prose(notice)))];
    const rest = [...more, ...note, ...this.port.extras()];
    return [
      make('header', {}, make(`h${this.#place.level}`, { tabindex: -1 }, title)),
      ...body,
      ...actions([...buttons, ...this.#back()]),
      make('p', { class: 'source' }, ...source, ` ${ageOf(meta)}`),
      ...(rest.length === 0
        ? []
        : [make('div', { class: 'more' }, fold('More', make('div', {}, ...rest)))]),
    ];
  }

  /** Lays out items as cards; if none answers the question, the nearest as small cards. */
  list(
    noun: string,
    title: string,
    options: Omit<Layout, 'body'> & { cards: readonly Card[]; words: readonly string[] },
  ): Drawing {
    const { cards, words, meta, buttons = [] } = options;
    const isNone = meta.verdict === 'none';
    const drawn = cards.map(({ title, facts, parts }) => {
      if (isNone) return make('div', { class: 'small' }, `The nearest: ${title}`, ...facts);
      const heading = make(this.#place.level === 1 ? 'h2' : 'h4', {}, title);
      return make('article', {}, heading, ...facts, ...parts);
    });
    const isEmpty = cards.length === 0 && !isNone;
    const body = [
      ...(isEmpty ? [make('p', { class: 'message' }, `No ${noun} matches.`)] : []),
      ...remarks([...verdictWords(meta), ...words]),
      ...drawn,
    ];
    const all = [...foldButton(drawn.slice(MOST_CARDS), noun), ...buttons];
    return {
      parts: this.layout(title, { ...options, body, buttons: all }),
      summary: `The user sees ${countOf(cards.length, noun)} in the view: ${title}.`,
    };
  }

  /** A button that shows the price of its call; none if the tool cannot be called. */
  button(label: string, tool: string, args: Fields, isDeeper = false): HTMLElement[] {
    const price = this.port.priceOf(tool);
    if (price === undefined) return [];
    const button = plainButton(`${label} `, () => void this.send(tool, args, isDeeper));
    button.append(make('small', {}, formatPrice(price)));
    return [button];
  }

  /** A button that shows its price on hover; the label alone if the tool cannot be called. */
  quietButton(label: string, tool: string, args: Fields): Child {
    const price = this.port.priceOf(tool);
    if (price === undefined) return label;
    const button = plainButton(label, () => void this.send(tool, args, true));
    button.title = formatPrice(price);
    return button;
  }

  /** A button that reads a resource and shows it; none if resources cannot be read. */
  loadButton(label: string, uri: string, toShown: (text: string) => Shown): HTMLElement[] {
    const { read } = this.port;
    if (read === undefined) return [];
    const load = async (): Promise<Loaded> => {
      try {
        return { kind: 'answer', ...toShown(await read(uri)) };
      } catch (error) {
        return { kind: 'failure', message: error instanceof Error ? error.message : NOT_DRAWN };
      }
    };
    return [plainButton(label, () => void this.#load(load, false))];
  }

  #back(): HTMLElement[] {
    const before = this.#trail.at(-1);
    if (before === undefined) return [];
    const goBack = () => {
      this.#trail.pop();
      this.#replace(before);
      this.#tell('', '');
    };
    return [plainButton('Back to the list', goBack)];
  }

  /** Calls a tool and shows its answer. */
  send(tool: string, args: Fields, isDeeper: boolean): Promise<void> {
    return this.#load(async () => ({ ...(await this.port.call(tool, args)), args }), isDeeper);
  }

  /** Loads one answer at a time; if that fails, the answer before stays. */
  async #load(load: () => Promise<Loaded>, isDeeper: boolean): Promise<void> {
    if (this.isBusy) return;
    const [before, trail] = [this.#shown, this.#trail];
    this.#place.main.setAttribute('aria-busy', 'true');
    this.#tell('Reading …', '');
    const loaded = await load();
    this.#place.main.setAttribute('aria-busy', 'false');
    if (loaded.kind === 'failure') {
      this.#tell(loaded.message, 'bad');
      return;
    }
    if (isDeeper && before !== undefined) this.#trail = [...trail, before];
    try {
      this.port.tellModel(this.#replace(loaded));
      this.#tell(costOf(loaded.meta), '');
    } catch {
      this.#trail = trail;
      this.#tell(NOT_DRAWN, 'bad');
    }
  }

  /** Returns the summary; throws, with nothing changed, if the answer cannot be drawn. */
  #replace(shown: Shown): string {
    const { parts, summary } = this.#place.draw(shown, this);
    const hadFocus = this.#place.main.contains(document.activeElement);
    this.#place.main.replaceChildren(...parts);
    this.#place.main.setAttribute('aria-busy', 'false');
    this.#shown = shown;
    // The pressed button may be gone; move the focus to the heading.
    if (hadFocus) {
      this.#place.main
        .querySelector<HTMLElement>('header > [tabindex]')
        ?.focus({ preventScroll: true });
    }
    return summary;
  }

  #tell(text: string, kind: '' | 'bad'): void {
    this.#place.status.replaceChildren(...prose(text));
    this.#place.status.classList.toggle('bad', kind === 'bad');
  }
}

function costOf({ creditsUsed = 0, remainingCredits: left }: Meta): string {
  if (left === undefined) return '';
  const used = creditsUsed === 0 ? 'No credits' : countOf(creditsUsed, 'credit');
  return `${used} used, ${left.toLocaleString('en-US')} left.`;
}
