/**
 * @typedef {{ title?: string, fullName?: string, status?: string }} TestResult
 * @typedef {{ name?: string, status?: string, assertionResults?: readonly TestResult[] }} FileReport
 * @typedef {{ testResults?: readonly FileReport[] }} TestReport
 */

/**
 * Counts from vitest's JSON report. A file that failed before its first test (a syntax error, a failed `beforeAll`)
 * has no failed test in the report; it counts as one failure.
 * @param {TestReport | undefined} report
 * @returns {{ passed: number, failed: number }}
 */
export function countTests(report) {
  const files = report?.testResults ?? []
  const tests = files.flatMap(({ assertionResults = [] }) => assertionResults)
  const brokenFiles = files.filter((file) => file.status === 'failed' && failedTests(file).length === 0)
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: tests.filter(({ status }) => status === 'failed').length + brokenFiles.length,
  }
}

/**
 * The files of a report with a failure.
 * @param {TestReport | undefined} report
 * @returns {string[]}
 */
export function failedFiles(report) {
  return (report?.testResults ?? []).flatMap(({ name, status }) => (status === 'failed' && name ? [name] : []))
}

/**
 * The report of a whole run after some of its files ran again: the second result of a file replaces its first.
 * `onlyAlone` names the tests that failed beside others and passed alone.
 * @param {TestReport | undefined} first
 * @param {TestReport | undefined} second
 * @returns {{ report: TestReport, onlyAlone: string[] }}
 */
export function mergeReports(first, second) {
  const again = new Map((second?.testResults ?? []).map((file) => [file.name, file]))
  const before = first?.testResults ?? []
  const onlyAlone = before.flatMap((file) => {
    const now = again.get(file.name)
    if (file.status !== 'failed' || now === undefined) return []
    const stillFailing = new Set(failedTests(now).map(({ fullName }) => fullName))
    const failed = failedTests(file).filter(({ fullName }) => !stillFailing.has(fullName))
    if (failed.length === 0 && now.status === 'passed') return [file.name ?? '']
    return failed.map(({ fullName }) => `${file.name}: ${fullName}`)
  })
  return { report: { testResults: before.map((file) => again.get(file.name) ?? file) }, onlyAlone }
}

/** @param {FileReport} file */
function failedTests({ assertionResults = [] }) {
  return assertionResults.filter(({ status }) => status === 'failed')
}
