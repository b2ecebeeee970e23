import { textOf, type UserContent } from '@polylogue/engine'

const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g

/** The user's text without the blocks that were added for the model. */
export const userText = (content: UserContent): string => textOf(content).replace(REMINDER, '').trim()
