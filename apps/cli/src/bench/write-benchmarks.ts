import type { BenchReport } from './bench-result.ts'

/** The page that `polylogue bench --markdown` writes. Do not edit it by hand. */
export function writeBenchmarks({ machine, startedAt, rows }: BenchReport): string {
  const { cpu, cores, memoryGiB, node } = machine
  return [
    '# Benchmarks',
    '',
    'Written by `polylogue bench --markdown BENCHMARKS.md`. Both sides of each ratio were measured in this run, on this machine, together with the clients.',
    '',
    `${startedAt.slice(0, 10)} · ${cpu} · ${cores} cores · ${memoryGiB} GiB · Node ${node}`,
    '',
    '| what | measured | budget | |',
    '|---|---|---|---|',
    ...rows.map(
      ({ name, measured, budget, isMet }) => `| ${name} | ${measured} | ${budget} | ${isMet ? 'met' : '**missed**'} |`,
    ),
    '',
  ].join('\n')
}
