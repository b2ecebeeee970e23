import { createConsoleClient, createFetchTransport } from './console-contract.ts'

export const createApi = () => createConsoleClient(createFetchTransport())
