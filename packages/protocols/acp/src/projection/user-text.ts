import { textOf, type UserContent } from '@polylogue/engine'

const REMINDER = /<system-reminder>(?:(?!<system-reminder>)[\s\S])*?<\/system-reminder>/g

/** Without the blocks that were added for the model. */
export const withoutReminders = (text: string): string => text.replace(REMINDER, '').trim()

export const userText = (content: UserContent): string => withoutReminders(textOf(content))
