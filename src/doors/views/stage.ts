import { countOf } from '../../core/text.ts';
import {
  actions,
  ageOf,
  type Content,
  fold,
  foldButton,
  make,
  nodesOf,
  plainButton,
  prose,
  remarks,
} from './dom.ts';
import { formatPrice } from './format.ts';
import type { Data, Failure, Fields, Meta, Reply } from './tool-reply.ts';

/** What a host, or the server's page, lets a drawn reply do. */
export interface Port {
  /** Credits of a call; undefined if the tool cannot be called. */
  priceOf(tool: string): number | undefined;
  /** Rejects with the host's message if the host refuses. */
  call(tool: string, args: Fields): Promise<Reply>;
  /** A link, or its label alone if links cannot be opened. */
  link(label: string, address: string): Content;
  /** Reads a resource as text; absent if resources cannot be read. */
  readonly read?: ((uri: string) => Promise<string>) | undefined;
  /** Saves a file, whose data is base64 unless it is text; absent if files cannot be saved. */
  readonly download?: ((name: string, type: string, data: string) => void) | undefined;
  /** Further entries for the menu. */
  extras?(): Content;
  /** Tells the model, if there is one, what the user has opened. */
  tellModel?(text: string): void;
}

export interface Shown {
  data: Data;
  meta: Meta;
  args: Fields;
}

export interface Drawing {
  parts: Content;
  /** A sentence for the model about what is shown. */
  summary: string;
}

/** Messages for an item that was not found, by argument. */
const NO_SUCH: Readonly<Record<string, string>> = {
  indicator: 'No such indicator.',
  series_id: 'No such series.',
  event_card_id: 'No such event.',
  paperCardId: 'No such paper.',
};
/** Messages for other errors, by code. */
const WORDS: Readonly<Record<string, string>> = {
  insufficient_credits: 'Not enough credits are left.',
  rate_limited: 'Too many calls in a minute. Try again soon.',
};

/** Label for notices and errors, which name tools and arguments. */
const NOTE = 'Note to the assistant';
const NOT_DRAWN = 'The reply is complete, but cannot be drawn.';

interface Layout {
  meta: Meta;
  body: Content;
  credit: Content;
  /** Menu entries. */
  more?: Content;
  buttons?: Content;
}

/** A list of items, or the results of a search. */
interface List extends Omit<Layout, 'body'> {
  name: string;
  /** The query. */
  about: unknown;
  noun: string;
  cards: readonly { title: string; facts: Content; parts: Content }[];
  words?: string | false | undefined;
}

/** Number of cards that a list shows before "Show more". */
const MOST_CARDS = 5;

/** Explanations of search verdicts other than `strong`. */
const VERDICTS: Readonly<Record<string, string>> = {
  weak: 'These are the nearest to the question, but may not answer it.',
  none: 'Nothing on the shelf seems to answer this.',
};

interface Place {
  main: HTMLElement;
  status: HTMLElement;
  port: Port;
  draw(shown: Shown, stage: Stage): Drawing;
  /** Heading level of a reply. */
  level: 1 | 3;
}

/** Draws one reply at a time, and calls tools from it. */
export class Stage {
  readonly port: Port;
  readonly #place: Place;
  #shown: Shown | undefined;
  /** Earlier replies to go back to. */
  #trail: Shown[] = [];

  constructor(place: Place) {
    this.port = place.port;
    this.#place = place;
  }

  show(reply: Reply, args: Fields): void {
    this.#trail = [];
    try {
      if (reply.kind === 'failure') this.#explain(reply);
      else this.#replace({ ...reply, args });
    } catch {
      this.say(NOT_DRAWN, 'bad');
    }
  }

  /** Shows a message instead of a reply; an empty kind means that the reply is still to come. */
  say(text: string, kind: '' | 'bad', more?: Content): void {
    const title = make(`h${this.#place.level}`, { class: 'unseen' }, 'QuantShelf');
    const role = kind && 'alert';
    const message = make('p', { class: `message ${kind}`, role }, prose(text));
    this.place([title, message, more], kind === '');
  }

  /** Explains an error to the user; the message for the assistant is collapsed. */
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
    const note = fold(NOTE, make('p', {}, prose(message)));
    this.say(tries.length === 0 ? words : `${words} Try`, 'bad', [actions(tries), note]);
  }

  place(parts: Content, isBusy = false): void {
    this.#place.main.replaceChildren(...nodesOf(parts));
    this.#place.main.ariaBusy = String(isBusy);
  }

  /** Lays out a reply: title, body, buttons, credit and a menu. */
  layout(title: string, { meta, body, credit, more, buttons }: Layout): Content {
    const { notice } = meta;
    const note = notice !== undefined && fold(NOTE, make('p', {}, prose(notice)));
    const menu = nodesOf([more, note, this.port.extras?.()]);
    return [
      make('header', {}, make(`h${this.#place.level}`, { tabindex: -1 }, title)),
      body,
      actions(buttons, this.#back()),
      make('p', { class: 'source' }, credit, ` ${ageOf(meta)}`),
      menu.length > 0 && fold('More', make('div', { class: 'actions' }, menu)),
    ];
  }

  /** Lays out items as cards, or in small type if none answers the question. */
  list({ name, about, noun, cards, words, buttons, ...layout }: List): Drawing {
    const title = typeof about === 'string' ? `${name}: ${about}` : name;
    const { verdict = '' } = layout.meta;
    const isNone = verdict === 'none';
    const drawn = cards.map((card) => {
      if (isNone) return make('div', { class: 'small' }, `The nearest: ${card.title}`, card.facts);
      const heading = make(this.#place.level === 1 ? 'h2' : 'h4', {}, card.title);
      return make('article', {}, heading, card.facts, card.parts);
    });
    const body = [
      cards.length === 0 && !isNone && make('p', { class: 'message' }, `No ${noun} matches.`),
      remarks(VERDICTS[verdict], !isNone && words),
      drawn,
    ];
    const all = [foldButton(drawn.slice(MOST_CARDS), noun), buttons];
    return {
      parts: this.layout(title, { ...layout, body, buttons: all }),
      summary: `The view "${title}" shows the user ${countOf(cards.length, noun)}.`,
    };
  }

  /** A button that shows the price of its call; undefined if the tool cannot be called. */
  button(label: string, tool: string, args: Fields, isDeeper = false): Content {
    const price = this.port.priceOf(tool);
    if (price === undefined) return undefined;
    const button = plainButton(`${label} `, () => void this.send(tool, args, isDeeper));
    button.append(make('small', {}, formatPrice(price)));
    return button;
  }

  /** A button that shows the price of its call on hover; the label alone if the tool cannot be called. */
  quietButton(label: string, tool: string, args: Fields): Content {
    const price = this.port.priceOf(tool);
    if (price === undefined) return label;
    return plainButton(label, () => void this.send(tool, args, true), formatPrice(price));
  }

  /** A button that reads a resource and shows it; undefined if resources cannot be read. */
  loadButton(label: string, uri: string, args: Fields, toReply: (text: string) => Reply): Content {
    const { read } = this.port;
    return read && plainButton(label, () => void this.#load(read(uri).then(toReply), args, false));
  }

  #back(): Content {
    const before = this.#trail.at(-1);
    const goBack = (shown: Shown) => {
      this.#trail.pop();
      this.#replace(shown);
      this.#tell('', '');
    };
    return before && plainButton('Back', () => goBack(before));
  }

  /** Calls a tool, unless another call is pending, and shows its reply. */
  async send(tool: string, args: Fields, isDeeper: boolean): Promise<void> {
    const isBusy = this.#place.main.ariaBusy === 'true';
    if (!isBusy) await this.#load(this.port.call(tool, args), args, isDeeper);
  }

  /** Shows a reply once it has loaded; if loading or drawing fails, the previous one stays. */
  async #load(loading: Promise<Reply>, args: Fields, isDeeper: boolean): Promise<void> {
    const [before, trail] = [this.#shown, this.#trail];
    this.#place.main.ariaBusy = 'true';
    this.#tell('Reading…', '');
    const reply = await loading.catch(
      ({ message }: Error): Reply => ({ kind: 'failure', message }),
    );
    this.#place.main.ariaBusy = 'false';
    if (reply.kind === 'failure') {
      this.#tell(reply.message, 'bad');
      return;
    }
    if (isDeeper && before !== undefined) this.#trail = [...trail, before];
    try {
      const summary = this.#replace({ ...reply, args });
      this.port.tellModel?.(summary);
      this.#tell(costOf(reply.meta), '');
    } catch {
      this.#trail = trail;
      this.#tell(NOT_DRAWN, 'bad');
    }
  }

  /** Draws a reply and returns its summary. If it cannot be drawn, throws without changing anything. */
  #replace(shown: Shown): string {
    const { parts, summary } = this.#place.draw(shown, this);
    const { main } = this.#place;
    const hadFocus = main.contains(document.activeElement);
    this.place(parts);
    this.#shown = shown;
    // The pressed button may be gone; move the focus to the heading.
    const heading = main.querySelector<HTMLElement>('header > [tabindex]');
    if (hadFocus) heading?.focus({ preventScroll: true });
    return summary;
  }

  #tell(text: string, kind: '' | 'bad'): void {
    this.#place.status.replaceChildren(...nodesOf(prose(text)));
    this.#place.status.classList.toggle('bad', kind === 'bad');
  }
}

function costOf({ creditsUsed = 0, remainingCredits: left }: Meta): string {
  if (left === undefined) return '';
  const used = creditsUsed === 0 ? 'No credits' : countOf(creditsUsed, 'credit');
  return `${used} used, ${left.toLocaleString('en-US')} left.`;
}
