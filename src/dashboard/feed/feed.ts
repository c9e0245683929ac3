import { keptBytes } from "../../dev/record/page-record.ts";
import type { Recorded, RecordedSession } from "../../dev/record/recorded.ts";
import type { Finding } from "../../dev/record/findings/finding.ts";
import { History } from "../history/history.ts";

/** The state of the connection: `ended` for a finished session, `refused` for a token that is not valid any more. */
export type FeedState = "loading" | "live" | "ended" | "disconnected" | "refused";

/** The time in milliseconds for which changes are collected before subscribers are called. */
const notifyPause = 150;

/** The time in milliseconds after which a lost connection is tried again. */
const retryPause = 1000;

/** Reads the record of the session that serves this page, reads it again after an outage, and sends actions to the session. */
export class Feed {
  history = new History();
  /** Probable mistakes, which the server looks for. */
  findings: readonly Finding[] = [];
  readonly #findings = new Map<number, Finding>();
  session: RecordedSession | undefined;
  actions: readonly string[] = [];
  state: FeedState = "loading";
  readonly #token: string;
  readonly #listeners = new Set<() => void>();
  #isPending = false;

  constructor(token: string) {
    this.#token = token;
  }

  /** Calls a listener after changes; returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads the record until the session ends or refuses the token. */
  async run(): Promise<void> {
    for (;;) {
      await this.#read().catch(() => this.#change("disconnected"));
      if (this.state === "ended" || this.state === "refused") return;
      await new Promise((resolve) => {
        setTimeout(resolve, retryPause);
      });
    }
  }

  /** Has the session execute an action. Throws a RefusedActionError if the session refuses, or does not answer. */
  async act(name: string, body: object): Promise<unknown> {
    const request = {
      method: "POST",
      headers: { ...this.#authorization(), "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    try {
      const response = await fetch(`/actions/${name}`, request);
      const answer: unknown = await response.json();
      if (response.ok) return answer;
      throw new RefusedActionError(answer as RefusalAnswer);
    } catch (error) {
      if (error instanceof RefusedActionError) throw error;
      throw new RefusedActionError({
        message: "dev did not answer",
        hint: "see whether it is still running",
      });
    }
  }

  async #read(): Promise<void> {
    const response = await fetch("/record", { headers: this.#authorization() });
    if (response.status === 401 || response.status === 403) return this.#change("refused");
    if (!response.ok || response.body === null) throw new Error(response.statusText);
    this.history = new History();
    this.findings = [];
    this.#findings.clear();
    let length = 0;
    for await (const line of readLines(response.body)) {
      this.#take(JSON.parse(line) as Line);
      if (this.state !== "live") continue;
      // dev drops the beginning of a long session. The page does so by reading the record again.
      length += line.length;
      if (length > keptBytes) return;
    }
    if (this.state === "loading" || this.state === "live") this.#change("disconnected");
  }

  #take(line: Line): void {
    switch (line.type) {
      case "session":
        this.session = line;
        return this.#change("loading");
      case "live":
        this.#change("live");
        this.actions = line.actions;
        return;
      case "end":
        return this.#change("ended");
      case "findings":
        for (const number of line.gone) this.#findings.delete(number);
        for (const [number, finding] of line.added) this.#findings.set(number, finding);
        this.findings = [...this.#findings.values()].sort((a, b) => a.from - b.from);
        return this.#notify();
      default:
        this.history.add(line);
        this.#notify();
    }
  }

  #change(state: FeedState): void {
    this.state = state;
    if (state !== "live") this.actions = [];
    this.#notify();
  }

  #notify(): void {
    if (this.#isPending) return;
    this.#isPending = true;
    setTimeout(() => {
      this.#isPending = false;
      for (const listener of this.#listeners) listener();
    }, notifyPause);
  }

  #authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` };
  }
}

/** Yields the lines of a stream of bytes, without an incomplete last line. */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop()!;
      yield* lines;
    }
  } finally {
    await reader.cancel();
  }
}

/** The line after all earlier ones of a running session: later lines are news. It names the actions of the session. */
interface Live {
  readonly type: "live";
  readonly actions: readonly string[];
}

/** The last line of a session. */
interface End {
  readonly type: "end";
}

/** A change of the findings: new ones with numbers, and the numbers of those that are gone. */
interface FindingsNews {
  readonly type: "findings";
  readonly added: readonly (readonly [number, Finding])[];
  readonly gone: readonly number[];
}

type Line = Recorded | RecordedSession | FindingsNews | Live | End;

interface RefusalAnswer {
  readonly message: string;
  readonly hint?: string;
  readonly causes?: readonly { readonly field?: string; readonly message: string }[];
}

/** The answer of a session that refused an action. */
export class RefusedActionError extends Error {
  readonly hint: string | undefined;
  readonly causes: NonNullable<RefusalAnswer["causes"]>;

  constructor({ message, hint, causes = [] }: RefusalAnswer) {
    super(message);
    this.hint = hint;
    this.causes = causes;
  }
}
