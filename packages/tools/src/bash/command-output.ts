import type { JsonObject, ToolInvocation, ToolOutput } from '@polylogue/engine'
import type { Sandbox } from '../sandbox/detect-sandbox.ts'
import { type Block, describeBlock, findBlock } from '../sandbox/find-block.ts'
import type { SandboxPlan } from '../sandbox/sandbox-argv.ts'
import type { CommandInspection } from '../shell/inspect-command.ts'
import type { BashToolOptions } from './bash-options.ts'
import { describeEnd } from './describe-end.ts'
import type { CommandEnd } from './run-command.ts'

export interface OutputNotes {
  readonly sandbox: Sandbox
  readonly limits: Parameters<typeof describeEnd>[1]
  readonly more: JsonObject
  /** Absent: the command ran without a sandbox. */
  readonly confined?: ConfinedRun | undefined
}

export interface ConfinedRun {
  readonly plan: SandboxPlan
  readonly wasNetworkRefused: boolean
  readonly inspection: CommandInspection
  readonly invocation: ToolInvocation
  readonly options: BashToolOptions
}

export function toCommandOutput(end: CommandEnd, printed: string, notes: OutputNotes): ToolOutput {
  const { sandbox, limits, more, confined } = notes
  const { exitCode, signal, stopped, leftovers, survivors } = end
  const hasFailed = !(exitCode === 0 && stopped === undefined && survivors === 0)
  const block = confined && stopped !== 'cancelled' ? blockOf(confined, { hasFailed, printed }) : undefined
  const blocked = block && describeBlock(block)
  const remarks = [describeEnd(end, limits), blocked ?? '', block ? adviceFor(block, confined) : '']
  return {
    content: [printed.replace(/\n$/, ''), ...remarks].filter((text) => text !== '').join('\n') || '(no output)',
    ...((hasFailed || block !== undefined) && { isError: true }),
    meta: {
      sandbox,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(signal === undefined ? {} : { signal }),
      ...(stopped === undefined ? {} : { stopped }),
      ...(leftovers === 0 ? {} : { leftovers }),
      ...(block && { blocked: block.type }),
      ...more,
    },
    ...(blocked !== undefined && confined?.options.sandbox !== 'required' && { blocked }),
  }
}

function blockOf(
  { plan, wasNetworkRefused, inspection, invocation, options }: ConfinedRun,
  end: { readonly hasFailed: boolean; readonly printed: string },
): Block | undefined {
  const isOwn = invocation.userId === options.ownUser
  return findBlock({ ...end, plan, wasNetworkRefused, closed: inspection.closed, isOwn })
}

/** What the model can do about it. */
function adviceFor({ type }: Block, confined: ConfinedRun | undefined): string {
  if (type !== 'no-network' || confined === undefined) return ''
  const { inspection, invocation, options } = confined
  if (inspection.facts.network === undefined) {
    return 'Only a command whose text shows that it needs the network, such as npm install or curl URL, gets it, after an approval.'
  }
  return invocation.userId === options.ownUser
    ? 'Nobody was there to allow it.'
    : 'This server gives the network only to commands of the user who runs it (bash.network).'
}
