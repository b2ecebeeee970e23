// Reduces the configuration of a repository to settings that change how Git displays or compares content. Settings that
// name a program, a file or a remote are dropped, and includes are not followed.

const ON_OR_OFF = /^(?:true|false|yes|no|on|off|0|1)$/i
const WORD = /^[\w.-]{1,40}$/
const REFERENCE = /^[+^]?[\w./*@-]{1,200}(?::[\w./*@-]{1,200})?$/

/** By section and name, in lower case. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  'core.repositoryformatversion': /^[01]$/,
  'core.filemode': ON_OR_OFF,
  'core.ignorecase': ON_OR_OFF,
  'core.precomposeunicode': ON_OR_OFF,
  'core.symlinks': ON_OR_OFF,
  'core.autocrlf': /^(?:true|false|input)$/i,
  'core.eol': WORD,
  'core.quotepath': ON_OR_OFF,
  'core.abbrev': WORD,
  'core.trustctime': ON_OR_OFF,
  'core.checkstat': WORD,
  'core.sparsecheckout': ON_OR_OFF,
  'core.sparsecheckoutcone': ON_OR_OFF,
  'extensions.objectformat': /^sha(?:1|256)$/i,
  'diff.renames': WORD,
  'diff.renamelimit': WORD,
  'diff.algorithm': WORD,
  'diff.context': WORD,
  'diff.noprefix': ON_OR_OFF,
  'diff.mnemonicprefix': ON_OR_OFF,
  'status.short': ON_OR_OFF,
  'status.branch': ON_OR_OFF,
  'status.showuntrackedfiles': WORD,
  'status.relativepaths': ON_OR_OFF,
  'log.date': WORD,
  'log.abbrevcommit': ON_OR_OFF,
  'i18n.commitencoding': WORD,
  'i18n.logoutputencoding': WORD,
  'branch.*.merge': REFERENCE,
  'branch.*.remote': WORD,
  'remote.*.fetch': REFERENCE,
}

/** Settings that change where objects and references are stored. Without them Git would misread the repository. */
const NEEDED_EXTENSIONS = /^extensions\.(?:refstorage|compatobjectformat)$/

export interface ReducedConfig {
  readonly text: string
}

/** `undefined` when the text is ambiguous, or when the repository needs a setting that is not allowed. */
export function reduceGitConfig(text: string): ReducedConfig | undefined {
  const settings = readSettings(text)
  if (settings === undefined) return undefined
  if (settings.some(({ section, name }) => NEEDED_EXTENSIONS.test(`${section}.${name}`))) return undefined
  const kept = settings.filter(isAllowed)
  return { text: kept.map(writeSetting).join('') }
}

interface Setting {
  readonly section: string
  readonly subsection?: string
  readonly name: string
  readonly value: string
}

const SECTION = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$/s
const NAMED = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/s
const LONGEST_LINE = 4000

function readSettings(text: string): readonly Setting[] | undefined {
  const found: Setting[] = []
  let section: Pick<Setting, 'section' | 'subsection'> | undefined
  // A line that ends with a backslash continues on the next line.
  for (const line of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    if (line.length > LONGEST_LINE) return undefined
    let rest = line.trim()
    const [, name, subsection, after] = SECTION.exec(rest) ?? []
    if (name !== undefined) {
      section = { section: name.toLowerCase(), ...(subsection !== undefined && { subsection }) }
      rest = after ?? ''
    }
    if (rest === '' || /^[#;]/.test(rest)) continue
    const [, key, value = 'true'] = NAMED.exec(rest) ?? []
    if (section === undefined || key === undefined) return undefined
    found.push({ ...section, name: key.toLowerCase(), value: plainValue(value) })
  }
  return found
}

/** No allowed value contains escapes or comments, so these need no parsing. */
const plainValue = (value: string): string => value.replace(/^"([^"\\]*)"$/, '$1').trim()

function isAllowed({ section, subsection, name, value }: Setting): boolean {
  const key = subsection === undefined ? `${section}.${name}` : `${section}.*.${name}`
  const isPlainName = subsection === undefined || /^[\w./-]{1,200}$/.test(subsection)
  return isPlainName && Object.hasOwn(ALLOWED, key) && ALLOWED[key]?.test(value) === true
}

function writeSetting({ section, subsection, name, value }: Setting): string {
  const head = subsection === undefined ? `[${section}]` : `[${section} "${subsection}"]`
  return `${head}\n\t${name} = "${value}"\n`
}
