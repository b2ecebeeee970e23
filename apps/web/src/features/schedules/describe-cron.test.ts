import i18next from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import { en } from '../../i18n/en.ts'
import { zh } from '../../i18n/zh.ts'
import { describeCron } from './describe-cron.ts'

const instance = i18next.createInstance()
beforeAll(() =>
  instance.init({
    resources: { en: { translation: en }, 'zh-CN': { translation: zh } },
    interpolation: { escapeValue: false },
  }),
)

/** Newer versions of ICU put a narrow space before AM. */
const describeIn = (language: string, cron: string) =>
  describeCron(cron, { t: instance.getFixedT(language), language })?.replaceAll('\u202f', ' ')

it.each([
  ['0 9 * * 1-5', 'Monday to Friday at 9:00 AM', '星期一至星期五 09:00'],
  ['0 9 * * MON-FRI', 'Monday to Friday at 9:00 AM', '星期一至星期五 09:00'],
  ['30 18 * * 5', 'Friday at 6:30 PM', '星期五 18:30'],
  ['0 9 * * *', 'Every day at 9:00 AM', '每天 09:00'],
  ['0 9,17 * * *', 'Every day at 9:00 AM and 5:00 PM', '每天 09:00和17:00'],
  ['0 10 * * 0,6', 'Saturday and Sunday at 10:00 AM', '星期六和星期日 10:00'],
  ['0 10 * * 7', 'Sunday at 10:00 AM', '星期日 10:00'],
  ['0 * * * *', 'Every hour', '每小时'],
  ['@hourly', 'Every hour', '每小时'],
  ['15 * * * *', 'Every hour, 15 minutes past', '每小时的第 15 分'],
  ['0 */6 * * *', 'Every 6 hours', '每 6 小时'],
  ['* * * * *', 'Every minute', '每分钟'],
  ['*/15 * * * *', 'Every 15 minutes', '每 15 分钟'],
  [
    '*/15 9-17 * * 1-5',
    'Every 15 minutes from 9:00 AM to 5:59 PM, Monday to Friday',
    '每 15 分钟（09:00至17:59），星期一至星期五',
  ],
  ['0 8 1 * *', 'Day 1 of each month at 8:00 AM', '每月1日 08:00'],
  ['0 8 1,15 * *', 'Day 1 and 15 of each month at 8:00 AM', '每月1和15日 08:00'],
  ['0 8 1 1 *', 'January 1 at 8:00 AM', '一月1日 08:00'],
  ['0 8 * 6 *', 'Every day in June at 8:00 AM', '六月每天 08:00'],
])('%s reads as a sentence in both languages', (cron, english, chinese) => {
  expect([describeIn('en', cron), describeIn('zh-CN', cron)]).toEqual([english, chinese])
})

it.each([
  ['*/7 * * * *', 'an uneven step'],
  ['0 9 1 * 1', 'a day of the month or a weekday'],
  ['0 0 9 * * *', 'six fields'],
  ['0 9 * * 5L', 'the last Friday'],
  ['0 9 * * 5#2', 'the second Friday'],
  ['0 25 * * *', 'an hour that is none'],
  ['0,5,10,15 1,5,9 * * *', 'twelve times a day'],
  ['0 9 5-1 * *', 'a range that ends before it begins'],
  ['every day', 'no expression'],
])('%s has no sentence: %s', (cron) => {
  expect(describeIn('en', cron)).toBeUndefined()
})
