import { expect, it } from 'vitest'
import { describeSandbox, type SandboxFacts } from './describe-sandbox.ts'

const USUAL: SandboxFacts = { sandbox: 'bubblewrap', network: 'local', isLocal: true, preset: 'workspace-write' }

it.each<[Partial<SandboxFacts>, RegExp]>([
  [
    {},
    /^bubblewrap, without a network, unless the user approves a command .*\. Commands write to the working directory/,
  ],
  [{ isLocal: false }, /^bubblewrap, without a network: downloads and package registries fail\. Commands write/],
  [{ isLocal: false, network: 'everyone' }, /^bubblewrap, without a network, unless the user approves/],
  [{ network: true }, /^bubblewrap, with a network\. Commands write/],
  [{ network: false }, /^bubblewrap, without a network: downloads/],
  [{ preset: 'full-access' }, /^bubblewrap, with the whole machine, writable, and a network/],
  [{ preset: 'full-access', isLocal: false }, /^bubblewrap, without a network: downloads/],
  [{ preset: 'read-only' }, /^in this mode no command runs/],
  [{ preset: 'plan' }, /^in this mode only single commands that read run, such as ls or git diff; bubblewrap, /],
  [{ sandbox: 'none', preset: 'full-access' }, /^none; commands have the rights/],
])('the model is told what commands of the session can do: %j', (facts, told) => {
  expect(describeSandbox({ ...USUAL, ...facts })).toMatch(told)
})
