// After each test file: ends the programs that its tests have started and left, such as the server of a test that failed
// halfway.
import { readFileSync, readdirSync } from 'node:fs'
import { afterAll } from 'vitest'

afterAll(() => {
  for (const pid of processes().filter(isOurs)) kill(pid)
})

/** On Linux. Elsewhere nothing is found. */
function isOurs(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`)
  // The name of the program stands in brackets and may contain any character.
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(parent) === process.pid
}

function processes(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
