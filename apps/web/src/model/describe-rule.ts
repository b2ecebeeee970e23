/** The smallest rule that allows a call like this one: its tool, and each text of its input, whole. */
import type { NewRule, Rule } from '@polylogue/client/console'
import { isObject } from './http.ts'

/** Longer texts make rules that nobody reads. */
const LONGEST = 300

export function proposeRule(tool: string, input: unknown): NewRule | undefined {
  if (!isObject(input)) return undefined
  const telling = ['command', 'path', 'url', 'pattern'].filter((name) => typeof input[name] === 'string')
  const args: Record<string, string> = {}
  for (const name of telling) {
    const value = input[name]
    if (typeof value !== 'string' || value.length > LONGEST || value.includes('\n')) return undefined
    args[name] = `^${escapePattern(value)}$`
  }
  if (telling.length === 0) return undefined
  return { tool: escapePattern(tool), args, action: 'allow' }
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

export function describeRule({ tool, args = {}, kept }: Pick<NewRule, 'tool' | 'args'> & Pick<Rule, 'kept'>): string {
  if (kept !== undefined) return `${kept.label}: ${kept.project}`
  return [tool, ...Object.entries(args).map(([name, pattern]) => `${name}=${pattern}`)].join('  ')
}
