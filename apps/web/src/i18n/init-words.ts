import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { en } from './en.ts'
import { addSentences } from './server-sentence.ts'
import { storage } from '../model/storage.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en }
  }
}

export const LANGUAGES = { en: 'English', 'zh-CN': '简体中文' } as const
export type Language = keyof typeof LANGUAGES

const isLanguage = (text: string): text is Language => text in LANGUAGES

function preferredLanguage(): Language {
  const kept = storage.getItem('polylogue.language') ?? ''
  if (isLanguage(kept)) return kept
  return navigator.languages.some((language) => /^zh\b/i.test(language)) ? 'zh-CN' : 'en'
}

export async function initWords(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en: { translation: en } },
    interpolation: { escapeValue: false },
  })
  const language = preferredLanguage()
  if (language !== 'en') await loadLanguage(language)
  document.documentElement.lang = language
}

export async function loadLanguage(language: Language): Promise<void> {
  if (language === 'zh-CN' && !i18next.hasResourceBundle(language, 'translation')) {
    const [{ zh }, { ZH_SENTENCES }] = await Promise.all([import('./zh.ts'), import('./zh-sentences.ts')])
    i18next.addResourceBundle(language, 'translation', zh)
    addSentences(language, ZH_SENTENCES)
  }
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
}

export async function chooseLanguage(language: Language): Promise<void> {
  storage.setItem('polylogue.language', language)
  await loadLanguage(language)
}
