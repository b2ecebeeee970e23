/**
 * @typedef {{ word: string, text: string, from?: string }} Step
 * @typedef {{ name: string, base: string, steps: Step[] }} Stage
 */

/**
 * The stages of a Dockerfile that uses one line for each instruction.
 * @param {string} text
 * @returns {Stage[]}
 */
export function parseDockerfile(text) {
  /** @type {Stage[]} */
  const stages = []
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [, word = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (word === 'FROM') {
      const [, base = '', name = 'final'] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []
      stages.push({ name, base, steps: [] })
      continue
    }
    const stage = stages.at(-1)
    if (stage === undefined || word === '') throw new Error(`Dockerfile: cannot read "${line}"`)
    const from = /--from=(\S+)/.exec(rest)?.[1]
    stage.steps.push({ word, text: rest, ...(from !== undefined && { from }) })
  }
  return stages
}
