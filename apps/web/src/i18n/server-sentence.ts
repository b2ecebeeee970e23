import i18next from 'i18next'

type Sentences = readonly (readonly [sentence: RegExp, words: string])[]

const known = new Map<string, Sentences>()

export const addSentences = (language: string, sentences: Sentences): void => void known.set(language, sentences)

/** What the server wrote in English, in the language of the page where it is known. */
export const serverSentence = (text: string): string => translateSentence(text, known.get(i18next.language) ?? [])

export function translateSentence(text: string, sentences: Sentences): string {
  return sentences
    .reduce((before, [sentence, words]) => before.replace(sentence, words), text)
    .replace(/。 (?=\p{Script=Han})/gu, '。')
}
