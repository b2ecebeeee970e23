// Commands and deletions in the program text of an interpreter (`python3 -c '…'`, `awk '…'`), as far as they stand there as
// literals. Programs that put their texts together are not understood.

export interface InnerCode {
  /** Command lines that the program gives to a shell or starts. */
  readonly scripts: readonly string[]
  /** Folders that it deletes with everything in them. */
  readonly deleted: readonly string[]
  readonly isForkBomb: boolean
  /** The rest of it was not read. */
  readonly isTooLong: boolean
}

/** With a prefix (`r'…'`), in three quotes, and in the brackets of Perl and Ruby (`q(…)`, `%w[…]`). */
const QUOTED = String.raw`[rRbBfFuU]{0,2}(?:"""[^]{0,500}?"""|'''[^]{0,500}?'''|"(?:[^"\\]|\\.){0,500}"|'(?:[^'\\]|\\.){0,500}')`
const BRACKETED = String.raw`(?:\([^)]{0,500}\)|\{[^}]{0,500}\}|\[[^\]]{0,500}\])`
const TEXT = String.raw`(?:${QUOTED}|\x60[^\x60]{0,500}\x60|(?:\bq[qw]?|%[qQwW]?)[ ]?${BRACKETED})`
/** Brackets, the name of a parameter, and functions around the text: `(path=Path(`. */
const OPEN = String.raw`(?:["']\])?\s*(?:[([{]\s*|\w{1,40}\s?[=:]\s*|[\w.]{1,40}\(\s*){0,6}`
const STARTERS =
  'system|popen\\w*|exec\\w*|spawn\\w*|run|call|check_call|check_output|getoutput|shell_exec|passthru|shell script'
/** Functions that start programs, with the literals that follow: `run(["rm", "-rf", "/"])`. */
const STARTS = new RegExp(String.raw`\b(?:${STARTERS})${OPEN}(${TEXT}(?:\s*,\s*(?:\[\s*)?${TEXT}){0,50})`, 'gs')
const DELETERS =
  'rmtree|rmSync|rmdirSync|rm_rf|rm_r|rm|remove_tree|remove_dir|remove_entry(?:_secure)?|rimraf|Deno\\.remove(?:Sync)?'
const DELETES = new RegExp(String.raw`\b(?:${DELETERS})${OPEN}(${TEXT})`, 'gs')
/** In Perl, Ruby and PHP. */
const BACKTICKS = new RegExp(String.raw`\x60([^\x60]+)\x60|(?:\bqx|%x)[ ]?(${BRACKETED})`, 'g')
/** In awk: `"rm" | getline`, `print | "rm"`. */
const PIPED = new RegExp(String.raw`(${TEXT})\s*\|&?\s*getline|\|&?\s*(${TEXT})`, 'gs')
const TEXTS = new RegExp(TEXT, 'gs')
/** A process that makes copies of itself for ever. */
const FORKS =
  /\bfork\s+while\b|\b(?:while\s{0,9}\(?(?:1|true|:)\)?\s{0,9}[:{]?|loop\s{0,9}\{?)\s{0,9}(?:os\.|Process\.)?fork\b/i
/** Each counts as a command, and there is a limit for those. */
const MOST = 12

/** The patterns take time proportional to the length, times that of the longest text. */
const LONGEST_CODE = 16_384

export function readInnerCode(whole: string): InnerCode {
  const code = whole.slice(0, LONGEST_CODE)
  const started = matches(code, STARTS).map((texts) => texts.map(unquote).join(' '))
  const piped = matches(code, PIPED).flatMap((texts) => texts.map(unquote))
  const inBackticks = [...code.matchAll(BACKTICKS)]
    .slice(0, MOST)
    .flatMap(([, plain, bracketed]) => plain ?? bracketed?.slice(1, -1) ?? [])
  return {
    scripts: [...started, ...piped, ...inBackticks],
    deleted: matches(code, DELETES).flatMap((texts) => texts.map(unquote)),
    isForkBomb: FORKS.test(code),
    isTooLong: whole.length > LONGEST_CODE,
  }
}

/** The texts of each match, at most so many matches. */
function matches(code: string, pattern: RegExp): readonly (readonly string[])[] {
  const found: string[][] = []
  for (const [, ...groups] of code.matchAll(pattern)) {
    if (found.length >= MOST) break
    found.push(groups.flatMap((texts: string | undefined) => [...(texts ?? '').matchAll(TEXTS)].map(([text]) => text)))
  }
  return found
}

/** Without its prefix and its quotes, however many there are. */
const unquote = (text: string): string =>
  text
    .replace(/^(?:[rRbBfFuU]{0,2}(?=["'])|(?:q[qw]?|%[qQwW]?)[ ]?(?=[([{]))/, '')
    .replace(/^(?:"""|'''|[^])/, '')
    .replace(/(?:"""|'''|[^])$/, '')
    .replaceAll(/\\(.)/gs, '$1')
