import { createTestDatabase } from '../../support/test-database.ts'
import { prepareNodes } from '../support/nodes.ts'
import { startLoad } from './load.ts'

const SESSIONS = 8

/** Two nodes are stopped and started in turn while clients work at both. */
export async function restartNodes(restarts: number): Promise<{ turns: number; complaints: readonly string[] }> {
  const database = await createTestDatabase()
  const nodes = await prepareNodes(database.url)
  try {
    const running = [await nodes.start('0'), await nodes.start('1')]
    const complaints: string[] = []
    const [first] = running
    const load = await startLoad({
      nodes: () => running,
      key: first?.key ?? '',
      url: database.url,
      counting: nodes.counting,
      sessions: SESSIONS,
    })
    for (let restart = 0; restart < restarts; restart++) {
      const place = restart % 2
      const code = await running[place]?.stop()
      if (code !== 0) complaints.push(`restart ${restart}: the node exited with ${code}`)
      running[place] = await nodes.start(String(place))
    }
    return { complaints: [...complaints, ...(await load.finish())], turns: load.turns }
  } finally {
    await nodes.remove()
    await database.drop()
  }
}
