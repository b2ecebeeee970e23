// What a process begins before it loads the server: nothing here loads another package.
export { detectSandbox } from '../sandbox/detect-sandbox.ts'
