import { SkillError, parseWith } from '@polylogue/tools'
import { z } from 'zod'

/** A skill on its way into a session. */
export interface NewSkill {
  /** What it is loaded by: `name` or `organisation/name`. */
  readonly name: string
  readonly files: readonly { readonly path: string; readonly content: string }[]
}

const MOST_FILES = 200
const MOST_CHARACTERS = 4 * 1024 * 1024
const LONGEST_PATH = 255

const part = /^(?!\.{1,2}$)[^/\\\0]{1,128}$/
const path = z
  .string()
  .max(LONGEST_PATH)
  .refine((text) => text.isWellFormed(), 'must be valid Unicode')
  .refine(
    (text) => text.split('/').every((name) => part.test(name)),
    'must be a relative path with "/" between names, without "." and ".."',
  )

const newSkill = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9-]{1,64}(?:\/[a-z0-9-]{1,64})?$/, 'must be "name" or "organisation/name" of a-z, 0-9 and "-"'),
  files: z
    .array(z.object({ path, content: z.string() }))
    .min(1)
    .max(MOST_FILES)
    .refine((files) => new Set(files.map((file) => file.path)).size === files.length, 'has a path twice')
    .refine(
      (files) => files.reduce((sum, { content }) => sum + content.length, 0) <= MOST_CHARACTERS,
      `must not have more than ${MOST_CHARACTERS} characters`,
    ),
})

/** Throws a `SkillError` that names the field. */
export function checkNewSkill(value: unknown): NewSkill {
  const parsed = parseWith(newSkill, value)
  if (!parsed.ok) throw new SkillError(parsed.problem)
  return parsed.value
}
