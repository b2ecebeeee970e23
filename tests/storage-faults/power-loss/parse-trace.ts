/**
 * Parses the output of `strace -y -xx`, one call per line:
 *
 *     pwrite64(22<\x2f\x74>, "\x00\x2d", 2, 4096) = 2
 *     openat(AT_FDCWD<\x2f>, "\x2f\x74", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 22<\x2f\x74>
 *
 * With `-xx` every byte of a string or path is written in hex. Failed calls are ignored. Unknown calls that could
 * change a file are refused, because a replay that misses an operation proves nothing.
 */
import { dirname, relative } from 'node:path'
import type { FileOperation } from './file-operation.ts'

const UNDERSTOOD = [
  'openat',
  'write',
  'pwrite64',
  'fsync',
  'fdatasync',
  'ftruncate',
  'unlink',
  'link',
  'rename',
] as const
const REFUSED = [
  'open',
  'creat',
  'writev',
  'pwritev',
  'pwritev2',
  'fallocate',
  'truncate',
  'renameat',
  'renameat2',
  'linkat',
]

export const TRACED_CALLS: readonly string[] = [...UNDERSTOOD, ...REFUSED, 'unlinkat', 'copy_file_range', 'sendfile']

const LINE = /^(\w+)\((.*)\)\s+= (-?\d+)(?:<([^>]*)>(?:\(deleted\))?)?(?: E[A-Z]+ .*)?$/
const STDOUT = 1

export function parseTrace(trace: string, directory: string): readonly FileOperation[] {
  const operations: FileOperation[] = []
  const known = new Set<string>()
  for (const line of trace.split('\n')) {
    const [, call = '', args = '', result = '', opened = ''] = LINE.exec(line) ?? []
    if (call === '') {
      if (line === '' || /^(?:\+\+\+|---) /.test(line)) continue
      throw new Error(`not a line of strace: ${line.slice(0, 200)}`)
    }
    if (Number(result) < 0) continue
    const operation = parseCall({ call, args, result: Number(result), opened }, directory, known)
    if (operation !== undefined) operations.push(operation)
  }
  return operations
}

interface Call {
  readonly call: string
  readonly args: string
  readonly result: number
  readonly opened: string
}

function parseCall(call: Call, directory: string, known: Set<string>): FileOperation | undefined {
  const { args, result } = call
  const within = (hex: string): string | undefined => nameIn(directory, fromHex(hex).toString('utf8'))
  const [, descriptor = '', path = ''] = /^(\d+)<([^>]*)>/.exec(args) ?? []
  const strings = [...args.matchAll(/"([^"]*)"(\.\.\.)?/g)]
  if (strings.some(([, , cut]) => cut !== undefined)) throw new Error(`${call.call} was traced with a cut string`)
  const [first = '', second = ''] = strings.map(([, hex = '']) => hex)
  const name = within(path)

  switch (call.call) {
    case 'openat': {
      const opened = within(call.opened)
      if (opened === undefined || opened === '' || !args.includes('O_CREAT')) return undefined
      if (known.has(opened)) {
        if (args.includes('O_TRUNC')) throw new Error('an existing file was opened with O_TRUNC')
        return undefined
      }
      known.add(opened)
      return { type: 'create', name: opened }
    }
    case 'write':
      if (Number(descriptor) === STDOUT) return { type: 'say', line: fromHex(first).toString('utf8').trimEnd() }
      return name === undefined ? undefined : refuse(call)
    case 'pwrite64': {
      if (name === undefined) return undefined
      const bytes = fromHex(first)
      if (bytes.length < result) throw new Error('a write was traced without all of its bytes')
      return { type: 'write', name, offset: lastNumber(args), bytes: bytes.subarray(0, result) }
    }
    case 'fsync':
    case 'fdatasync':
      if (name === undefined) return undefined
      return name === '' ? { type: 'sync-directory' } : { type: 'sync', name }
    case 'ftruncate':
      return name === undefined ? undefined : { type: 'truncate', name, size: lastNumber(args) }
    case 'unlink': {
      const gone = within(first)
      if (gone === undefined) return undefined
      known.delete(gone)
      return { type: 'unlink', name: gone }
    }
    case 'link':
    case 'rename': {
      const from = within(first)
      const to = within(second)
      if (from === undefined && to === undefined) return undefined
      if (from === undefined || to === undefined) return refuse(call)
      known.add(to)
      if (call.call === 'rename') known.delete(from)
      return { type: call.call, from, name: to }
    }
    default:
      return args.includes(toHex(directory)) ? refuse(call) : undefined
  }
}

/** `''` for the directory itself, `undefined` for paths outside it. */
function nameIn(directory: string, path: string): string | undefined {
  if (path === directory) return ''
  return dirname(path) === directory ? relative(directory, path) : undefined
}

const fromHex = (text: string): Buffer => Buffer.from(text.replaceAll('\\x', ''), 'hex')
const toHex = (text: string): string => Buffer.from(text).toString('hex').replaceAll(/../g, '\\x$&')
const lastNumber = (args: string): number => Number(/(\d+)$/.exec(args)?.[1])

function refuse({ call, args }: Call): never {
  throw new Error(`${call} is not understood: ${args.slice(0, 200)}`)
}
