import { expect, it } from 'vitest'
import { createCounter, createGauge, createHistogram } from './metric.ts'

it('a counter counts each combination of labels by itself', () => {
  const counter = createCounter('requests_total', 'Requests.')
  counter.add({ route: '/a', status: '200' })
  counter.add({ route: '/a', status: '200' }, 2)
  counter.add({ route: '/b', status: '404' })
  expect(counter.total).toBe(4)
  expect(counter.expose()).toBe(
    '# HELP requests_total Requests.\n# TYPE requests_total counter\n' +
      'requests_total{route="/a",status="200"} 3\nrequests_total{route="/b",status="404"} 1\n',
  )
})

it('a label cannot end its line or its quotes', () => {
  const counter = createCounter('c', 'x')
  counter.add({ name: 'a"b\\c\nd 7' })
  expect(counter.expose()).toContain('c{name="a\\"b\\\\c\\nd 7"} 1\n')
})

it('a gauge is read on request, and left out when its value is unknown', () => {
  let value: number | undefined = 3
  const gauge = createGauge('open', 'Open.', () => value)
  expect(gauge.expose()).toBe('# HELP open Open.\n# TYPE open gauge\nopen 3\n')
  value = undefined
  expect(gauge.expose()).toBe('')
})

it('a histogram counts what is at or below each bound', () => {
  const histogram = createHistogram('seconds', 'Time.', [0.1, 1])
  for (const value of [0.1, 0.5, 1, 7]) histogram.observe(value)
  expect(histogram.expose()).toBe(
    '# HELP seconds Time.\n# TYPE seconds histogram\nseconds_bucket{le="0.1"} 1\nseconds_bucket{le="1"} 3\n' +
      'seconds_bucket{le="+Inf"} 4\nseconds_sum 8.6\nseconds_count 4\n',
  )
})
