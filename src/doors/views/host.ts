import { connect, followHost } from './bridge.ts';
import { find, make, plainButton, webAddress } from './dom.ts';
import { drawReply } from './draw.ts';
import { Stage } from './stage.ts';
import { type Fields, fieldsOf, readResult } from './tool-reply.ts';

// The view that an MCP host shows with a tool's result.

declare const QUANTSHELF_VERSION: string;
/** Price in credits of a successful call, by tool. */
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
const handlers = {
  'ui/notifications/tool-input': (params: Fields) => {
    args = fieldsOf(params.arguments);
  },
  'ui/notifications/tool-result': (result: Fields) => stage.show(readResult(result), args),
  'ui/notifications/tool-cancelled': ({ reason }: Fields) =>
    stage.say(reason ? `Cancelled: ${reason}` : 'The call was cancelled.', 'bad'),
  'ui/notifications/host-context-changed': (context: Fields) => follow(context),
  'ui/resource-teardown': () => heights.disconnect(),
};
const bridge = connect(window, new Map(Object.entries(handlers)));
const stage: Stage = new Stage({
  main: find('view', HTMLElement),
  status: find('status', HTMLElement),
  draw: drawReply,
  level: 1,
  port: {
    priceOf: (tool) => (capabilities.serverTools ? QUANTSHELF_PRICES[tool] : undefined),
    call: (name, input) =>
      bridge.request('tools/call', { name, arguments: input }).then(readResult),
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
        if (typeof text !== 'string') throw new Error('The host returned no text.');
        return text;
      };
    },
    get download() {
      if (capabilities.downloadFile === undefined) return undefined;
      return (name: string, mimeType: string, data: string) => {
        const part = mimeType.startsWith('text/') ? { text: data } : { blob: data };
        const resource = { uri: `file:///${name}`, mimeType, ...part };
        const contents = [{ type: 'resource', resource }];
        // The host rejects if the user declines.
        bridge.request('ui/download-file', { contents }).catch(() => {});
      };
    },
    extras: () => canFillScreen && screen,
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

stage.say('Waiting for the reply…', '');
try {
  const welcome = await bridge.request('ui/initialize', {
    appInfo: { name: 'quantshelf', title: 'QuantShelf', version: QUANTSHELF_VERSION },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion: '2026-01-26',
  });
  // The host sends the input and the result after this.
  bridge.notify('ui/notifications/initialized', {});
  capabilities = fieldsOf(welcome.hostCapabilities);
  follow(fieldsOf(welcome.hostContext));
  heights.observe(root);
} catch {
  stage.say('This host cannot show this view.', 'bad');
}
