// Two formats of the same list: the configuration's map from names to servers, and the list that editors send.
import { z } from 'zod'
import { DEFAULT_DEADLINE_MS, type McpServer } from './mcp-server.ts'

const MOST_SERVERS = 64
const MOST_ENTRIES = 256
const LONGEST_DEADLINE_MS = 3_600_000

const name = z.string().min(1).max(128)
const text = z
  .string()
  .max(32_768)
  .refine((value) => !value.includes('\0'), 'must not contain a NUL character')
const words = z.array(text).max(MOST_ENTRIES)
const command = text.min(1)
const url = z
  .string()
  .max(4096)
  .refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), 'must be an http or https URL')
const variable = text.min(1).refine((value) => !value.includes('='), 'must not contain =')
const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$/, 'must be the name of a header')
const headerValue = z
  .string()
  .max(16_384)
  .regex(/^[\t\u0020-\u007E\u0080-\u00FF]*$/, 'must be the value of a header')

const dealings = {
  trusted: z.boolean().default(false),
  deadlineMs: z.number().int().min(1).max(LONGEST_DEADLINE_MS).default(DEFAULT_DEADLINE_MS),
}
const spawned = z.strictObject({
  command,
  args: words.default([]),
  env: z.record(variable, text).default({}),
  cwd: text.min(1).optional(),
  ...dealings,
})
const remote = z.strictObject({
  url,
  transport: z.enum(['http', 'sse']).default('http'),
  headers: z.record(headerName, headerValue).default({}),
  ...dealings,
})

/** `{ name: { command, args?, env?, cwd? } | { url, transport?, headers? } }`, each with `trusted?` and `deadlineMs?`. */
export const mcpServersSchema = z
  .record(
    name,
    z.unknown().transform((entry, context): Omit<McpServer, 'name'> => {
      // Not a union, because its error would not name the wrong field.
      const isRemote = typeof entry === 'object' && entry !== null && 'url' in entry
      const parsed = isRemote ? remote.safeParse(entry) : spawned.safeParse(entry)
      if (!parsed.success) {
        for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path, message })
        return z.NEVER
      }
      const { trusted, deadlineMs } = parsed.data
      if ('url' in parsed.data) {
        const { transport, url: address, headers } = parsed.data
        return { reach: { type: transport, url: address, headers }, trusted, deadlineMs }
      }
      const { command: program, args, env, cwd } = parsed.data
      const where = cwd === undefined ? {} : { cwd }
      return { reach: { type: 'stdio', command: program, args, env, ...where }, trusted, deadlineMs }
    }),
  )
  .refine((servers) => Object.keys(servers).length <= MOST_SERVERS, `at most ${MOST_SERVERS} servers`)
  .transform((servers): readonly McpServer[] =>
    Object.entries(servers).map(([key, server]) => ({ name: key, ...server })),
  )

const absent = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? undefined)
const pairs = (key: z.ZodType<string>, value: z.ZodType<string>) =>
  absent(z.array(z.object({ name: key, value })).max(MOST_ENTRIES)).transform((list = []) =>
    Object.fromEntries(list.map((pair) => [pair.name, pair.value])),
  )

const untrusted = { trusted: false, deadlineMs: DEFAULT_DEADLINE_MS }
const editorStdio = z
  .object({ type: z.literal('stdio').optional(), name, command, args: absent(words), env: pairs(variable, text) })
  .transform((entry): McpServer => ({
    name: entry.name,
    reach: { type: 'stdio', command: entry.command, args: entry.args ?? [], env: entry.env },
    ...untrusted,
  }))
const editorRemote = z
  .object({ type: z.enum(['http', 'sse']), name, url, headers: pairs(headerName, headerValue) })
  .transform(({ type, url: address, headers, ...entry }): McpServer => ({
    name: entry.name,
    reach: { type, url: address, headers },
    ...untrusted,
  }))

/**
 * The format that editors send with a session: a list, with variables and headers as pairs. If two servers have the same
 * name, the last one wins. These servers are never trusted.
 */
export const editorMcpServersSchema = z
  .array(
    z.unknown().transform((entry, context): McpServer => {
      const type = typeof entry === 'object' && entry !== null && 'type' in entry ? entry.type : undefined
      const parsed = (type === undefined || type === 'stdio' ? editorStdio : editorRemote).safeParse(entry)
      if (parsed.success) return parsed.data
      for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path, message })
      return z.NEVER
    }),
  )
  .max(MOST_SERVERS)
  .transform((servers): readonly McpServer[] => [
    ...new Map(servers.map((server) => [server.name, server] as const)).values(),
  ])
