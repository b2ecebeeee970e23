/** The storage of this browser. A frame in a page of another site may not use it; then it lasts as long as the page. */
export type KeptTexts = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

export const storage: KeptTexts = openStorage()

function openStorage(): KeptTexts {
  try {
    return localStorage
  } catch {
    const texts = new Map<string, string>()
    return {
      getItem: (name) => texts.get(name) ?? null,
      setItem: (name, text) => void texts.set(name, text),
      removeItem: (name) => void texts.delete(name),
    }
  }
}
