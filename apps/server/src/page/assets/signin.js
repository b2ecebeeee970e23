// The link that the server prints carries its one-time code behind the #, where no log and no referrer sees it.
import { Refused, request } from './api.js'
import { find } from './element.js'

const code = new URLSearchParams(location.hash.slice(1)).get('code')
history.replaceState(null, '', location.pathname)
const message = find('message', HTMLElement)

try {
  if (code === null) throw new Refused(400, 'This link carries no code.')
  await request('signin', { method: 'POST', body: { code } })
  location.replace('./')
} catch (error) {
  if (!(error instanceof Error)) throw error
  message.textContent = error instanceof Refused ? error.message : 'The server does not answer.'
  find('how', HTMLElement).hidden = false
}
