import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startPolylogue } from './child-server.ts'
import { parseCpuProfile, toCallTree } from './cpu-profile.ts'
import { openDeltaLoad, type DeltaLoadOptions } from './delta-load.ts'
import { writeFlameGraph } from './flame-graph.ts'

const CHECKOUT = new URL('../../../../', import.meta.url).href
const WARM_UP_TURNS = 3
const LOOK_EVERY_MS = 50
const GIVE_UP_MS = 60_000

export interface ProfileOptions extends DeltaLoadOptions {
  readonly turns: number
}

export interface ProfileFiles {
  readonly profile: string
  readonly flameGraph: string
}

/** Profiles the server while it streams, after its start and after the code is compiled. */
export async function profileServer(directory: string, { turns, ...load }: ProfileOptions): Promise<ProfileFiles> {
  await mkdir(directory, { recursive: true })
  const profile = resolve(directory, 'server.cpuprofile')
  const flameGraph = join(resolve(directory), 'flame-graph.html')
  await rm(profile, { force: true })
  await using stack = new AsyncDisposableStack()
  const server = stack.adopt(await startPolylogue({ profileTo: profile }), (started) => started.stop())
  const clients = stack.adopt(await openDeltaLoad(server, load), (opened) => opened.close())
  await clients.run(WARM_UP_TURNS)
  server.signal('SIGUSR2')
  await clients.run(turns)
  server.signal('SIGUSR2')
  await appears(profile)
  const title = `${load.connections} streams, ${turns} turns of ${load.deltasPerTurn} deltas each`
  const tree = toCallTree(parseCpuProfile(await readFile(profile, 'utf8')), CHECKOUT)
  await writeFile(flameGraph, writeFlameGraph(tree, title))
  return { profile, flameGraph }
}

async function appears(file: string): Promise<void> {
  const startedAt = performance.now()
  while (!existsSync(file)) {
    if (performance.now() - startedAt > GIVE_UP_MS) throw new Error(`The server did not write ${file}.`)
    await setTimeout(LOOK_EVERY_MS)
  }
}
