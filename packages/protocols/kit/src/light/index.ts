// For code that runs before the first answer of a process: nothing here loads another package.
export { ENGINE_ERROR_STATUS, codeOfFault, retryAfterOf } from '../http/engine-error-status.ts'
export { findJsonProblem } from '../json/find-json-problem.ts'
export { parseShape } from '../json/parse-shape.ts'
export { LineReader, LineTooLong, lineText } from '../lines/line-reader.ts'
