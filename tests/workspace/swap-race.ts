import { createInvocation } from '@polylogue/testkit'
import { createFileTools, createProtectedSet } from '@polylogue/tools'
import type { JsonObject, Tool } from '@polylogue/engine'
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { realpath, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTempDir } from '../support/temp-dir.ts'
import { startSwapping } from './swap-attacker.ts'

export interface RaceResult {
  readonly swaps: number
  /** What our tools did in the workspace, and what they refused. */
  readonly writes: number
  readonly edits: number
  readonly reads: number
  readonly refused: number
  /** What our tools did outside of it. */
  readonly escapes: readonly string[]
  /** What a tool that asks for the real path, looks at it and then opens the path does outside of it. */
  readonly naiveEscapes: number
}

/** At once: a call mostly waits for the disk. */
const LANES = 4
const SECRET = 'inside is a SECRET'

/**
 * While a directory of the workspace and a link that leads outside are being exchanged, and so are a file and a link,
 * files below the one name are written, edited and read, by our tools and by naive ones, until ours have written often enough.
 */
export async function raceAgainstSwaps(wanted: number): Promise<RaceResult> {
  const temp = await createTempDir()
  const dir = realpathSync(temp.path)
  const [root, outside] = [join(dir, 'ws'), join(dir, 'outside')]
  for (const directory of [join(root, 'work/sub'), join(outside, 'sub')]) {
    mkdirSync(directory, { recursive: true })
    const text = directory.startsWith(root) ? 'inside' : SECRET
    for (let lane = 0; lane < LANES; lane += 1) writeFileSync(join(directory, `text-${lane}.txt`), text)
  }
  symlinkSync('../outside', join(root, 'link'))
  writeFileSync(join(root, 'file.txt'), 'inside')
  symlinkSync('../outside/sub/text-0.txt', join(root, 'file-link'))
  const attacker = await startSwapping(
    [join(root, 'work'), join(root, 'link')],
    [join(root, 'file.txt'), join(root, 'file-link')],
  )

  const tools = createFileTools({ protectedSet: createProtectedSet({}) })
  const call = async (name: string, input: JsonObject): Promise<string> => {
    const tool = tools.find((each): each is Tool => each.name === name)
    if (!tool) throw new Error(`there is no ${name}`)
    const { content } = await tool.run(createInvocation(tool, input, { workspace: { cwd: root, roots: [root] } }))
    return typeof content === 'string' ? content : ''
  }
  const done = { writes: 0, edits: 0, reads: 0, refused: 0 }
  const escapes: string[] = []
  let naiveReads = 0
  const attempt = async (what: 'writes' | 'edits' | 'reads', run: () => Promise<unknown>): Promise<void> => {
    try {
      await run()
      done[what] += 1
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'FileProblem') throw error
      done.refused += 1
    }
  }
  const play = async (lane: number): Promise<void> => {
    const text = `work/sub/text-${lane}.txt`
    for (let round = 0; done.writes + done.edits < wanted; round += 1) {
      const name = `${lane}-${round % 50}.txt`
      await attempt('writes', () => call('Write', { path: `work/sub/ours-${name}`, content: `ours ${round}` }))
      await attempt('edits', () => call('Edit', { path: text, oldText: 'inside', newText: `inside${round % 2}` }))
      for (const path of [text, 'file.txt']) {
        await attempt('reads', async () => {
          if ((await call('Read', { path })).includes('SECRET'))
            escapes.push(`${path} gave the secret in round ${round}`)
        })
      }
      if (await readNaively(join(root, text), root)) naiveReads += 1
      await writeNaively(join(root, `work/sub/naive-${name}`), root)
    }
  }
  try {
    await Promise.all(Array.from({ length: LANES }, (_, lane) => play(lane)))
    const swaps = await attacker.stop()
    const names = readdirSync(join(outside, 'sub'))
    for (const name of names.filter((each) => !each.startsWith('naive-'))) {
      const isUntouched = name.startsWith('text-') && readFileSync(join(outside, 'sub', name), 'utf8') === SECRET
      if (!isUntouched) escapes.push(`${name} was written outside`)
    }
    const naiveWrites = names.filter((name) => name.startsWith('naive-')).length
    return { swaps, ...done, escapes, naiveEscapes: naiveReads + naiveWrites }
  } finally {
    await attacker.stop()
    await temp.remove()
  }
}

async function isInsideNow(path: string, root: string): Promise<boolean> {
  try {
    return (await realpath(join(path, '..'))).startsWith(`${root}/`)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

async function writeNaively(path: string, root: string): Promise<void> {
  if (await isInsideNow(path, root)) await writeFile(path, 'naive')
}

async function readNaively(path: string, root: string): Promise<boolean> {
  return (await isInsideNow(path, root)) && (await readFile(path, 'utf8')) === SECRET
}
