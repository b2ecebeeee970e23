import { anthropicWire } from './anthropic-wire.ts'
import { chatWire } from './chat-wire.ts'
import { googleWire } from './google-wire.ts'
import { openaiWire } from './openai-wire.ts'

export const WIRES = [anthropicWire, openaiWire, googleWire, chatWire] as const
