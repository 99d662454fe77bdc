import { type Fields, fieldsOf, readResult } from './answer.ts';
import { Bridge, followHost } from './bridge.ts';
import { find, make, plainButton, webAddress } from './dom.ts';
import { drawAnswer } from './draw.ts';
import { Stage } from './stage.ts';

// The view that an MCP host shows with the result of a tool.

declare const QUANTSHELF_VERSION: string;
/** Price of a successful call in credits, by tool. */
declare const QUANTSHELF_PRICES: Readonly<Record<string, number>>;

const root = document.documentElement;
/** Arguments of the call whose result is shown. */
let args: Fields = {};
let capabilities: Fields = {};
let isFullScreen = false;
let canFillScreen = false;

const heights = new ResizeObserver(() => {
  const height = Math.ceil(root.getBoundingClientRect().height);
  bridge.notify('ui/notifications/size-changed', { height });
});
const heard = new Map<string, (params: Fields) => void>([
  [
    'ui/notifications/tool-input',
    (params) => {
      args = fieldsOf(params.arguments);
      if (stage.isBusy) stage.say(`Reading ${subjectOf(args)} …`, '');
    },
  ],
  ['ui/notifications/tool-result', (result) => stage.show(readResult(result), args)],
  [
    'ui/notifications/tool-cancelled',
    ({ reason }) => stage.say(reason ? `Cancelled: ${reason}` : 'The call was cancelled.', 'bad'),
  ],
  ['ui/notifications/host-context-changed', (context) => follow(context)],
  ['ui/resource-teardown', () => heights.disconnect()],
]);
const bridge = new Bridge(window, heard);
const stage: Stage = new Stage({
  main: find('view', HTMLElement),
  status: find('status', HTMLElement),
  draw: drawAnswer,
  level: 1,
  port: {
    priceOf: (tool) =>
      capabilities.serverTools === undefined ? undefined : QUANTSHELF_PRICES[tool],
    call: (name, input) =>
      bridge
        .request('tools/call', { name, arguments: input })
        .then(readResult, (error: Error) => ({ kind: 'failure', message: error.message })),
    link(label, address) {
      const url = webAddress(address);
      if (capabilities.openLinks === undefined || url === undefined) return label;
      const button = plainButton(label, () => {
        bridge.request('ui/open-link', { url }).catch(() => {
          button.replaceWith(make('span', {}, `${label} (the host did not open ${url})`));
        });
      });
      button.className = 'link';
      button.title = url;
      return button;
    },
    get read() {
      if (capabilities.serverResources === undefined) return undefined;
      return async (uri: string) => {
        const { contents } = await bridge.request('resources/read', { uri });
        const { text } = fieldsOf(Array.isArray(contents) ? contents[0] : undefined);
        if (typeof text !== 'string') throw new Error('The host passed on no text.');
        return text;
      };
    },
    get download() {
      if (capabilities.downloadFile === undefined) return undefined;
      return (name: string, mimeType: string, data: string) => {
        const part = mimeType.startsWith('text/') ? { text: data } : { blob: data };
        const resource = { uri: `file:///${name}`, mimeType, ...part };
        // The user may decline.
        bridge
          .request('ui/download-file', { contents: [{ type: 'resource', resource }] })
          .catch(() => {});
      };
    },
    extras: () => (canFillScreen ? [screen] : []),
    tellModel(text) {
      if (capabilities.updateModelContext === undefined) return;
      const content = [{ type: 'text', text }];
      // A host may reject a capability it advertised.
      bridge.request('ui/update-model-context', { content }).catch(() => {});
    },
  },
});
const screen = plainButton('', () => {
  const mode = isFullScreen ? 'inline' : 'fullscreen';
  bridge.request('ui/request-display-mode', { mode }).then(
    (result) => follow({ displayMode: result.mode }),
    () => screen.remove(),
  );
});

function follow(context: Fields): void {
  followHost(root, context);
  const { displayMode, availableDisplayModes } = context;
  if (Array.isArray(availableDisplayModes)) {
    canFillScreen = availableDisplayModes.includes('fullscreen');
  }
  if (displayMode !== undefined) isFullScreen = displayMode === 'fullscreen';
  screen.textContent = isFullScreen ? 'Leave full screen' : 'Full screen';
}

function subjectOf(input: Fields): string {
  const names = ['indicator', 'series_id', 'query', 'q', 'tag'];
  const subject = names.map((name) => input[name]).find((value) => typeof value === 'string');
  return typeof subject === 'string' ? subject : 'the answer';
}

stage.say('Waiting for the answer …', '');
try {
  const app = { name: 'quantshelf', title: 'QuantShelf', version: QUANTSHELF_VERSION };
  const welcome = await bridge.initialize(app);
  capabilities = fieldsOf(welcome.capabilities);
  follow(welcome.context);
  heights.observe(root);
} catch {
  stage.say('The host does not show views of this kind.', 'bad');
}
