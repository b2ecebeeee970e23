// Loaded into the profiled server. SIGUSR2 starts a profile. The next SIGUSR2 ends it and writes it to the file named
// by POLYLOGUE_BENCH_PROFILE, which appears only when it is complete.
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

const SAMPLE_EVERY_MICROS = 250

const file = process.env['POLYLOGUE_BENCH_PROFILE']
let session: Session | undefined

async function begin(): Promise<void> {
  session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_MICROS })
  await session.post('Profiler.start')
}

async function end(profiled: Session, path: string): Promise<void> {
  const { profile } = await profiled.post('Profiler.stop')
  writeFileSync(`${path}.part`, JSON.stringify(profile))
  renameSync(`${path}.part`, path)
}

process.on('SIGUSR2', () => {
  if (file === undefined) return
  if (session === undefined) void begin()
  else void end(session, file)
})
