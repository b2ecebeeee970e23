/**
 * @typedef {{ status?: string, assertionResults?: readonly { status?: string }[] }} FileReport
 * @typedef {{ numPassedTests?: number, numFailedTests?: number, testResults?: readonly FileReport[] }} TestReport
 */

/**
 * Counts from vitest's JSON report. A file that failed before its first test (a syntax error, a failed `beforeAll`)
 * has no failed test in the report; it counts as one failure.
 * @param {TestReport | undefined} report
 * @returns {{ passed: number, failed: number }}
 */
export function countTests(report) {
  const brokenFiles = (report?.testResults ?? []).filter(
    ({ status, assertionResults = [] }) =>
      status === 'failed' && assertionResults.every((result) => result.status !== 'failed'),
  )
  return { passed: report?.numPassedTests ?? 0, failed: (report?.numFailedTests ?? 0) + brokenFiles.length }
}
