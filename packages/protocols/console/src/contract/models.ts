import { z } from 'zod'
import { count } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

/** Per million tokens. */
const rates = {
  input: z.number(),
  output: z.number(),
  cachedInput: z.number().optional(),
  cacheWrite: z.number().optional(),
}

const model = z
  .object({
    /** `provider/model` */
    name: z.string(),
    title: z.string(),
    provider: z.string(),
    /** The default agent uses it. */
    isDefault: z.boolean(),
    /** How much input it takes, in tokens. */
    window: count.optional(),
    maxOutput: count.optional(),
    /** Takes images. */
    images: z.boolean().optional(),
    /** Supported thinking levels, lowest first. */
    thinking: z.array(z.string()).optional(),
    /** Absent: unknown. The configuration's prices come before list prices. */
    price: z
      .object({ ...rates, currency: z.string(), long: z.object({ above: count, ...rates }).optional() })
      .optional(),
  })
  .meta({ id: 'ConsoleModel' })
export type ModelCard = Sent<z.infer<typeof model>>

const modelProvider = z
  .object({
    name: z.string(),
    title: z.string(),
    isReady: z.boolean(),
    /** What to do before its models can be used. */
    need: z.string().optional(),
  })
  .meta({ id: 'ConsoleModelProvider' })

const modelList = z
  .object({
    /** The default model, and why it is that one. */
    default: z.object({ name: z.string(), reason: z.string() }),
    /** What sessions can use now: the default first, then by provider. */
    models: z.array(model),
    providers: z.array(modelProvider),
    /** Where windows and list prices come from. */
    catalogue: z.object({ source: z.string(), date: z.string() }),
  })
  .meta({ id: 'ConsoleModelList' })
export type ModelList = Sent<z.infer<typeof modelList>>

export const modelOperations = defineOperations({
  listModels: {
    method: 'GET',
    path: '/models',
    tag: 'models',
    summary: 'List the models that sessions can use, with their prices, and the providers.',
    status: 200,
    answer: modelList,
  },
})
