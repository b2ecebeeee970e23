// For code that runs before the first answer of a process: nothing here loads another package.
export { LineReader, LineTooLong, lineText } from '../lines/line-reader.ts'
