import { find, make, prose } from '../page/dom.js';
import { createBridge, fieldsOf, wireToParent } from './bridge.js';
import { readResult } from './envelope.js';
import { formatPrice } from './format.js';
import { followHost } from './theme.js';

/**
 * @typedef {import('./bridge.js').Fields} Fields
 * @typedef {import('./envelope.js').Meta} Meta
 * @typedef {import('../page/dom.js').Child} Child
 *
 * @typedef {object} Session what a view may do
 * @property {() => Fields} args the arguments of the call that the view belongs to
 * @property {() => string} tool its name, or an empty string where the host does not tell
 * @property {(call: Call) => Child[]} callButton a button that says what its call costs; none where the host calls no tools
 * @property {(label: string, url: string) => Child} link opens outside of the view; plain text where it cannot
 * @property {(...parts: Child[]) => void} show replaces what is shown
 *
 * @typedef {object} Call
 * @property {string} label
 * @property {string} tool
 * @property {Fields} args
 * @property {(data: any, meta: Meta) => void} onAnswer
 *
 * @typedef {object} View
 * @property {string} name
 * @property {(args: Fields) => string} waiting what is said until the answer comes
 * @property {(data: any, meta: Meta, session: Session) => void} draw
 */

/**
 * Connects a view with its host and draws what the host sends.
 * @param {View} view
 */
export async function startView(view) {
  const root = document.documentElement;
  const main = find('view', HTMLElement);
  const said = find('said', HTMLElement);
  /** @type {Fields} */
  let args = {};
  /** @type {Fields} */
  let capabilities = {};
  let tool = '';

  const bridge = createBridge(wireToParent(window), {
    onInput(given) {
      args = given;
      if (main.getAttribute('aria-busy') === 'true') showMessage(view.waiting(args), '');
    },
    onResult: (result) => showAnswer(readResult(result), (data, meta) => draw(data, meta)),
    onCancelled: (reason) =>
      showMessage(reason === '' ? 'The call was cancelled.' : `Cancelled: ${reason}`, 'bad'),
    onContext,
    onTeardown: () => heights.disconnect(),
  });
  const heights = new ResizeObserver(() => {
    bridge.reportHeight(Math.ceil(root.getBoundingClientRect().height));
  });

  /** @type {Session} */
  const session = {
    args: () => args,
    tool: () => tool,
    callButton,
    link,
    show(...parts) {
      const hadFocus = main.contains(document.activeElement);
      main.replaceChildren(...parts);
      main.setAttribute('aria-busy', 'false');
      // The button that was pressed may be gone: the keyboard goes on from the top.
      if (hadFocus) main.querySelector('h1')?.focus({ preventScroll: true });
    },
  };

  /** @param {import('./bridge.js').HostContext} context */
  function onContext(context) {
    followHost(root, context);
    const { name } = fieldsOf(fieldsOf(context.toolInfo).tool);
    if (typeof name === 'string') tool = name;
  }

  /**
   * @param {string} text
   * @param {'' | 'bad'} kind
   */
  function showMessage(text, kind) {
    const isOver = kind === 'bad';
    main.replaceChildren(
      make('h1', { class: 'unseen' }, 'QuantShelf'),
      make('p', { class: `message ${kind}`.trim() }, ...prose(text)),
    );
    main.setAttribute('aria-busy', String(!isOver));
  }

  /**
   * @param {import('./envelope.js').Answer} answer
   * @param {(data: any, meta: Meta) => void} onAnswer
   */
  function showAnswer(answer, onAnswer) {
    if (answer.kind === 'failure') showMessage(answer.message, 'bad');
    else onAnswer(answer.data, answer.meta);
  }

  /**
   * @param {any} data
   * @param {Meta} meta
   */
  function draw(data, meta) {
    try {
      view.draw(data, meta, session);
    } catch {
      showMessage('This answer cannot be drawn. The reply beside it is complete.', 'bad');
    }
  }

  /** @param {Call} call */
  function callButton({ label, tool: name, args: given, onAnswer }) {
    const price = QUANTSHELF_PRICES[name];
    if (capabilities.serverTools === undefined || price === undefined) return [];
    const button = make(
      'button',
      { type: 'button', class: 'call' },
      `${label} `,
      make('small', {}, formatPrice(price)),
    );
    button.addEventListener('click', () => {
      void send(name, given, onAnswer);
    });
    return [button];
  }

  /**
   * One call at a time; what is shown stays when it fails.
   * @param {string} name
   * @param {Fields} given
   * @param {(data: any, meta: Meta) => void} onAnswer
   */
  async function send(name, given, onAnswer) {
    if (main.getAttribute('aria-busy') === 'true') return;
    main.setAttribute('aria-busy', 'true');
    tell('Reading …', '');
    const answer = await bridge.callTool(name, given).then(
      (result) => readResult(result),
      (error) => ({ kind: /** @type {const} */ ('failure'), message: String(error.message) }),
    );
    main.setAttribute('aria-busy', 'false');
    if (answer.kind === 'failure') {
      tell(answer.message, 'bad');
      return;
    }
    onAnswer(answer.data, answer.meta);
    const { creditsUsed = 0, remainingCredits } = answer.meta;
    const left = remainingCredits?.toLocaleString('en-US');
    const used = creditsUsed === 0 ? 'No credits' : formatPrice(creditsUsed);
    tell(left === undefined ? '' : `${used} used, ${left} left.`, '');
  }

  /**
   * @param {string} text
   * @param {'' | 'bad'} kind
   */
  function tell(text, kind) {
    said.replaceChildren(...prose(text));
    said.className = kind;
  }

  /**
   * @param {string} label
   * @param {string} url
   */
  function link(label, url) {
    if (capabilities.openLinks === undefined || !url.startsWith('https://')) return label;
    const button = make('button', { type: 'button', class: 'link', title: url }, label);
    button.addEventListener('click', () => {
      bridge
        .openLink(url)
        .catch((error) => tell(`The link was not opened: ${error.message}`, 'bad'));
    });
    return button;
  }

  root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  showMessage('Waiting for the answer …', '');
  try {
    const welcome = await bridge.initialize({
      name: `quantshelf-${view.name}`,
      title: 'QuantShelf',
      version: QUANTSHELF_VERSION,
    });
    capabilities = welcome.capabilities;
    onContext(welcome.context);
    heights.observe(root);
  } catch {
    showMessage('The host does not show charts of this kind.', 'bad');
  }
}
