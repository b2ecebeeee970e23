// A program: loads the configuration of each folder that it is given, as a server would, and prints a line of JSON for each: the
// name of its file, or what is wrong. A process of its own, because the test runner resolves imports in its own way.
import { loadConfig } from '@polylogue/server'

for (const directory of process.argv.slice(2)) {
  const line = await loadConfig({ directory }).then(
    ({ file }) => file,
    (error: unknown) => String(error),
  )
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
