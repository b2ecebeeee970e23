import type { AcpFlags } from './commands/acp.ts'
import { splitFlag, takeChoice, takeText } from './flag-values.ts'

type Draft = { -readonly [Name in keyof AcpFlags]: AcpFlags[Name] }

/**
 * The command line of an editor, read without commander, which takes as long as everything else that an editor waits
 * for. `undefined`: another verb, a call for help or a mistake. `program.ts` answers those.
 */
export function parseAcpArguments(args: readonly string[]): AcpFlags | undefined {
  if (args[0] === 'check') return undefined
  const words = args.filter((word) => word !== '--acp')
  const isAcp = words.length < args.length || words[0] === 'acp'
  if (!isAcp) return undefined
  if (words[0] === 'acp') words.shift()
  const flags: Draft = { profile: 'standard', resumeReplay: 'before' }
  while (words.length > 0) if (!takeFlag(words, flags)) return undefined
  return flags
}

function takeFlag(words: string[], flags: Draft): boolean {
  const { name, given } = splitFlag(words.shift() ?? '')
  const value = (): string | undefined => given ?? words.shift()
  switch (name) {
    case '--stdio':
      return given === undefined
    case '--scripted':
      flags.scripted = true
      return given === undefined
    case '--resume':
      flags.resume = given ?? (words[0] === undefined || words[0].startsWith('-') ? true : words.shift()) ?? true
      return true
    case '--resume-replay':
      return takeChoice(value(), ['before', 'after'], (choice) => (flags.resumeReplay = choice))
    case '--profile':
      return takeChoice(value(), ['standard', 'seed'], (choice) => (flags.profile = choice))
    case '--agent':
    case '--data':
    case '--database':
    case '--config':
      return takeText(value(), (text) => (flags[TEXTS[name]] = text))
    default:
      return false
  }
}

const TEXTS = { '--agent': 'agent', '--data': 'data', '--database': 'database', '--config': 'config' } as const
