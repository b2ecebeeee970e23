import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createLineWriter } from './line-writer.ts'

function openFile(): { readonly fd: number; readonly read: () => string } {
  const directory = mkdtempSync(join(tmpdir(), 'polylogue-lines-'))
  const path = join(directory, 'log')
  const fd = openSync(path, 'a')
  onTestFinished(() => {
    closeSync(fd)
    rmSync(directory, { recursive: true })
  })
  return { fd, read: () => readFileSync(path, 'utf8') }
}

it('writes lines in their order, and is drained when all are written', async () => {
  const { fd, read } = openFile()
  const writer = createLineWriter(fd, 1_000_000)
  await writer.drained()
  const lines = Array.from({ length: 500 }, (_, index) => `${index} äöü\n`)
  for (const line of lines.slice(0, 250)) writer.write(line)
  await writer.drained()
  expect(read()).toBe(lines.slice(0, 250).join(''))
  for (const line of lines.slice(250)) writer.write(line)
  await writer.drained()
  expect(read()).toBe(lines.join(''))
})

it('drops lines beyond its limit, and takes lines again when there is room', async () => {
  const { fd, read } = openFile()
  const writer = createLineWriter(fd, 8)
  for (const line of ['one\n', 'two\n', 'three\n']) writer.write(line)
  await writer.drained()
  writer.write('four\n')
  await writer.drained()
  expect(read()).toBe('one\ntwo\nfour\n')
})

it('writes nothing after it has stopped, and whoever waits goes on', async () => {
  const { fd, read } = openFile()
  const writer = createLineWriter(fd, 1_000)
  writer.write('one\n')
  await writer.drained()
  writer.stop()
  writer.write('two\n')
  writer.flushSync()
  await writer.drained()
  expect(read()).toBe('one\n')
})

it('goes on after a write that fails', async () => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const writer = createLineWriter(full, 1_000)
  for (const line of ['one\n', 'two\n']) {
    writer.write(line)
    await writer.drained()
  }
  expect(writer.stop()).toEqual({ isIdle: true })
})
