import { keptBytes } from "../../dev/record/page-record.ts";
import type { Recorded, RecordedSession } from "../../dev/record/recorded.ts";
import { Findings } from "../history/findings/findings.ts";
import { History } from "../history/history.ts";

/** What follows the lines so far: the session is running, and can do these things. */
interface Live {
  readonly type: "live";
  readonly actions: readonly string[];
}

interface End {
  readonly type: "end";
}

/** Whether more may come. */
export type FeedState = "loading" | "live" | "ended" | "disconnected" | "refused";

/** Subscribers are told at most once in so many milliseconds. */
const pause = 150;

const retryAfter = 1000;

/** Reads the record of the session that serves this page, and again after an outage. */
export class Feed {
  history = new History();
  findings = new Findings();
  session: RecordedSession | undefined;
  actions: readonly string[] = [];
  state: FeedState = "loading";
  readonly #token: string;
  readonly #listeners = new Set<() => void>();
  #isToldSoon = false;

  constructor(token: string) {
    this.#token = token;
  }

  /** Returns what ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async run(): Promise<void> {
    for (;;) {
      await this.#read().catch(() => this.#change("disconnected"));
      if (this.state === "ended" || this.state === "refused") return;
      await new Promise((resolve) => {
        setTimeout(resolve, retryAfter);
      });
    }
  }

  /** Has the session do something; throws what it answers if it can't. */
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
    this.findings = new Findings();
    let length = 0;
    for await (const line of readLines(response.body)) {
      this.#take(JSON.parse(line) as Line);
      if (this.state !== "live") continue;
      // dev keeps the end of a long session; so does the page, which reads it again.
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
      default:
        this.history.add(line);
        this.findings.add(line);
        this.#tell();
    }
  }

  #change(state: FeedState): void {
    this.state = state;
    if (state !== "live") this.actions = [];
    this.#tell();
  }

  #tell(): void {
    if (this.#isToldSoon) return;
    this.#isToldSoon = true;
    setTimeout(() => {
      this.#isToldSoon = false;
      for (const listener of this.#listeners) listener();
    }, pause);
  }

  #authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` };
  }
}

/** The lines of a stream of bytes; the last one only if it is ended. */
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

type Line = Recorded | RecordedSession | Live | End;

interface RefusalAnswer {
  readonly message: string;
  readonly hint?: string;
  readonly causes?: readonly { readonly field?: string; readonly message: string }[];
}

/** Why the session did not do something. */
export class RefusedActionError extends Error {
  readonly hint: string | undefined;
  readonly causes: NonNullable<RefusalAnswer["causes"]>;

  constructor({ message, hint, causes = [] }: RefusalAnswer) {
    super(message);
    this.hint = hint;
    this.causes = causes;
  }
}
