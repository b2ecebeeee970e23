import type { Patient } from './examine.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const MEBIBYTE = 1024 * 1024
/** A storage that refused so recently may still do so, in seconds. */
const RECENT = 60

export async function checkOwner({ pid, live }: Pick<Patient, 'pid' | 'live'>): Promise<readonly Finding[]> {
  if (pid === undefined) return [ok('server', 'None runs on this data directory.')]
  if (live === undefined) {
    // It cannot check who asks while its storage is away.
    const remedy = 'If its database is away, mend that first. Otherwise restart it with this version.'
    return [warn('server', `Pid ${pid} runs, but does not say how it is.`, remedy)]
  }
  const {
    phase,
    url = 'its socket only',
    openStreams,
    runningTurns,
    rssBytes,
    storageFaults,
    lastStorageFault = 0,
  } = live
  const message = `Pid ${pid} is ${phase} at ${url}: ${runningTurns} running turns, ${openStreams} open streams, ${Math.round(rssBytes / MEBIBYTE)} MiB.`
  const findings = [ok('server', message)]
  if (storageFaults > 0) {
    const isRecent = lastStorageFault < RECENT
    const ago = isRecent ? `${lastStorageFault} seconds` : `${Math.round(lastStorageFault / 60)} minutes`
    const told = `Its storage has refused ${storageFaults} times since it started, most recently ${ago} ago.`
    const remedy =
      'Look for "the storage fails" in its log. It goes on by itself when the database or the disk works again.'
    findings.push((isRecent ? fail : warn)('server', told, remedy))
  }
  return findings
}
