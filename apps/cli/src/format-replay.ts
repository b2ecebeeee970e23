import type { ReplayDifference, ReplayReport } from '@polylogue/console/client'

/** One line for each difference, and a sentence about the rest. */
export function formatReplay({ compared, skipped, requests, differences }: ReplayReport): string {
  const lines = differences.map(toLine)
  const same = `${count(compared, 'event')} and ${count(requests, 'request')} to models were compared.`
  const left =
    skipped === 0 ? '' : ` Not compared: ${count(skipped, 'event')} of turns that were cut off or had already differed.`
  const found = differences.length === 0 ? 'No differences.' : `${count(differences.length, 'difference')}.`
  const note = requests === 0 ? ' No requests are recorded: see polylogue record --help.' : ''
  return [...lines, `${found} ${same}${left}${note}`, ''].join('\n')
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

function toLine({ seq, type, logged, today, detail }: ReplayDifference): string {
  const was = logged?.type ?? 'nothing'
  const where = `event ${seq}: `
  switch (type) {
    case 'request':
      return `${where}the model would be asked something else: ${detail ?? ''}`
    case 'event':
      return today?.type === logged?.type
        ? `${where}${was} would differ in ${detail ?? ''}`
        : `${where}${today?.type ?? 'nothing'} would come instead of ${was}`
    case 'stops':
      return `${where}${was} would not come`
    case 'goes-on':
      return `${where}${today?.type ?? 'more'} would follow the end`
    case 'refused':
      return `${where}what led to ${was} would be refused: ${detail ?? ''}`
  }
}
