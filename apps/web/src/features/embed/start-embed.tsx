import type { Root } from 'react-dom/client'
import { Bridges } from '../../model/bridges.ts'
import { ConsoleModel } from '../../model/console-model.ts'
import { headKey } from '../../model/open-session.ts'
import { isObject, request } from '../../model/http.ts'
import { preloadMarkdown } from '../../ui/lazy-markdown.tsx'
import { ModelContext } from '../../ui/model-context.tsx'
import { EmbedPage, NoEmbed } from './embed-page.tsx'

/** One session inside a page of a listed host. The code of its address becomes a cookie for this session alone. */
export async function startEmbed(root: Root, sessionId: string): Promise<void> {
  let hosts: readonly string[]
  try {
    hosts = await signIn(sessionId)
  } catch (error) {
    return root.render(<NoEmbed problem={error instanceof Error ? error.message : String(error)} />)
  }
  const model = new ConsoleModel({ isEmbedded: true })
  const bridges = new Bridges((action) => {
    // A browser gives a message to the page around us only if it is the host that is named.
    for (const host of hosts) parent.postMessage({ type: 'polylogue:bridge', sessionId, ...action }, host)
  })
  model.listen((output) => {
    if (output.payload.session_id === sessionId) bridges.take(output)
  })
  const session = model.session(sessionId)
  model.notifier.subscribe(headKey(sessionId), () => {
    if (session.head.phase === 'ready') bridges.see(session.fold.turns)
  })
  model.start()
  root.render(
    <ModelContext value={model}>
      <EmbedPage id={sessionId} />
    </ModelContext>,
  )
  preloadMarkdown()
}

/** The hosts that may be told of actions. After a reload the code was used and the cookie is there. */
async function signIn(sessionId: string): Promise<readonly string[]> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  history.replaceState(null, '', location.pathname)
  const base = `/embed/${encodeURIComponent(sessionId)}`
  const signedIn = code === null ? undefined : await request('POST', `${base}/signin`, { code }).catch(() => undefined)
  const answer = signedIn ?? (await request('GET', `${base}/hosts`))
  const hosts = isObject(answer) ? answer['hosts'] : undefined
  return Array.isArray(hosts) ? hosts.filter((host) => typeof host === 'string') : []
}
