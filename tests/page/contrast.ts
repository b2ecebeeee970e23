import type { Page } from 'playwright-core'

// Runs in the page: the colours of a badge in each state of a call.
const READ_BADGES = `['asks', 'question', 'running', 'paused', 'elsewhere', 'done'].map((state) => {
  const call = document.createElement('li')
  call.className = 'call'
  call.dataset.state = state
  const badge = document.createElement('span')
  badge.className = 'badge'
  const summary = document.createElement('summary')
  summary.append(badge)
  call.append(summary)
  document.querySelector('#transcript').append(call)
  const { color, backgroundColor } = getComputedStyle(badge)
  call.remove()
  return [state, color, backgroundColor]
})`

/** How far the text of each badge stands out from its ground, by WCAG: 1 to 21. */
export async function readBadgeContrasts(page: Page): Promise<readonly (readonly [state: string, ratio: number])[]> {
  const badges = await page.evaluate<readonly (readonly [string, string, string])[]>(READ_BADGES)
  return badges.map(([state, text, ground]) => {
    const [darker = 0, lighter = 0] = [luminance(text), luminance(ground)].sort((a, b) => a - b)
    return [state, (lighter + 0.05) / (darker + 0.05)]
  })
}

/** Of `rgb(…, …, …)`. A colour that is not opaque has no luminance of its own. */
function luminance(color: string): number {
  const [, ...parts] = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(color) ?? []
  if (parts.length === 0) throw new Error(`${color} is no opaque colour.`)
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = Number(part) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
