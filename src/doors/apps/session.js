import { find, make, prose } from '../page/dom.js';
import { countOf } from '../page/format.js';
import { Bridge, fieldsOf, wireToParent } from './bridge.js';
import { readResult } from './envelope.js';
import { formatPrice } from './format.js';
import { followHost } from './theme.js';

/**
 * @typedef {import('./bridge.js').Fields} Fields
 * @typedef {import('./envelope.js').Meta} Meta
 * @typedef {import('../page/dom.js').Child} Child
 *
 * @typedef {object} View
 * @property {string} name
 * @property {(args: Fields) => string} waiting what is said until the answer comes
 * @property {(data: any, meta: Meta, session: Session) => void} draw
 *
 * @typedef {object} Call
 * @property {string} label
 * @property {string} tool
 * @property {Fields} args
 * @property {(data: any, meta: Meta) => void} onAnswer
 */

const NOT_DRAWN = 'This answer cannot be drawn. The reply beside it is complete.';

/** A view in its host: what is shown, and what the view may ask for. */
export class Session {
  /** The arguments of the call that the view belongs to. @type {Fields} */
  args = {};
  /** The tool that was called; empty where the host does not tell. */
  tool = '';
  #view;
  /** What the host can do. @type {Fields} */
  #capabilities = {};
  #root = document.documentElement;
  #main = find('view', HTMLElement);
  #said = find('said', HTMLElement);
  #bridge = new Bridge(wireToParent(window), {
    onInput: (args) => this.#wait(args),
    onResult: (result) => this.#draw(readResult(result)),
    onCancelled: (reason) =>
      this.#say(reason === '' ? 'The call was cancelled.' : `Cancelled: ${reason}`, 'bad'),
    onContext: (context) => this.#follow(context),
    onTeardown: () => this.#heights.disconnect(),
  });
  #heights = new ResizeObserver(() => {
    this.#bridge.reportHeight(Math.ceil(this.#root.getBoundingClientRect().height));
  });

  /** @param {View} view */
  constructor(view) {
    this.#view = view;
  }

  /** Connects with the host; from then on the view draws what the host sends. */
  async open() {
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    followHost(this.#root, { theme: isDark ? 'dark' : 'light' });
    this.#say('Waiting for the answer …', '');
    try {
      const { capabilities, context } = await this.#bridge.initialize({
        name: `quantshelf-${this.#view.name}`,
        title: 'QuantShelf',
        version: QUANTSHELF_VERSION,
      });
      this.#capabilities = capabilities;
      this.#follow(context);
      this.#heights.observe(this.#root);
    } catch {
      this.#say('The host does not show charts of this kind.', 'bad');
    }
  }

  /**
   * Replaces what is shown.
   * @param {...Child} parts
   */
  show(...parts) {
    const hadFocus = this.#main.contains(document.activeElement);
    this.#main.replaceChildren(...parts);
    this.#main.setAttribute('aria-busy', 'false');
    // The button that was pressed may be gone: the keyboard goes on from the top.
    if (hadFocus) this.#main.querySelector('h1')?.focus({ preventScroll: true });
  }

  /**
   * A button that says what its call costs; none where the host passes no calls on.
   * @param {Call} call
   * @returns {Child[]}
   */
  callButton(call) {
    const price = QUANTSHELF_PRICES[call.tool];
    if (this.#capabilities.serverTools === undefined || price === undefined) return [];
    const cost = make('small', {}, formatPrice(price));
    const button = make('button', { type: 'button' }, `${call.label} `, cost);
    button.addEventListener('click', () => void this.#send(call));
    return [button];
  }

  /**
   * Opens outside of the view; plain text where the host opens nothing.
   * @param {string} label
   * @param {string} url
   * @returns {Child}
   */
  link(label, url) {
    if (this.#capabilities.openLinks === undefined || !url.startsWith('https://')) return label;
    const button = make('button', { type: 'button', class: 'link', title: url }, label);
    button.addEventListener('click', () => {
      this.#bridge
        .openLink(url)
        .catch((error) => this.#tell(`The link was not opened: ${error.message}`, 'bad'));
    });
    return button;
  }

  /** @param {Fields} args */
  #wait(args) {
    this.args = args;
    if (this.#isBusy()) this.#say(this.#view.waiting(args), '');
  }

  /** @param {import('./bridge.js').HostContext} context */
  #follow(context) {
    followHost(this.#root, context);
    const { name } = fieldsOf(fieldsOf(context.toolInfo).tool);
    if (typeof name === 'string') this.tool = name;
  }

  /** @param {import('./envelope.js').Answer} answer */
  #draw(answer) {
    if (answer.kind === 'failure') return this.#say(answer.message, 'bad');
    try {
      this.#view.draw(answer.data, answer.meta, this);
    } catch {
      this.#say(NOT_DRAWN, 'bad');
    }
  }

  /**
   * One call at a time; what is shown stays when it fails.
   * @param {Call} call
   */
  async #send({ tool, args, onAnswer }) {
    if (this.#isBusy()) return;
    this.#main.setAttribute('aria-busy', 'true');
    this.#tell('Reading …', '');
    const answer = await this.#bridge.callTool(tool, args).then(readResult, refusalOf);
    this.#main.setAttribute('aria-busy', 'false');
    if (answer.kind === 'failure') return this.#tell(answer.message, 'bad');
    try {
      onAnswer(answer.data, answer.meta);
      this.#tell(costOf(answer.meta), '');
    } catch {
      this.#tell(NOT_DRAWN, 'bad');
    }
  }

  #isBusy() {
    return this.#main.getAttribute('aria-busy') === 'true';
  }

  /**
   * Says something in place of a chart.
   * @param {string} text
   * @param {'' | 'bad'} kind without one, the answer is still to come
   */
  #say(text, kind) {
    this.#main.replaceChildren(
      make('h1', { class: 'unseen' }, 'QuantShelf'),
      make('p', { class: `message ${kind}`.trim() }, ...prose(text)),
    );
    this.#main.setAttribute('aria-busy', String(kind === ''));
  }

  /**
   * Says something below the chart.
   * @param {string} text
   * @param {'' | 'bad'} kind
   */
  #tell(text, kind) {
    this.#said.replaceChildren(...prose(text));
    this.#said.className = kind;
  }
}

/**
 * @param {Error} error
 * @returns {import('./envelope.js').Answer}
 */
function refusalOf({ message }) {
  return { kind: 'failure', message };
}

/** @param {Meta} meta */
function costOf({ creditsUsed = 0, remainingCredits }) {
  if (remainingCredits === undefined) return '';
  const used = creditsUsed === 0 ? 'No credits' : countOf(creditsUsed, 'credit');
  return `${used} used, ${remainingCredits.toLocaleString('en-US')} left.`;
}
