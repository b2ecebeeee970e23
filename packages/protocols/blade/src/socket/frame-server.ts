import { WebSocketServer, type ServerOptions } from 'ws'

/**
 * Takes one frame of a client in each turn of the event loop. By default, all frames that arrive together are taken in the
 * same turn: a client that sends thousands of tiny ones would make everybody else wait.
 */
export class FrameServer extends WebSocketServer {
  constructor(options: ServerOptions) {
    super({ ...options, allowSynchronousEvents: false })
  }
}
