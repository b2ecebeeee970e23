// A chat in a page: index.html?server=http://127.0.0.1:8020&agent=assistant#KEY. Without a key, the cookie signs in.
import { createBlade } from '@polylogue/client/blade'

const query = new URLSearchParams(location.search)
const token = location.hash.slice(1)
const blade = createBlade({ url: query.get('server') ?? '', ...(token && { token }) })
const id = query.get('session') ?? (await blade.api.createSession({ solution_id: query.get('agent') ?? 'assistant' }))
const session = blade.open(id, { schedule: requestAnimationFrame })

session.subscribe(draw)
session.on('bridge', ({ action, payload }) => {
  document.title = `${action} ${JSON.stringify(payload)}`
})
document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault()
  const input = document.querySelector('input')
  void session.send(input.value)
  input.value = ''
})

function draw() {
  const { pages, state } = session.getSnapshot()
  const rows = pages.flatMap(({ turns }) => turns).map(toRow)
  document.querySelector('main').replaceChildren(...rows)
  document.body.dataset.state = state
}

function toRow({ role, blocks }) {
  const row = document.createElement('p')
  const texts = blocks.filter(({ type }) => type === 'text').map(({ content }) => content)
  row.textContent = `${role}: ${texts.join('')}`
  return row
}
