import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseDockerfile } from '../../scripts/lib/dockerfile.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')

describe('the image', () => {
  const stages = parseDockerfile(read('Dockerfile'))
  const steps = stages.at(-1)?.steps ?? []
  const textOf = (word: string): string => steps.findLast((step) => step.word === word)?.text ?? ''

  it('has the Node that the package asks for in every stage', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines?: { node: string } }
    const wanted = /\d+/.exec(engines?.node ?? '24')?.[0]
    expect(stages.map(({ base }) => base)).toEqual(stages.map(() => `node:${wanted}-bookworm-slim`))
  })

  it('starts as an ordinary user, with a health check, and only /data to write to', () => {
    expect(textOf('USER')).toBe('node')
    expect(steps.findIndex(({ word }) => word === 'USER')).toBeGreaterThan(
      steps.findLastIndex(({ word }) => word === 'RUN'),
    )
    expect(textOf('HEALTHCHECK')).toContain('/healthz')
    expect(textOf('VOLUME')).toBe('/data')
    expect(JSON.parse(textOf('ENTRYPOINT'))).toEqual(['polylogue'])
    expect(JSON.parse(textOf('CMD'))[0]).toBe('serve')
  })

  it('brings nothing of the machine that builds it', () => {
    expect(read('.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['**/node_modules', '**/dist', '**/.polylogue', '**/.cache', '.git']),
    )
  })

  it('is run without rights, on a read-only root, on this machine only', () => {
    const compose = read('compose.yaml')
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true', "'127.0.0.1:8020:8020'"]) {
      expect(compose).toContain(line)
    }
  })
})

describe('the reader of Dockerfiles', () => {
  it('refuses what it does not understand', () => {
    expect(() => parseDockerfile('FROM a\n  continued')).toThrow('cannot read "  continued"')
    expect(() => parseDockerfile('RUN early')).toThrow('cannot read "RUN early"')
  })

  it('gives stages and where copies come from', () => {
    expect(parseDockerfile('# x\nFROM a AS b\nRUN c\nFROM d\nCOPY --from=b /e /f')).toEqual([
      { name: 'b', base: 'a', steps: [{ word: 'RUN', text: 'c' }] },
      { name: 'final', base: 'd', steps: [{ word: 'COPY', text: '--from=b /e /f', from: 'b' }] },
    ])
  })
})
