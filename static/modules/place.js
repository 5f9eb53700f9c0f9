// Where the page is: below which path of its host the lab is served, and whether another site shows the page in a
// frame. Addresses in the page's modules are those of the lab, "/runs/ID"; only this module, dom.js and the requests of
// lab/ know the path before them.

/** The path below which the lab is served, such as "/lab"; "" for none. The server writes it into index.html. */
export const base = globalThis.document?.documentElement?.dataset?.base ?? '';

/** Whether the page is in a frame. Then it uses no session: the site around it could lead the user to click in it. */
export const framed = globalThis.window?.top !== globalThis.window?.self;

/** An address as the browser needs it: that of the lab with the path before it. */
export const placed = (address) => (address.startsWith('/') ? base + address : address);

/** The address in the lab of a path that the browser has. */
export const pathInLab = (path = location.pathname) =>
  base && (path === base || path.startsWith(`${base}/`)) ? path.slice(base.length) || '/' : path;

/** What all requests have. */
export const credentials = framed ? 'omit' : 'same-origin';

/** Whether a page of another site may show this one in a frame: the headers of the page say so. */
export async function mayBeFramed() {
  const answer = await fetch(location.href, { method: 'HEAD', credentials }).catch(() => null);
  return answer !== null && !answer.headers.get('content-security-policy')?.includes("frame-ancestors 'none'");
}
