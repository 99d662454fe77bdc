import type { Answer, Data, Failure, Fields, Meta } from './answer.ts';
import { actions, ageOf, type Child, fold, make, plainButton, prose } from './dom.ts';
import { countOf, formatPrice } from './format.ts';

/** What surrounds a drawn answer: a host, or the page of the server. */
export interface Port {
  /** Credits of a call; undefined where the tool cannot be called from here. */
  priceOf(tool: string): number | undefined;
  call(tool: string, args: Fields): Promise<Answer>;
  /** A link to the outside, or its words alone where nothing can be opened. */
  link(label: string, address: string): Child;
  /** The text of a resource; absent where none can be read from here. */
  readonly read?: ((uri: string) => Promise<string>) | undefined;
  /** Hands a file to the user, its data in base64 unless it is text; absent where that is not possible. */
  readonly download?: ((name: string, type: string, data: string) => void) | undefined;
  /** What the host offers beside an answer. */
  extras(): Child[];
  /** Says to the model what the user has called up, where there is one. */
  tellModel(text: string): void;
}

/** An answer on the stage. */
export interface Shown {
  data: Data;
  meta: Meta;
  /** Of the call that it is the answer to. */
  args: Fields;
}

export interface Drawing {
  parts: Child[];
  /** What it shows, in a sentence for the model. */
  summary: string;
}

/** What was not found, by the argument that names it. */
const NO_SUCH: Readonly<Record<string, string>> = {
  indicator: 'No such indicator.',
  series_id: 'No such series.',
  event_card_id: 'No such event.',
  paperCardId: 'No such paper.',
};
/** Other reasons, by the code of the error. */
const WORDS: Readonly<Record<string, string>> = {
  insufficient_credits: 'No credits are left.',
  rate_limited: 'Too many calls in a minute. Try again soon.',
};

/** What the server wants the model to know, which names tools and arguments. */
const NOTE = 'Note to the assistant';
const NOT_DRAWN = 'This answer cannot be drawn. The reply itself is complete.';

export interface Layout {
  meta: Meta;
  body: readonly Child[];
  source: readonly Child[];
  /** For the menu. */
  more?: readonly Child[];
  buttons?: readonly Child[];
}

interface Place {
  main: HTMLElement;
  status: HTMLElement;
  port: Port;
  draw(shown: Shown, stage: Stage): Drawing;
  /** Of the heading of an answer. */
  level: 1 | 3;
}

/** A place where answers are drawn, one after the other, and from which tools are called. */
export class Stage {
  readonly port: Port;
  readonly #place: Place;
  #shown: Shown | undefined;
  /** What was shown before the user went deeper. */
  #trail: Shown[] = [];

  constructor(place: Place) {
    this.port = place.port;
    this.#place = place;
  }

  /** Shows an answer in place of whatever is there; of a failure, why there is none. */
  show(answer: Answer, args: Fields): void {
    this.#trail = [];
    try {
      if (answer.kind === 'failure') this.#explain(answer);
      else this.#replace({ ...answer, args });
    } catch {
      this.say(NOT_DRAWN, 'bad');
    }
  }

  /** Says something in place of an answer; without a kind, the answer is still to come. */
  say(text: string, kind: '' | 'bad', more: readonly Child[] = []): void {
    this.#place.main.replaceChildren(
      make(`h${this.#place.level}`, { class: 'unseen' }, 'QuantShelf'),
      make('p', { class: `message ${kind}`.trim(), role: kind && 'alert' }, ...prose(text)),
      ...more,
    );
    this.#place.main.setAttribute('aria-busy', String(kind === ''));
  }

  /** Why there is no answer, for people; what tools and arguments have to do with it, folded away. */
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

  /** Shows parts that are drawn elsewhere. */
  place(parts: readonly Child[], words: string): void {
    this.#place.main.replaceChildren(...parts);
    this.#place.main.setAttribute('aria-busy', 'false');
    this.#tell(words, '');
  }

  get isBusy(): boolean {
    return this.#place.main.getAttribute('aria-busy') === 'true';
  }

  /** What every answer consists of: title, what it shows, what leads elsewhere, its source; the rest in a menu. */
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

  /** The heading of one of several things in an answer. */
  subheading(text: Child): HTMLElement {
    return make(this.#place.level === 1 ? 'h2' : 'h4', {}, text);
  }

  /** A button that says what its call costs; none where the tool cannot be called from here. */
  button(label: string, tool: string, args: Fields, isDeeper = false): HTMLElement[] {
    const price = this.port.priceOf(tool);
    if (price === undefined) return [];
    const button = plainButton(`${label} `, () => void this.send(tool, args, isDeeper));
    button.append(make('small', {}, formatPrice(price)));
    return [button];
  }

  /** A button that goes deeper and tells its cost on hover; its words alone where the tool cannot be called. */
  quietButton(label: string, tool: string, args: Fields): Child {
    const price = this.port.priceOf(tool);
    if (price === undefined) return label;
    const button = plainButton(label, () => void this.send(tool, args, true));
    button.title = formatPrice(price);
    return button;
  }

  /** A button that reads a resource and shows what `toShown` makes of it; none where none can be read. */
  loadButton(label: string, uri: string, toShown: (text: string) => Shown): HTMLElement[] {
    const { read } = this.port;
    if (read === undefined) return [];
    const load = async () => {
      try {
        this.#tell('Reading …', '');
        this.#replace(toShown(await read(uri)));
        this.#tell('', '');
      } catch (error) {
        this.#tell(error instanceof Error ? error.message : NOT_DRAWN, 'bad');
      }
    };
    return [plainButton(label, () => void load())];
  }

  /** A button back to what was shown before, where the user went deeper. */
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

  /** One call at a time; what is shown stays when it fails. */
  async send(tool: string, args: Fields, isDeeper: boolean): Promise<void> {
    if (this.isBusy) return;
    const [before, trail] = [this.#shown, this.#trail];
    this.#place.main.setAttribute('aria-busy', 'true');
    this.#tell('Reading …', '');
    const answer = await this.port.call(tool, args);
    this.#place.main.setAttribute('aria-busy', 'false');
    if (answer.kind === 'failure') {
      this.#tell(answer.message, 'bad');
      return;
    }
    if (isDeeper && before !== undefined) this.#trail = [...trail, before];
    try {
      this.port.tellModel(this.#replace({ ...answer, args }));
      this.#tell(costOf(answer.meta), '');
    } catch {
      this.#trail = trail;
      this.#tell(NOT_DRAWN, 'bad');
    }
  }

  /** Throws before anything changes where the answer cannot be drawn; returns its summary. */
  #replace(shown: Shown): string {
    const { parts, summary } = this.#place.draw(shown, this);
    const hadFocus = this.#place.main.contains(document.activeElement);
    this.#place.main.replaceChildren(...parts);
    this.#place.main.setAttribute('aria-busy', 'false');
    this.#shown = shown;
    // The button that was pressed may be gone: the keyboard goes on from the top.
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

/** What calls have cost, in words. */
export function costOf(...metas: readonly Meta[]): string {
  const credits = metas.reduce((sum, { creditsUsed = 0 }) => sum + creditsUsed, 0);
  const left = Math.min(...metas.flatMap(({ remainingCredits }) => remainingCredits ?? []));
  if (!Number.isFinite(left)) return '';
  const used = credits === 0 ? 'No credits' : countOf(credits, 'credit');
  return `${used} used, ${left.toLocaleString('en-US')} left.`;
}
