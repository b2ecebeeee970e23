import { expect, it } from 'vitest'
import { findTimeZone } from './find-time-zone.ts'

it.each([
  ['what time is it in Tokyo?', 'Asia/Tokyo'],
  ['time in new york, please', 'America/New_York'],
  ['Europe/Berlin', 'Europe/Berlin'],
  ['time in America/Los_Angeles', 'America/Los_Angeles'],
  ['东京现在几点？', 'Asia/Tokyo'],
  ['the time in Beijing', 'Asia/Shanghai'],
  ['what time is it', undefined],
  ['现在几点', undefined],
])('the time zone of %j is %s', (text, zone) => {
  expect(findTimeZone(text)).toBe(zone)
})
