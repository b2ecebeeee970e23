import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createNotifier } from './notifier.ts'

let frames: (() => void)[] = []
let told: string[] = []
const page = { visibilityState: 'visible' }

beforeEach(() => {
  frames = []
  told = []
  page.visibilityState = 'visible'
  vi.useFakeTimers()
  vi.stubGlobal('document', page)
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run))
  vi.stubGlobal('cancelAnimationFrame', (frame: number) => (frames[frame - 1] = () => undefined))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const openNotifier = () => {
  const notifier = createNotifier()
  for (const key of ['one', 'two']) notifier.subscribe(key, () => told.push(key))
  return notifier
}
const drawFrame = (): void => {
  for (const run of frames.splice(0)) run()
}

it('tells readers of each changed key once, with the next frame', () => {
  const notifier = openNotifier()
  for (const key of ['one', 'two', 'one']) notifier.changed(key)
  expect(told).toEqual([])
  drawFrame()
  vi.runAllTimers()
  expect(told).toEqual(['one', 'two'])
})

it('tells them after 250 ms where no frame comes, as in a page that was just hidden', () => {
  const notifier = openNotifier()
  notifier.changed('one')
  page.visibilityState = 'hidden'
  vi.advanceTimersByTime(250)
  expect(told).toEqual(['one'])
  notifier.changed('two')
  vi.advanceTimersByTime(250)
  drawFrame()
  expect(told).toEqual(['one', 'two'])
})
