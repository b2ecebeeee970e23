import type { Patient } from './examine.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const MEBIBYTE = 1024 * 1024

export async function checkOwner({ pid, live }: Patient): Promise<readonly Finding[]> {
  if (pid === undefined) return [ok('server', 'None runs on this data directory.')]
  if (live === undefined) {
    // It cannot check who asks while its storage is away.
    const remedy = 'If its database is away, mend that first. Otherwise restart it with this version.'
    return [warn('server', `Pid ${pid} runs, but does not say how it is.`, remedy)]
  }
  const { phase, url = 'its socket only', openStreams, runningTurns, rssBytes, storageFaults } = live
  const message = `Pid ${pid} is ${phase} at ${url}: ${runningTurns} running turns, ${openStreams} open streams, ${Math.round(rssBytes / MEBIBYTE)} MiB.`
  const findings = [ok('server', message)]
  if (storageFaults > 0) {
    const remedy = 'Look for "the storage fails" in its log; when the disk is fine again, restart it.'
    findings.push(fail('server', `Its storage has refused ${storageFaults} times since it started.`, remedy))
  }
  return findings
}
