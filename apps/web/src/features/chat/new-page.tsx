import { Bot, ChevronDown } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { serverSentence } from '../../i18n/server-sentence.ts'
import { SERVER_KEY, type NewMessage } from '../../model/console-model.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { Menu } from '../../ui/lazy-menu.tsx'
import { Composer } from './composer.tsx'
import { PresetMenu, type PresetName } from './mode-pick.tsx'
import { ModelMenu } from './model-menu.tsx'
import { Said } from './said.tsx'
import { ThinkingMenu } from './thinking-menu.tsx'
import './new-page.css'

const FirstSteps = lazy(async () => ({ default: (await import('./first-steps.tsx')).FirstSteps }))

export function NewPage() {
  const { t } = useTranslation()
  const model = useModel()
  const [, navigate] = useLocation()
  const server = useSnapshot(SERVER_KEY, () => model.server)
  const [agent, setAgent] = useState<string>()
  const [chosenModel, setModel] = useState<string>()
  const [thinking, setThinking] = useState<string>()
  const [preset, setPreset] = useState<PresetName>('workspace-write')
  const [problem, setProblem] = useState<string>()
  /** What was sent while its session is being made. */
  const [begun, setBegun] = useState<string>()
  const agentName = agent ?? server?.status.defaultAgent
  const levels = server?.models.find(({ id }) => id === chosenModel)?.thinking ?? []
  const pickModel = (id: string | undefined): void => {
    setModel(id)
    setThinking(undefined)
  }
  const isDemo = agentName !== undefined && server?.status.demoAgents?.includes(agentName) === true

  const begin = async (message: NewMessage): Promise<void> => {
    setProblem(undefined)
    setBegun(message.text)
    try {
      const settings = {
        ...(agentName !== undefined && { agent: agentName }),
        ...(chosenModel !== undefined && { model: chosenModel }),
        ...(thinking !== undefined && { thinking }),
        ...(preset !== 'workspace-write' && { preset }),
      }
      navigate(`/s/${await model.begin(message, settings)}`)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBegun(undefined)
    }
  }
  const title = server?.agents.find(({ id }) => id === agentName)?.name ?? agentName ?? ''
  const starters = [t('starterHello'), t('starterWork'), t('starterTools')]
  return (
    <main className="new">
      <div className="new-inner">
        <h1>{t('newTitle')}</h1>
        <p className="quiet">{t('newHint')}</p>
        {begun === undefined ? null : (
          <div className="new-begun" data-outgoing="sending">
            <Said text={begun} />
            <p className="outgoing-state">{t('sending')}</p>
          </div>
        )}
        <Composer
          sessionId="new"
          isRunning={false}
          isBusy={begun !== undefined}
          onSend={(message) => void begin(message)}
          focusAtStart
        >
          {server === undefined ? null : (
            <>
              <Menu
                align="start"
                trigger={
                  <button type="button" className="pick">
                    <Bot size={14} aria-hidden /> <span className="truncate">{title}</span>
                    <ChevronDown size={13} aria-hidden />
                  </button>
                }
                entries={server.agents.map(({ id, name, description }) => ({
                  label: name,
                  ...(description !== '' && { hint: serverSentence(description) }),
                  isChosen: id === agentName,
                  onSelect: () => setAgent(id),
                }))}
              />
              <PresetMenu preset={preset} onPick={setPreset} />
              {server.models.length > 1 ? (
                <ModelMenu models={server.models} model={chosenModel} onPick={pickModel} hasDefault />
              ) : null}
              {levels.length > 0 ? <ThinkingMenu levels={levels} level={thinking} onPick={setThinking} /> : null}
            </>
          )}
        </Composer>
        {problem === undefined ? null : (
          <p className="row-problem" role="alert">
            {problem}
          </p>
        )}
        {isDemo && begun === undefined ? (
          <Suspense>
            <FirstSteps starters={starters} onSay={(text) => void begin({ text })} />
          </Suspense>
        ) : null}
      </div>
    </main>
  )
}
