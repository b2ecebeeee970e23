/** Does what one message of a connection asks for, as a part of a trace. Settles as `work` does. */
export type FollowMessage = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>
