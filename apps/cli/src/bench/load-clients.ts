import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { loadResult, type LoadJob, type LoadResult } from './load.ts'

/** The process that runs the clients. It handles one job at a time. */
export interface LoadClients {
  run(job: LoadJob): Promise<LoadResult>
  close(): void
}

export function startLoadClients(): LoadClients {
  const script = fileURLToPath(new URL('./load-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  return {
    run(job) {
      return new Promise((resolve, reject) => {
        const ended = (code: number | null): void => reject(new Error(`the clients ended with ${code}`))
        child.once('exit', ended)
        lines.once('line', (line) => {
          child.off('exit', ended)
          resolve(loadResult.parse(JSON.parse(line)))
        })
        child.stdin.write(`${JSON.stringify(job)}\n`)
      })
    },
    close() {
      child.stdin.end()
    },
  }
}
