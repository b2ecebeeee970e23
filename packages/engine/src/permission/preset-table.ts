import { unreachable } from '../errors.ts'
import type { Preset } from '../events/session-settings.ts'
import type { ToolEffect } from '../ports/tool.ts'
import type { CallFacts, ShellFacts } from '../events/call-facts.ts'
import { standingOf } from './host-lists.ts'
import type { HostLists } from './policy.ts'
import type { RuleAction } from '../ports/rule-store.ts'

/** The decision of each preset for one sort of call. */
export type PresetRow = { readonly [preset in Preset]: RuleAction }

// One column per preset, as in the table of the documentation.
// oxlint-disable-next-line max-params
const row = (
  readOnly: RuleAction,
  workspaceWrite: RuleAction,
  fullAccess: RuleAction,
  plan: RuleAction,
): PresetRow => ({
  'read-only': readOnly,
  'workspace-write': workspaceWrite,
  'full-access': fullAccess,
  plan,
})

/** The table of docs/permissions.md, row by row. */
const ROWS = {
  readFiles: row('allow', 'allow', 'allow', 'allow'),
  writeFiles: row('deny', 'allow', 'allow', 'deny'),
  safeCommand: row('deny', 'allow', 'allow', 'allow'),
  protectedOwn: row('deny', 'ask', 'allow', 'deny'),
  protectedOther: row('deny', 'ask', 'deny', 'deny'),
  dangerousCommand: row('deny', 'deny', 'allow', 'deny'),
  sensitiveCommand: row('deny', 'ask', 'allow', 'deny'),
  otherCommand: row('deny', 'ask', 'allow', 'deny'),
  fetchAllowed: row('ask', 'allow', 'allow', 'allow'),
  fetchBlocked: row('deny', 'deny', 'allow', 'deny'),
  fetchOther: row('ask', 'ask', 'allow', 'ask'),
  notes: row('deny', 'allow', 'allow', 'deny'),
  notesFromTool: row('deny', 'ask', 'allow', 'deny'),
  skill: row('deny', 'allow', 'allow', 'allow'),
  question: row('allow', 'allow', 'allow', 'allow'),
  agent: row('deny', 'allow', 'allow', 'allow'),
  plainReadonly: row('allow', 'allow', 'allow', 'allow'),
  plainOther: row('deny', 'ask', 'allow', 'deny'),
} as const satisfies { readonly [name: string]: PresetRow }

/**
 * The row for calls that touch protected paths. It depends on whether the session belongs to the user who runs the
 * server.
 */
export const guardedRow = (isOwn: boolean): PresetRow => (isOwn ? ROWS.protectedOwn : ROWS.protectedOther)

export function presetRow(facts: CallFacts, effect: ToolEffect, hosts: HostLists): PresetRow {
  switch (facts.type) {
    case 'plain':
      return effect === 'readonly' ? ROWS.plainReadonly : ROWS.plainOther
    case 'read-files':
      return ROWS.readFiles
    case 'write-files':
      return ROWS.writeFiles
    case 'shell':
      return commandRow(facts)
    case 'fetch': {
      const standing = standingOf(facts, hosts)
      return { allowed: ROWS.fetchAllowed, blocked: ROWS.fetchBlocked, other: ROWS.fetchOther }[standing]
    }
    case 'notes':
      return facts.isFromTool === true ? ROWS.notesFromTool : ROWS.notes
    case 'skill':
      return ROWS.skill
    case 'question':
      return ROWS.question
    case 'agent':
      return ROWS.agent
    default:
      return unreachable(facts)
  }
}

function commandRow({ risk, isUnderstood, hasWrapper }: ShellFacts): PresetRow {
  switch (risk) {
    case 'safe':
      // The safe list contains only plain commands. A command with a wrapper, or one that was not fully parsed, is not
      // on it.
      return isUnderstood && !hasWrapper ? ROWS.safeCommand : ROWS.otherCommand
    case 'sensitive':
      return ROWS.sensitiveCommand
    case 'dangerous':
      return ROWS.dangerousCommand
    case 'other':
      return ROWS.otherCommand
  }
}

/** Whether the call changes nothing. If so, the mode `read-only` leaves the decision to the rules. */
export function isReading(facts: CallFacts, effect: ToolEffect): boolean {
  switch (facts.type) {
    case 'read-files':
    case 'fetch':
    case 'question':
      return true
    case 'plain':
      return effect === 'readonly'
    case 'write-files':
    case 'shell':
    case 'notes':
    case 'skill':
    case 'agent':
      return false
    default:
      return unreachable(facts)
  }
}
