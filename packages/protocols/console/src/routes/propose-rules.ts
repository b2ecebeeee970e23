import type { Rule } from '../contract/permissions.ts'

/** Longer texts make rules that nobody reads. */
const LONGEST = 300
const TELLING = ['command', 'path', 'file_path', 'url', 'pattern'] as const

/** The rules that allow a call like this one, the smallest first: its telling arguments as they are, or its host. */
export function rulesFor({ name, input }: { readonly name: string; readonly input: unknown }): readonly Rule[] {
  if (typeof input !== 'object' || input === null) return []
  const texts = TELLING.flatMap((argument) => {
    const value: unknown = Reflect.get(input, argument)
    return typeof value === 'string' ? [[argument, value] as const] : []
  })
  if (texts.length === 0 || texts.some(([, text]) => text.length > LONGEST || text.includes('\n'))) return []
  const tool = escapePattern(name)
  const args = Object.fromEntries(texts.map(([argument, text]) => [argument, `^${escapePattern(text)}$`]))
  const url = texts.find(([argument]) => argument === 'url')?.[1]
  const host = url !== undefined && URL.canParse(url) ? new URL(url).hostname : ''
  const ofHost: readonly Rule[] = host === '' ? [] : [{ tool, domain: { allowlist: [host] }, action: 'allow' }]
  return [{ tool, args, action: 'allow' }, ...ofHost]
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
