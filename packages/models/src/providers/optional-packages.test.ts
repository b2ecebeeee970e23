import { expect, it } from 'vitest'
import { installCommand } from './optional-packages.ts'

it.each([
  ['a project', '/srv/app/node_modules/polylogue/a.js', '/srv/app/agents', 'npm install clouds'],
  ['a checkout', '/srv/polylogue/packages/models/a.ts', '/elsewhere', 'npm install clouds'],
  ['another project', '/srv/app/node_modules/polylogue/a.js', '/srv/application', 'npm install --global clouds'],
  ['the whole machine', '/usr/lib/node_modules/polylogue/a.js', '/srv/app', 'npm install --global clouds'],
  [
    'one run of npx',
    '/home/a/.npm/_npx/0123/node_modules/polylogue/a.js',
    '/home/a',
    'npx --package polylogue --package clouds polylogue',
  ],
])('names the command for a program that was installed for %s', (_, home, cwd, command) => {
  expect(installCommand('clouds', { home, cwd })).toBe(command)
})
