/** The storage of this browser. */
export interface KeptTexts {
  getItem(name: string): string | null
  setItem(name: string, text: string): void
  removeItem(name: string): void
  /** The names that begin so. */
  names(prefix: string): readonly string[]
}

export const storage: KeptTexts = openStorage()

/** What the browser does not keep, because it is full or the page is a frame of another site, lasts as long as the page. */
function openStorage(): KeptTexts {
  const unkept = new Map<string, string>()
  const kept = browserStorage()
  return {
    getItem: (name) => unkept.get(name) ?? kept?.getItem(name) ?? null,
    setItem(name, text) {
      unkept.delete(name)
      try {
        if (kept === undefined) unkept.set(name, text)
        else kept.setItem(name, text)
      } catch {
        kept?.removeItem(name)
        unkept.set(name, text)
      }
    },
    removeItem(name) {
      unkept.delete(name)
      kept?.removeItem(name)
    },
    names: (prefix) => [...unkept.keys(), ...Object.keys(kept ?? {})].filter((name) => name.startsWith(prefix)),
  }
}

function browserStorage(): Storage | undefined {
  try {
    return localStorage
  } catch {
    return undefined
  }
}
