import { operations, type NewRule, type Rule } from '@polylogue/console/client'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { CommandFailure } from '../command-failure.ts'
import { ExitCode } from '../exit-code.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { formatTable } from '../table.ts'
import { createTerminal, type Terminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { withOwner } from '../with-owner.ts'

export interface PermissionsFlags extends OwnerFlags {
  readonly json?: boolean
}

export interface RuleFlags extends PermissionsFlags {
  readonly arg?: readonly (readonly [name: string, pattern: string])[]
  readonly host?: readonly string[]
  readonly urlArg?: string
}

export interface RuleSubject {
  readonly action: string
  readonly tool: string
}

export function listRules(flags: PermissionsFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const list = await console.listRules()
    const { stdout, stderr } = createTerminal(process)
    if (flags.json) {
      stdout.write(`${JSON.stringify(list)}\n`)
      return ExitCode.done
    }
    if (list.rules.length === 0) {
      stderr.write(
        "You have no rules; the preset of a session decides. Add one with: polylogue permissions add ask 'mcp_.*'\n",
      )
    } else
      stdout.write(
        formatTable(
          ['ID', 'ACTION', 'TOOL', 'ONLY IF'],
          list.rules.map((rule) => [rule.id, ...toRow(rule)]),
        ),
      )
    for (const rule of list.operator.deny) {
      stderr.write(`The operator denies: ${toRow(rule).slice(1).join('  ').trimEnd()}\n`)
    }
    return ExitCode.done
  })
}

export function addRule(subject: RuleSubject, flags: RuleFlags): Promise<number> {
  const body = toRuleBody(subject, flags)
  return withOwner(flags, async ({ console }) => {
    const added = await console.addRule({ body })
    const terminal = createTerminal(process)
    terminal.stdout.write(flags.json ? `${JSON.stringify(added)}\n` : `${added.id}\n`)
    tellWarnings(terminal, added.warnings)
    return ExitCode.done
  })
}

export function removeRule(id: string, flags: PermissionsFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    await console.removeRule({ id })
    createTerminal(process).stderr.write(`Removed ${toTerminalLine(id)}.\n`)
    return ExitCode.done
  })
}

export async function importRules(file: string, flags: PermissionsFlags): Promise<number> {
  const body = parseFile(file === '-' ? 'The input' : file, file === '-' ? await text(process.stdin) : readRules(file))
  return withOwner(flags, async ({ console }) => {
    const imported = await console.importRules({ body })
    const terminal = createTerminal(process)
    if (flags.json) terminal.stdout.write(`${JSON.stringify(imported)}\n`)
    const known = imported.known === 0 ? '' : `; ${imported.known} existed already`
    terminal.stderr.write(`Added ${imported.rules.length} rules${known}.\n`)
    tellWarnings(terminal, imported.warnings)
    return ExitCode.done
  })
}

/** A rule as the server takes it. */
export function toRuleBody({ action, tool }: RuleSubject, { arg = [], host, urlArg }: RuleFlags): NewRule {
  if (urlArg !== undefined && host === undefined) {
    throw new CommandFailure('--url-arg needs --host.', ExitCode.usage)
  }
  return {
    tool,
    action,
    ...(arg.length > 0 && { args: Object.fromEntries(arg) }),
    ...(host && { domain: { allowlist: host, ...(urlArg !== undefined && { url_arg: urlArg }) } }),
  }
}

export function tellWarnings({ stderr }: Terminal, warnings: readonly string[]): void {
  for (const warning of warnings) stderr.write(`Warning: ${toTerminalLine(warning)}.\n`)
}

function readRules(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandFailure(`${file} cannot be read: ${why}`, ExitCode.failed, { cause: error })
  }
}

function parseFile(name: string, content: string) {
  const parsed = operations.importRules.body.safeParse(parseJson(name, content))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `
  throw new CommandFailure(`${name}: ${field}${issue?.message ?? 'is wrong'}`)
}

function parseJson(name: string, content: string): unknown {
  try {
    return JSON.parse(content)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CommandFailure(`${name} is not JSON: ${why}`, ExitCode.failed, { cause })
  }
}

function toRow({ action, tool, args = {}, domain, kept }: Rule): readonly string[] {
  const hosts = [...(domain?.allowlist ?? []), ...(domain?.blocklist ?? [])]
  const conditions = [
    ...Object.entries(args).map(([name, pattern]) => `${name} has ${pattern}`),
    ...(kept ? [`${kept.label}: ${kept.project}`] : []),
    ...(domain ? [`${domain.url_arg ?? 'url'} is at ${hosts.join(' ')}`] : []),
  ]
  return [action, toTerminalLine(tool), toTerminalLine(conditions.join(', '))]
}
