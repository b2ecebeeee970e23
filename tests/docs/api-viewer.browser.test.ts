import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStage, type Stage } from '../console/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

it('shows the operations of every door at /docs, from our own files, under the policy of every page', async () => {
  const page = await stage.context.newPage()
  const hosts = new Set<string>()
  page.on('request', (request) => hosts.add(new URL(request.url()).host))
  await page.goto(`${stage.server().url}/docs`)
  for (const tag of ['AAP v3', 'AAP v1', 'Blade: Sessions', 'console: models', 'sign-in', 'health']) {
    await page.locator(`h3.opblock-tag[data-tag="${tag}"]`).first().waitFor()
  }
  await page.locator('h3.opblock-tag[data-tag="AAP v3"]').click()
  await page.getByText('/aap/v3/sessions/{id}/turns').first().waitFor()
  expect([...hosts].filter((host) => host !== '')).toEqual([new URL(stage.server().url ?? '').host])
  expect(stage.complaints).toEqual([])
})
