import { parseJson } from '../../core/text.ts';
import { portOf } from './api.ts';
import { actions, find, make, nodesOf, plainButton, prose } from './dom.ts';
import { drawReply } from './draw.ts';
import { formatPrice } from './format.ts';
import { HISTORY, wholeHistoryOf } from './history-view.ts';
import { type Drawing, type Shown, Stage } from './stage.ts';
import { fieldsOf } from './tool-reply.ts';

// The page of `quantshelf serve`: a search over all three areas, with results drawn as in MCP hosts. Its state is
// in the URL's fragment, which browsers do not send.

/** Session storage entry that keeps the printed link's key across reloads. */
const KEPT = 'quantshelf-key';

/** A search's calls, in the order in which the page shows their results. */
const callsOf = (query: string) => [
  { title: 'Indicators', tool: 'macro_indicator_search', args: { q: query, limit: 5 } },
  { title: 'Odds', tool: 'prediction_market_event_search', args: { query, limit: 5 } },
  { title: 'Papers', tool: 'paper_search', args: { query, topK: 5 } },
];

/** A typed key stays in memory only. */
let key = '';
const results = find('found', HTMLElement);
const query = find('query', HTMLInputElement);
const keyForm = find('key-form', HTMLFormElement);
const keyStatus = find('key-status', HTMLElement);
const call = find('call', HTMLTextAreaElement);
const replyBox = find('reply', HTMLElement);
// The reply scrolls, so the keyboard must be able to reach it.
replyBox.tabIndex = 0;

const port = portOf(
  () => key,
  (name, args, { status, text }) => {
    call.value = JSON.stringify({ tool: name, arguments: args }, null, 2);
    const body = parseJson(text);
    const words = body === undefined ? text : JSON.stringify(body, null, 2);
    replyBox.replaceChildren(make('code', {}, `${status}\n${words}`));
    if (status === 401) askForKey(String(fieldsOf(fieldsOf(body).error).message));
  },
);

/** The state in the fragment: a search, indicators, a paper or an event. */
const readAddress = () => new URLSearchParams(location.hash.slice(1));

function askForKey(message: string): void {
  keyForm.hidden = false;
  keyStatus.replaceChildren(...nodesOf(prose(key === '' ? 'Every call needs a key.' : message)));
  keyStatus.classList.toggle('bad', key !== '');
}

function newStage(title: string): Stage {
  const main = make('div', { class: 'answer' });
  const status = make('p', { class: 'status', role: 'status' });
  // Visually hidden, because the reply has a visible heading.
  const heading = make('h2', { class: 'unseen' }, title);
  results.append(make('section', {}, heading, main, status));
  return new Stage({ main, status, port, draw: drawHere, level: 3 });
}

/** Draws a reply as in MCP hosts and updates the fragment. A whole history can be compared with another. */
function drawHere(shown: Shown, stage: Stage): Drawing {
  const drawing = drawReply(shown, stage);
  const { data, args } = shown;
  history.replaceState(null, '', addressOf(shown));
  if (!('observations' in data)) return drawing;
  const input = make('input', { placeholder: 'us.gdp.real', 'aria-label': 'Second indicator' });
  const compare = plainButton('Compare', () => {
    const second = input.value.trim();
    if (second !== '') location.hash = `indicator=${data.indicator},${second}`;
  });
  const isOpened = args.start_date !== undefined;
  return { ...drawing, parts: [drawing.parts, isOpened && actions(input, compare)] };
}

function addressOf({ data, args }: Shown): string | undefined {
  if ('observations' in data) return `#indicator=${data.indicator}`;
  if (typeof args.event_card_id === 'string') return `#event=${args.event_card_id}`;
  return typeof args.paperCardId === 'string' ? `#paper=${args.paperCardId}` : undefined;
}

async function ask(stage: Stage, tool: string, args: Record<string, unknown>): Promise<void> {
  stage.say('Reading…', '');
  stage.show(await port.call(tool, args), args);
}

async function drawIndicators(names: readonly string[]): Promise<void> {
  const stage = newStage('Result');
  stage.say('Reading…', '');
  const calls = names.map(wholeHistoryOf);
  const replies = await Promise.all(calls.map((args) => port.call(HISTORY, args)));
  const histories = replies.flatMap((reply) =>
    reply.kind === 'data' && 'observations' in reply.data ? [reply.data] : [],
  );
  // If either call failed, show its error rather than half of the pair.
  const [reply] = replies.sort((a, b) => b.kind.localeCompare(a.kind));
  if (reply === undefined) return;
  const isPair = reply.kind === 'data' && histories.length === 2;
  stage.show(isPair ? { ...reply, data: histories } : reply, calls[0] ?? {});
}

/** Shows what the fragment names. */
async function show(): Promise<void> {
  const state = readAddress();
  const [indicators, event, paper] = ['indicator', 'event', 'paper'].map((name) => state.get(name));
  const q = state.get('q') ?? '';
  // Do not replace words that are being typed.
  if (document.activeElement !== query) query.value = q;
  results.replaceChildren();
  if (indicators) return drawIndicators([...new Set(indicators.split(','))].slice(0, 2));
  if (event)
    return ask(newStage('Result'), 'prediction_market_event_read', { event_card_id: event });
  if (paper) return ask(newStage('Result'), 'paper_read', { paperCardId: paper });
  if (q === '') return;
  const calls = callsOf(q).map(({ title, ...each }) => ({ ...each, stage: newStage(title) }));
  await Promise.all(calls.map(({ stage, tool, args }) => ask(stage, tool, args)));
}

/** Tries the key with a free call. */
async function tryKey(): Promise<void> {
  const reply = await port.call('macro_indicator_search', { limit: 1 });
  if (reply.kind === 'failure') return askForKey(reply.message);
  keyForm.hidden = true;
  keyStatus.textContent = '';
  await show();
}

keyForm.addEventListener('submit', (event) => {
  event.preventDefault();
  key = find('key', HTMLInputElement).value.trim();
  sessionStorage.removeItem(KEPT);
  void tryKey();
});
find('search-form', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  const hash = `#${new URLSearchParams({ q: query.value.trim() })}`;
  if (hash === location.hash) void show();
  else location.hash = hash;
});
find('raw-form', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  const { tool, arguments: args } = fieldsOf(parseJson(call.value));
  if (typeof tool === 'string') void port.call(tool, fieldsOf(args));
  else replyBox.textContent = 'Write the call as JSON: {"tool": "…", "arguments": {…}}.';
});
window.addEventListener('hashchange', () => void show());

const price = callsOf('').reduce((sum, { tool }) => sum + (port.priceOf(tool) ?? 0), 0);
find('price', HTMLElement).textContent = formatPrice(price);
const linked = readAddress().get('key');
if (linked !== null) {
  // Keep the key out of bookmarks and off the screen.
  history.replaceState(null, '', location.pathname);
  sessionStorage.setItem(KEPT, linked);
}
key = linked ?? sessionStorage.getItem(KEPT) ?? '';
void tryKey();
