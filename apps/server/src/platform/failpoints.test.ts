import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { failpoint, observeFailpoints } from '@polylogue/engine'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'
import { createObserver, installFailpoints, parseFailpoints } from './failpoints.ts'

afterEach(() => observeFailpoints(undefined))

describe('the failpoints of a process', () => {
  it('are read from one line', () => {
    expect(parseFailpoints('append.after=kill@3;ack=delay:50@1;claim.after=throw@2;migrate=stop@1')).toEqual({
      rules: [
        { name: 'append.after', action: { type: 'kill' }, hit: 3 },
        { name: 'ack', action: { type: 'delay', ms: 50 }, hit: 1 },
        { name: 'claim.after', action: { type: 'throw' }, hit: 2 },
        { name: 'migrate', action: { type: 'stop' }, hit: 1 },
      ],
    })
    expect(parseFailpoints('level:2:step.ended')).toEqual({ rules: [], level: { level: 2, type: 'step.ended' } })
    expect(parseFailpoints('count:/tmp/a file;ack=kill@1')).toEqual({
      countFile: '/tmp/a file',
      rules: [{ name: 'ack', action: { type: 'kill' }, hit: 1 }],
    })
  })

  it.each(['ack', 'ack=kill', 'ack=kill@0', 'ack=die@1', 'ack=delay@1', 'ack=delay:x@1', 'Ack=kill@1'])(
    'refuse %s, naming it',
    (text) => {
      expect(() => parseFailpoints(text)).toThrow(
        new ServeError(`POLYLOGUE_FAILPOINTS: "${text}" is not like name=kill@3`, EXIT_CONFIG),
      )
    },
  )

  it('act at their hit and at no other', async () => {
    observeFailpoints(createObserver(parseFailpoints('ack=throw@2')))
    await failpoint('ack')
    await failpoint('append.after')
    expect(() => failpoint('ack')).toThrow('failpoint ack')
    await failpoint('ack')
  })

  it('hold up the point they delay', async () => {
    observeFailpoints(createObserver(parseFailpoints('ack=delay:1@1')))
    expect(failpoint('ack')).toBeInstanceOf(Promise)
    expect(failpoint('ack')).toBeUndefined()
  })

  it('are counted in a file, in the order in which they are passed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'polylogue-failpoints-'))
    const file = join(folder, 'hits')
    installFailpoints({ POLYLOGUE_FAILPOINTS: `count:${file}` })
    await failpoint('ack')
    await failpoint('claim.after')
    await failpoint('ack')
    expect(readFileSync(file, 'utf8')).toBe('ack\nclaim.after\nack\n')
    await rm(folder, { recursive: true })
  })

  it('are not observed without the variable', async () => {
    const passed: string[] = []
    observeFailpoints((name) => void passed.push(name))
    installFailpoints({})
    installFailpoints({ POLYLOGUE_FAILPOINTS: '' })
    await failpoint('ack')
    expect(passed).toEqual(['ack'])
  })
})
