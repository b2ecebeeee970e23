import { z } from 'zod'

/** Jupyter writes a text as one string or as a list of lines. */
const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))])
const output = z.union([
  z.object({ output_type: z.literal('stream'), text }),
  z.object({ output_type: z.literal('error'), ename: z.string().default(''), evalue: z.string().default('') }),
  z.object({ output_type: z.string(), data: z.record(z.string(), z.unknown()).default({}) }),
])
const cell = z.object({ cell_type: z.string(), source: text.default(''), outputs: z.array(output).default([]) })
const notebook = z.object({
  cells: z.array(cell),
  metadata: z.object({ language_info: z.object({ name: z.string() }).optional() }).optional(),
})

/** Looking at each value takes time. The pictures of a notebook are long, but few values. */
const MOST_VALUES = 200_000

/** The maximum length of one output. */
const LONGEST_OUTPUT = 4_000

/** The cells of a Jupyter notebook with their outputs, as text. `undefined`: not a notebook, or one of too many values. */
export function readNotebook(json: string): string | undefined {
  if (hasManyValues(json)) return undefined
  const parsed = notebook.safeParse(parseJson(json))
  if (!parsed.success) return undefined
  const { cells, metadata } = parsed.data
  const language = metadata?.language_info?.name ?? 'code'
  if (cells.length === 0) return '[A notebook without cells]'
  return cells
    .flatMap(({ cell_type: type, source, outputs }, index) => [
      `--- cell ${index + 1}: ${type === 'code' ? language : type} ---`,
      source,
      ...outputs.flatMap((one) => ['--- output ---', cut(describeOutput(one))]),
    ])
    .join('\n')
}

function describeOutput(given: z.output<typeof output>): string {
  if ('text' in given) return given.text
  if ('ename' in given) return `${given.ename}: ${given.evalue}`
  const plain = text.safeParse(given.data['text/plain'])
  const others = Object.keys(given.data).filter((type) => type !== 'text/plain')
  return [
    ...(plain.success ? [plain.data] : []),
    ...(others.length > 0 ? [`[also as ${others.join(', ')}, not shown]`] : []),
  ].join('\n')
}

const cut = (shown: string): string =>
  shown.length <= LONGEST_OUTPUT ? shown : `${shown.slice(0, LONGEST_OUTPUT).toWellFormed()}… [cut]`

/** Counts before anything is parsed. Commas and brackets in strings do not count. */
function hasManyValues(json: string): boolean {
  let values = 0
  let isInString = false
  for (let at = 0; at < json.length && values <= MOST_VALUES; at += 1) {
    const character = json[at]
    if (character === '\\') at += 1
    else if (character === '"') isInString = !isInString
    else if (!isInString && (character === ',' || character === '[' || character === '{')) values += 1
  }
  return values > MOST_VALUES
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
