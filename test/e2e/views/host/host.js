// A host of MCP Apps as the specification describes it: the view is in a frame inside a frame of another
// origin, and talks to the host through the official bridge.

import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const frame = /** @type {HTMLIFrameElement} */ (document.getElementById('app'));
const sandbox = new URL(frame.dataset.sandbox ?? '');
/** @type {AppBridge | undefined} */
let bridge;

window.host = {
  /** Resolves when the view has been initialised and has its input. */
  async show({ html, tool, context, capabilities, input }) {
    // Close the earlier bridge, which would receive whatever the frame sends.
    await bridge?.close();
    await loadSandbox();
    const window = frame.contentWindow;
    if (window === null) throw new Error('the frame has no window');
    const made = new AppBridge(null, { name: 'quantshelf-tests', version: '1' }, capabilities, {
      hostContext: { ...context, toolInfo: { tool } },
    });
    made.oncalltool = ({ name, arguments: args = {} }) => globalThis.window.passOn(name, args);
    made.onreadresource = ({ uri }) => globalThis.window.readThrough(uri);
    made.onopenlink = async ({ url }) => {
      await globalThis.window.openedLink(url);
      return {};
    };
    made.onupdatemodelcontext = async ({ content = [] }) => {
      const [first] = content;
      if (first?.type === 'text') await globalThis.window.toldModel(first.text);
      return {};
    };
    made.onrequestdisplaymode = async ({ mode }) => ({ mode });
    made.addEventListener('sizechange', ({ height }) => {
      if (height !== undefined) frame.style.height = `${height}px`;
    });
    const initialised = new Promise((resolve) => {
      made.addEventListener('initialized', resolve);
    });
    await made.connect(new PostMessageTransport(window, window));
    await made.sendSandboxResourceReady({ html });
    await initialised;
    await made.sendToolInput({ arguments: input });
    bridge = made;
  },

  sendResult: (result) => current().sendToolResult(result),
  cancel: (reason) => current().sendToolCancelled({ reason }),
  setContext: (context) => current().setHostContext(context),
  present(question, theme) {
    document.querySelector('.asked')?.append(question);
    document.body.className = theme;
  },
  teardown: () => current().teardownResource({}),
};

function current() {
  if (bridge === undefined) throw new Error('no view is shown');
  return bridge;
}

/** @returns {Promise<void>} resolves when the proxy says that it is ready */
function loadSandbox() {
  return new Promise((resolve) => {
    /** @param {MessageEvent} event */
    const hear = ({ source, data }) => {
      if (source !== frame.contentWindow) return;
      if (data?.method !== 'ui/notifications/sandbox-proxy-ready') return;
      window.removeEventListener('message', hear);
      resolve();
    };
    window.addEventListener('message', hear);
    frame.src = sandbox.href;
  });
}
