import { element } from './element.js'

/**
 * What to paste into a shell to talk to this server without the page.
 * @param {string} base the address of the API, without a slash at the end
 * @param {string} agent
 */
export function connectLines(base, agent) {
  const session = JSON.stringify({ agent: { name: agent } })
  const turn = JSON.stringify({ stream: 'delta', messages: [{ role: 'user', content: 'Hello! What can you do?' }] })
  const headers = `-H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'`
  return [
    `URL=${base}/aap/v3 KEY=the-key-that-the-server-printed`,
    `SESSION=$(curl -s "$URL/sessions" ${headers} -d '${session}' | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/')`,
    `curl -sN "$URL/sessions/$SESSION/turns" ${headers} -d '${turn}'`,
  ]
}

/** @param {HTMLElement} list @param {readonly string[]} lines */
export function showLines(list, lines) {
  list.replaceChildren(
    ...lines.map((line) => {
      const copy = element('button', { type: 'button', className: 'copy' }, 'Copy')
      copy.addEventListener('click', () => {
        void navigator.clipboard.writeText(line).then(() => (copy.textContent = 'Copied'))
      })
      return element('li', {}, element('pre', {}, line), copy)
    }),
  )
}
