export { createDemoModel } from './demo/demo-model.ts'
export type { GiveWay } from './give-way.ts'
export { createScriptedModel, type ScriptedModelParts } from './scripted/scripted-model.ts'
