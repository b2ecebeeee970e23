// Commands and deletions in the program text of an interpreter (`python3 -c '…'`, `awk '…'`), as far as they stand there as
// literals. Programs that put their texts together are not understood.

export interface InnerCode {
  /** Command lines that the program gives to a shell or starts. */
  readonly scripts: readonly string[]
  /** Folders that it deletes with everything in them. */
  readonly deleted: readonly string[]
}

const TEXT = String.raw`(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\x60[^\x60]*\x60)`
const OPEN = String.raw`\s*(?:[([{]\s*)*`
const STARTERS = 'system|popen\\w*|exec\\w*|spawn\\w*|run|call|check_call|check_output|getoutput|shell_exec|passthru'
/** Functions that start programs, with the literals that follow: `run(["rm", "-rf", "/"])`. */
const STARTS = new RegExp(String.raw`\b(?:${STARTERS})${OPEN}(${TEXT}(?:\s*,\s*(?:\[\s*)?${TEXT})*)`, 'gs')
const DELETES = new RegExp(
  String.raw`\b(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_tree|rimraf)${OPEN}(${TEXT})`,
  'gs',
)
/** In Perl, Ruby and PHP. */
const BACKTICKS = /`([^`]+)`/g
const TEXTS = new RegExp(TEXT, 'gs')
/** Each counts as a command, and there is a limit for those. */
const MOST = 12

export function readInnerCode(code: string): InnerCode {
  const started = matches(code, STARTS).map((texts) => texts.map(unquote).join(' '))
  const inBackticks = [...code.matchAll(BACKTICKS)].slice(0, MOST).map(([, text = '']) => text)
  return {
    scripts: [...started, ...inBackticks],
    deleted: matches(code, DELETES).flatMap((texts) => texts.map(unquote)),
  }
}

function matches(code: string, pattern: RegExp): readonly (readonly string[])[] {
  const found = [...code.matchAll(pattern)].slice(0, MOST)
  return found.map(([, texts = '']) => [...texts.matchAll(TEXTS)].map(([text]) => text))
}

const unquote = (text: string): string => text.slice(1, -1).replaceAll(/\\(.)/gs, '$1')
