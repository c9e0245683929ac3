import type { ChannelMessages } from "@tsbuilder/runtime";

/** What an operator's process tells, with the name of its channel and the time. */
export type OperatorMessage = {
  readonly [Name in keyof ChannelMessages]: ChannelMessages[Name] & {
    readonly channel: Name;
    /** Milliseconds since 1970, by the real time. */
    readonly at: number;
    /** By how many milliseconds the operator's clock is ahead of that; absent if it was not moved. */
    readonly ahead?: number;
  };
}[keyof ChannelMessages];

export type ToldSample = Extract<OperatorMessage, { readonly channel: "tsbuilder:sample" }>;

/** What a process sends for the record. */
export interface SentMessages {
  readonly tsbuilder: readonly OperatorMessage[];
}

/** The compiler compares them with those of the runtime, which the CLI would take long to load. */
const channels = Object.keys({
  "tsbuilder:enqueue": true,
  "tsbuilder:reconcile:start": true,
  "tsbuilder:reconcile:end": true,
  "tsbuilder:request": true,
  "tsbuilder:sample": true,
} satisfies Record<keyof ChannelMessages, true>);

/**
 * The URL of a module that runs before an operator's bundle and sends what its runtime publishes to the parent process,
 * those of one turn of the event loop together. The operator's own code may send messages, too.
 */
export const subscriber = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from "node:diagnostics_channel";
  const { now } = Date;
  const clock = globalThis[Symbol.for("@tsbuilder/clock")];
  let messages = [];
  const send = () => {
    const told = messages;
    messages = [];
    if (told.length > 0 && process.connected) process.send({ tsbuilder: told }, () => {});
  };
  for (const channel of ${JSON.stringify(channels)}) {
    subscribe(channel, (message) => {
      const moved = clock?.ahead > 0 ? { ahead: clock.ahead } : {};
      if (messages.push({ ...message, channel, at: now(), ...moved }) === 1) setImmediate(send);
    });
  }
  process.on("exit", send);
`)}`;
