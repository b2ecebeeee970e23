import { textOf, type UserContent } from '@polylogue/engine'

const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g

/** What a user said, without what was put beside it for the model. */
export const userText = (content: UserContent): string => textOf(content).replace(REMINDER, '').trim()
