import type { Locator, Page } from 'playwright-core'

/** What a user does and sees in the chat of the console. */
export interface Chat {
  readonly page: Page
  readonly composer: Locator
  /** Begins a session with the scripted agent, which does what the message says. */
  begin(text: string): Promise<void>
  say(text: string): Promise<void>
  /** Waits until the agent has said something. */
  answered(text: string): Promise<void>
  rests(): Promise<void>
  /** The text of each row, from the top. */
  rows(): Promise<readonly string[]>
  readonly card: Locator
  call(id: string): Locator
}

export function chatOn(page: Page): Chat {
  const composer = page.locator('.composer textarea')
  const said = page.locator('.agent-row .markdown:not(.plain)')
  const say = async (text: string): Promise<void> => {
    await composer.fill(text)
    await composer.press('Enter')
  }
  return {
    page,
    composer,
    async begin(text) {
      await page.locator('.rail a[href="/"]').nth(1).click()
      await page.locator('.new .pick').first().click()
      await page
        .getByRole('menuitem')
        .filter({ hasText: /^ScriptedDoes/ })
        .click()
      await say(text)
    },
    say,
    answered: (text) => said.filter({ hasText: text }).last().waitFor(),
    async rests() {
      await page.locator('.composer-stop').waitFor({ state: 'detached' })
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
      await page.locator('[data-outgoing]').waitFor({ state: 'detached' })
    },
    rows: () => page.locator('.said, .agent-row .markdown:not(.plain)').allInnerTexts(),
    card: page.locator('.ask'),
    call: (id) => page.locator(`[data-call=${id}]`),
  }
}
