import { requireTool } from '../house/require-tool.ts'

/** One call of a process fails: the nth, or the nth and all after it. */
export interface Injection {
  readonly call: string
  readonly nth: number
  readonly isLasting: boolean
}

/** Also with the name that the same call has on other kernels and in other builds. */
const SPELLINGS: { readonly [call: string]: string } = {
  fsync: 'fsync,fdatasync',
  pwrite64: 'pwrite64,write',
  pread64: 'pread64,read',
  rename: 'rename,renameat,renameat2',
}

/** The files of a database, its side files and those that it is made of. */
export const databaseFiles = (file: string): readonly string[] =>
  [file, `${file}.new`].flatMap((path) => ['', '-wal', '-shm', '-journal'].map((suffix) => path + suffix))

/** strace with the flags that make calls on these files fail with EIO. `trace` then tells what happened. */
export function failCalls(injection: Injection, files: readonly string[], trace: string): readonly string[] {
  // With the flag, calls that are not traced cost nothing; a kill is not delivered with it.
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

/** Whether the call that was to fail was made at all. */
export const wasInjected = (trace: string): boolean => trace.includes('(INJECTED)')
