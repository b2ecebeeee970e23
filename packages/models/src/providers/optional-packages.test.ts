import { expect, it } from 'vitest'
import { installCommand } from './optional-packages.ts'

it.each([
  ['a project', '/work/app/node_modules/polylogue/a.js', '/work/app/agents', 'npm install clouds'],
  ['a checkout', '/work/polylogue/packages/models/a.ts', '/elsewhere', 'npm install clouds'],
  ['another project', '/work/app/node_modules/polylogue/a.js', '/work/application', 'npm install --global clouds'],
  ['the whole machine', '/usr/lib/node_modules/polylogue/a.js', '/work/app', 'npm install --global clouds'],
  [
    'one run of npx',
    '/home/a/.npm/_npx/0123/node_modules/polylogue/a.js',
    '/home/a',
    'npx --package polylogue --package clouds polylogue',
  ],
])('names the command for a program that was installed for %s', (_, home, cwd, command) => {
  expect(installCommand('clouds', { home, cwd })).toBe(command)
})
