// The proxy between host and view, on an origin of its own. Its response carries the policy, which the frame
// of the view inherits.

const host = new URL(document.referrer).origin;
const inner = document.createElement('iframe');
inner.setAttribute('sandbox', 'allow-scripts allow-same-origin');
inner.title = 'View';
document.body.append(inner);

window.addEventListener('message', ({ source, origin, data }) => {
  if (source === window.parent && origin === host) {
    if (data?.method === 'ui/notifications/sandbox-resource-ready') inner.srcdoc = data.params.html;
    else inner.contentWindow?.postMessage(data, '*');
  } else if (source === inner.contentWindow) {
    window.parent.postMessage(data, host);
  }
});
const ready = { jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} };
window.parent.postMessage(ready, host);
