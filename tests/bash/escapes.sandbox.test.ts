import { mkdir, readFile, symlink } from 'node:fs/promises'
import { createInvocation } from '@polylogue/testkit'
import { createBashTool, createProtectedSet } from '@polylogue/tools'
import { describe, expect, it } from 'vitest'
import { createTempDir } from '../support/temp-dir.ts'
import { ESCAPES } from './escapes.ts'
import { AWKWARD_COMMANDS, findChanged } from './record-arguments.ts'
import { tryEscapes } from './try-escapes.ts'

describe('in the sandbox', () => {
  it(`S9: none of ${ESCAPES.length} ways out works`, async () => {
    expect(await tryEscapes(ESCAPES, 'required')).toEqual({ worked: [], traces: [] })
  })

  // Other users get no more in `full-access` than in `workspace-write`: the test above is theirs.
  it('S9: the whole machine, which `local` has in `full-access`, is without the data directory', async () => {
    const reads = ESCAPES.filter(({ command, isHarmless }) => isHarmless && command.includes('DATA'))
    expect(reads.length).toBeGreaterThan(4)
    const { worked, traces } = await tryEscapes(reads, 'required', { place: 'machine', guarded: 'all' })
    expect({ worked, traces }).toEqual({ worked: [], traces: [] })
  })

  it('C16: nothing is trimmed, split or taken for an option', async () => {
    expect(await findChanged(AWKWARD_COMMANDS, 'required')).toEqual([])
  })

  it('work in the workspace continues as usual', async () => {
    const folder = await createTempDir()
    const { path } = folder
    const tool = createBashTool({
      stateDir: `${path}/state`,
      outputDir: `${path}/outputs`,
      sandbox: 'required',
      protectedSet: createProtectedSet({ secret: [path] }),
    })
    const command =
      'echo a > f && cat f && mktemp && ls / > /dev/null && git init -q x && ls -A && pwd && echo b > /dev/stderr; exit 3'
    const workspace = { cwd: `${path}/work`, roots: [`${path}/work`] }
    await mkdir(workspace.cwd)
    const { content, meta } = await tool.run(createInvocation(tool, { command }, { workspace }))
    await folder.remove()
    expect(content).toMatch(new RegExp(`^a\n/tmp/tmp\\.\\w+\nf\nx\n${path}/work\nb\nExit code 3\\.$`))
    expect(meta).toMatchObject({ sandbox: 'bubblewrap', exitCode: 3 })
  })
})

describe('a workspace behind a link', () => {
  it('is writable in the sandbox too', async () => {
    const folder = await createTempDir()
    const { path } = folder
    const options = { stateDir: `${path}/state`, outputDir: `${path}/outputs` }
    await mkdir(`${path}/real`)
    await symlink(`${path}/real`, `${path}/link`)
    const tool = createBashTool({ ...options, sandbox: 'required' })
    const workspace = { cwd: `${path}/link`, roots: [`${path}/link`] }
    const { content } = await tool.run(createInvocation(tool, { command: 'echo a > f; cat f; pwd -P' }, { workspace }))
    expect(await readFile(`${path}/real/f`, 'utf8')).toBe('a\n')
    await folder.remove()
    expect(content).toBe(`a\n${path}/link`)
  })
})

describe('without a sandbox', () => {
  it('S9: the harmless ones of the same ways out work', async () => {
    const harmless = ESCAPES.filter(({ isHarmless }) => isHarmless)
    const { worked, traces } = await tryEscapes(harmless, 'none')
    expect(worked).toEqual(harmless.map(({ command }) => command))
    expect(traces).toEqual(expect.arrayContaining(['new', 'connected', 'file changed']))
  })
})
