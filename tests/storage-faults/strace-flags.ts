import { requireTool } from '../house/require-tool.ts'

/** Makes the nth call of a process fail, or the nth and all later calls. */
export interface Injection {
  readonly call: string
  readonly nth: number
  readonly isLasting: boolean
}

/** Includes the names of the same call on other kernels and in other builds. */
const SPELLINGS: { readonly [call: string]: string } = {
  fsync: 'fsync,fdatasync',
  pwrite64: 'pwrite64,write',
  pread64: 'pread64,read',
  rename: 'rename,renameat,renameat2',
}

/** A database, its side files, and the temporary files it is created from. */
export const databaseFiles = (file: string): readonly string[] =>
  [file, `${file}.new`].flatMap((path) => ['', '-wal', '-shm', '-journal'].map((suffix) => path + suffix))

/** strace with the flags that make calls on these files fail with EIO. `trace` contains the log. */
export function failCalls(injection: Injection, files: readonly string[], trace: string): readonly string[] {
  // This flag makes untraced calls free, but a kill is not delivered with it.
  return inject(injection, 'error=EIO', { files, trace }).toSpliced(1, 0, '--seccomp-bpf')
}

/** strace with the flags that kill the process at a call on these files. */
export function killAtCall(injection: Injection, files: readonly string[], trace: string): readonly string[] {
  return inject(injection, 'signal=SIGKILL', { files, trace })
}

interface Watched {
  readonly files: readonly string[]
  readonly trace: string
}

function inject(injection: Injection, effect: string, { files, trace }: Watched): readonly string[] {
  const { call, nth, isLasting } = injection
  const calls = SPELLINGS[call] ?? call
  return [
    requireTool('strace', 'strace'),
    ...['-f', '-qq', '-o', trace],
    ...files.flatMap((path) => ['-P', path]),
    ...['-e', `trace=${calls}`, '-e', `inject=${calls}:${effect}:when=${nth}${isLasting ? '+' : ''}`],
  ]
}

/** Whether the process made the call that should fail. */
export const wasInjected = (trace: string): boolean => trace.includes('(INJECTED)')
