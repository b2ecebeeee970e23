// The same chat as ../page, with React.
import { createBlade } from '@polylogue/client/blade'
import { createRoot } from 'react-dom/client'
import { useSession, useTurn } from './use-session.js'

function Chat({ session }) {
  const { pages, state } = useSession(session)
  const send = (form) => void session.send(form.get('text'))
  return (
    <div data-state={state}>
      <form action={send}>
        <input name="text" aria-label="Message" />
        <button>Send</button>
      </form>
      <main>
        {pages
          .flatMap(({ turns }) => turns)
          .map(({ turn_id }) => (
            <Turn key={turn_id} session={session} id={turn_id} />
          ))}
      </main>
    </div>
  )
}

function Turn({ session, id }) {
  const { role, blocks } = useTurn(session, id)
  const texts = blocks.filter(({ type }) => type === 'text').map(({ content }) => content)
  return <p>{`${role}: ${texts.join('')}`}</p>
}

const query = new URLSearchParams(location.search)
const token = location.hash.slice(1)
const blade = createBlade({ url: query.get('server') ?? '', ...(token && { token }) })
const id = query.get('session') ?? (await blade.api.createSession({ solution_id: query.get('agent') ?? 'assistant' }))
const session = blade.open(id)
session.on('bridge', ({ action, payload }) => {
  document.title = `${action} ${JSON.stringify(payload)}`
})
createRoot(document.querySelector('#chat')).render(<Chat session={session} />)
