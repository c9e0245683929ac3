import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@tsbuilder/runtime";
import type { ReconcileEndMessage, ReconcileStartMessage } from "@tsbuilder/runtime/advanced";
import type { TraceEvent } from "../contract/index.ts";
import { environment } from "../globals/environment.ts";

/** An event of a run, and the place in the user's code that caused it. */
export interface Moment {
  readonly event: TraceEvent | ReconcileEvent;
  readonly site: Site | undefined;
}

/** A line such as `src/controller/shop_controller.ts:31:5`, and the lines from which it was called, if others follow. */
export type Site = readonly [line: string, ...callers: string[]];

/** A reconcile begins, or has ended. It is no part of a trace. */
export interface ReconcileEvent {
  readonly type: "reconcile";
  readonly at: number;
  readonly process: string;
  readonly controller: string;
  readonly request: string;
  /** Undefined when it begins. */
  readonly outcome: ReconcileEndMessage["outcome"] | undefined;
}

/**
 * Sees who causes the events of a run. Stacks take time, so that only the run of a failure has a witness. The trace is the same
 * with one and without.
 */
export class Witness {
  readonly moments: Moment[] = [];
  readonly #sites = new AsyncLocalStorage<Site | undefined>();

  /** Notes an event, with the line that made the call it is a part of, or that threw an error. */
  note(event: TraceEvent, error?: unknown): void {
    const site = error instanceof Error ? siteIn(error.stack) : this.#sites.getStore();
    this.moments.push({ event, site });
  }

  /** Makes a call of the user's code. Everything that happens because of it has its line. */
  see<R>(call: () => R): R {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 50;
    const { stack } = new Error();
    Error.stackTraceLimit = stackTraceLimit;
    return this.#sites.run(siteIn(stack), call);
  }

  /** Returns a client whose calls are seen. */
  watchClient(client: Client): Client {
    return new Proxy(client, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          const call = (): unknown => Reflect.apply(member, target, args);
          return name === "with" ? this.watchClient(call() as Client) : this.see(call);
        };
      },
    });
  }

  /** Notes the reconciles of a run. `now` returns its time. */
  async watchReconciles<R>(now: () => number, run: () => Promise<R>): Promise<R> {
    const note = (message: unknown): void => {
      const { controller, request, outcome } = message as ReconcileStartMessage &
        Partial<ReconcileEndMessage>;
      const process = environment()?.who;
      if (process === undefined) return;
      // The call that led to a reconcile, such as a watch's, is not what the reconcile does.
      this.#sites.enterWith(undefined);
      const event = { type: "reconcile", at: now(), process, controller, request, outcome } as const;
      this.moments.push({ event, site: undefined });
    };
    const channels = ["tsbuilder:reconcile:start", "tsbuilder:reconcile:end"] as const;
    for (const channel of channels) subscribe(channel, note);
    try {
      return await run();
    } finally {
      for (const channel of channels) unsubscribe(channel, note);
    }
  }
}

/** The folder of our packages: in a project, they are in `node_modules`. */
const ownFolder = fileURLToPath(new URL("../..", import.meta.url));

const frame = /^ +at (?:.*\(|async )?((?:file:\/\/|\/|[A-Z]:\\)[^()]*?)(:\d+:\d+)\)?$/gm;

/** The most lines of a place: a helper of the user's, and who calls it. */
const mostLines = 3;

/** Returns the innermost lines of a stack that are neither ours, nor Node's, nor a dependency's. */
function siteIn(stack = ""): Site | undefined {
  const lines = [...stack.matchAll(frame)].flatMap(([, file = "", position]) => {
    const path = file.startsWith("file:") ? fileURLToPath(file) : file;
    const isOwn = path.startsWith(ownFolder) && !path.endsWith(".test.ts");
    const isUsers = !isOwn && !/[\\/]node_modules[\\/]/.test(path);
    return isUsers ? [`${relative(process.cwd(), path)}${position}`] : [];
  });
  const [line, ...callers] = lines.slice(0, mostLines);
  return line === undefined ? undefined : [line, ...callers];
}
