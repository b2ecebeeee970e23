import { randomBytes } from 'node:crypto'

/** Secrets that nobody else has, one for each place where one is put, to be looked for everywhere else. */
export interface Canaries {
  /** A new one for this place. */
  put(place: string): string
  readonly count: number
  /** The places whose canary is in this text, in plain, in base64 or in percent encoding. */
  findIn(text: string, places?: (place: string) => boolean): readonly string[]
}

export function createCanaries(): Canaries {
  const byPlace = new Map<string, string>()
  return {
    put(place) {
      const canary = `cnry${randomBytes(12).toString('hex')}`
      byPlace.set(place, canary)
      return canary
    },
    get count() {
      return byPlace.size
    },
    findIn: (text, places = () => true) =>
      [...byPlace].filter(([place, canary]) => places(place) && holds(text, canary)).map(([place]) => place),
  }
}

function holds(text: string, canary: string): boolean {
  return [canary, canary.toUpperCase(), ...base64Of(canary)].some((form) => text.includes(form))
}

/** At each of the three places that it may have in a longer text. */
function base64Of(canary: string): readonly string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.from('x'.repeat(shift) + canary).toString('base64')
    return encoded.slice(shift === 0 ? 0 : 4, -4)
  })
}
