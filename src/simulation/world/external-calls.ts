import type { ExecResult } from "@tsbuilder/runtime";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { CallFault, ContainerCommand, CrashFault, Effect, Scenario } from "../contract/index.ts";
import { type ExternalStates, type ExternalSystem, externalObjects } from "../contract/external.ts";
import { appliedIn } from "../contract/scenario.ts";
import { kindOfCall } from "../contract/run.ts";
import { type State, refTextOf } from "../contract/state.ts";
import type { Replica } from "./replica.ts";
import type { World } from "./world.ts";

/** Milliseconds after which `fetch()` gives up on an answer, as in Node. */
const answerTimeout = 300_000;

/** Milliseconds by which a slow answer is late. */
const slowness = 30_000;

interface System extends ExternalSystem {
  readonly name: string;
  readonly held: unknown;
}

/** A call of a process, whatever it is made by. */
interface Call<Answer> {
  readonly to: System;
  /** The method and the URL, or the command and its pod. */
  readonly text: string;
  /** The kind of the call, at which a process may die: `PUT dns`. Undefined for one that only reads. */
  readonly point: string | undefined;
  readonly answer: () => Answer | Promise<Answer>;
  /** Describes the call for promises. Called before `answer`, which reads the body. */
  readonly describe: () => Promise<Sent>;
  /** Returns the status of an answer, or the exit code of a command. */
  readonly statusOf: (answer: Answer) => number;
  /** Makes the answer of a system that fails. */
  readonly failure: (how: "too-many" | "error" | "garbage") => Answer;
  readonly signal: AbortSignal | undefined;
}

type Sent = Omit<Extract<Effect, { type: "fetch" }>, "by"> | Omit<Extract<Effect, { type: "exec" }>, "by">;

/** Carries the calls of processes to the external systems of a run, and lets its faults strike them. */
export class ExternalCalls {
  readonly #world: World;
  readonly #systems: readonly System[];
  /** The last known state of each system, as text: a call that leaves another one has changed it. */
  readonly #texts = new Map<System, string>();
  /** All that the systems held at the beginning. */
  readonly #initial: readonly KubernetesObject[];

  constructor(world: World, { external = {}, http, exec }: Scenario) {
    this.#world = world;
    this.#systems = [
      ...Object.entries(external).map(([name, system]) => ({
        ...system,
        name,
        held: world.as(`external ${name}`, system.state),
      })),
      ...(http ? [{ name: "http", state: () => undefined, held: undefined, handle: http }] : []),
      ...(exec ? [{ name: "containers", state: () => undefined, held: undefined, exec }] : []),
    ];
    for (const system of this.#systems) this.#texts.set(system, textOf(system));
    this.#initial = this.#systems.flatMap(describe);
  }

  get answersCommands(): boolean {
    return this.#systems.some(({ exec }) => exec !== undefined);
  }

  /** Returns a copy of the states of all systems that have one. */
  get states(): ExternalStates {
    return Object.fromEntries(
      this.#systems.flatMap(({ name, held }) => (held === undefined ? [] : [[name, structuredClone(held)]])),
    );
  }

  /** Returns what the systems hold after everything was deleted, and should not. */
  leftovers(scenario: Scenario, left: State): string[] {
    const initial = this.#initial.map(refTextOf);
    return this.#systems.flatMap((system) =>
      system.leftover
        ? system.leftover(system.held).map((text) => `${text} (in ${system.name})`)
        : describe(system).flatMap((object) => {
            const text = refTextOf(object);
            // Entries of a list may have the same name: there may be as many as at the beginning.
            const at = initial.indexOf(text);
            if (at !== -1) initial.splice(at, 1);
            return at !== -1 || scenario.mayStay?.(object) || belongsToInitial(object, scenario, left)
              ? []
              : [text];
          }),
    );
  }

  /** Returns what the systems held from the beginning until the deletion, unchanged, and no longer hold. */
  losses({ external }: State): string[] {
    const held = externalObjects(external).map((object) => JSON.stringify(object));
    const kept = new Set(this.#systems.flatMap(describe).map(refTextOf));
    return this.#initial
      .filter((object) => held.includes(JSON.stringify(object)))
      .map(refTextOf)
      .filter((text) => !kept.has(text));
  }

  /** Answers a `fetch()` of a process; undefined if no system has that URL. */
  fetch(caller: Replica, request: Request): Promise<Response> | undefined {
    const to = this.#systems.find(({ handle, url = "" }) => handle && request.url.startsWith(url));
    if (!to) return undefined;
    const { method, url, signal } = request;
    const call: Call<Response> = {
      to,
      text: `${method} ${url}`,
      point: method === "GET" || method === "HEAD" ? undefined : `${method} ${to.name}`,
      answer: () => to.handle!(request, to.held, this.#world.mounted),
      describe: async () => ({
        type: "fetch",
        system: to.name,
        method,
        url,
        body: await request.clone().text(),
      }),
      statusOf: ({ status }) => status,
      failure: (how) => failedResponses[how](),
      signal,
    };
    const make = (): Promise<Response> => this.#make(caller, call);
    return this.#world.recorder.witness?.see(make) ?? make();
  }

  /** Answers a command of a process in a container. */
  exec(caller: Replica, command: ContainerCommand): Promise<ExecResult> {
    const to = this.#systems.find(({ exec }) => exec)!;
    return this.#make<ExecResult>(caller, {
      to,
      text: `${command.command.join(" ")} in ${command.namespace}/${command.pod}`,
      point: `exec ${to.name}`,
      answer: async () => ({
        exitCode: 0,
        stdout: "",
        stderr: "",
        ...(await to.exec!(command, to.held, this.#world.mounted)),
      }),
      describe: async () => {
        const { namespace, pod, command: words } = command;
        return { type: "exec", system: to.name, namespace, pod, command: words };
      },
      statusOf: ({ exitCode }) => exitCode,
      failure: (how) => ({ exitCode: 1, stdout: "", stderr: how }),
      signal: command.options.signal ?? undefined,
    });
  }

  /** Makes a call for the current life of a process. Once that life is over, it gets no answer. */
  #make<Answer>(caller: Replica, call: Call<Answer>): Promise<Answer> {
    const { life } = caller;
    const settle = (run: () => void): void => caller.run(() => caller.life === life && run());
    return new Promise<Answer>((resolve, reject) => {
      const { signal } = call;
      const abort = (): void => settle(() => reject(signal!.reason as Error));
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      this.#carry(caller, call, () => caller.life === life)
        .then(
          (answer) => answer !== dead && settle(() => resolve(answer)),
          (error: Error) => settle(() => reject(error)),
        )
        .finally(() => signal?.removeEventListener("abort", abort));
    });
  }

  async #carry<Answer>(
    caller: Replica,
    call: Call<Answer>,
    isAlive: () => boolean,
  ): Promise<Answer | typeof dead> {
    const { loop, faults, writePoints } = this.#world;
    const number = ++caller.externalCalls;
    const crash = faults.crashAtCall(caller.name, number);
    const kind = kindOfCall({ text: call.text, to: call.to.name });
    const fault = faults.callFault(caller.name, number, kind, loop.now);
    const point = call.point && `${caller.operator.name}: ${call.point}`;
    if (point !== undefined) writePoints.add(point);
    const die = (fatal: CrashFault): typeof dead => {
      if (isAlive()) caller.dieAt(fatal, point);
      return dead;
    };
    if (crash?.when === "before") return die(crash);
    if (!(await caller.travel())) throw fetchFailed("ETIMEDOUT");
    if (fault && "call" in fault) this.#world.note(fault);
    const answer = !fault || fault.done ? await this.#perform(caller, call) : undefined;
    if (crash?.when === "at") return die(crash);
    const received = fault ? await this.#fail(caller, call, fault, answer) : answer!;
    if (!(await caller.travel())) throw fetchFailed("ETIMEDOUT");
    if (crash) loop.enqueue(() => die(crash));
    return received;
  }

  /** Has the system answer, and records the call, and whether it changed the state. */
  async #perform<Answer>(caller: Replica, call: Call<Answer>): Promise<Answer> {
    let status: number | undefined;
    const { loop, onEffect } = this.#world;
    const sent = onEffect && (await loop.hold(call.describe()));
    try {
      // In an environment of its own: the process's date may be wrong.
      const answer = await this.#world.as(`external ${call.to.name}`, call.answer);
      status = call.statusOf(answer);
      return answer;
    } finally {
      const text = textOf(call.to);
      // A state that a read changes does so by itself, or counts the reads.
      const isChange = call.point !== undefined && text !== this.#texts.get(call.to);
      this.#texts.set(call.to, text);
      this.#record(caller, call, { status, isChange }, sent && { ...sent, by: caller.name });
    }
  }

  async #fail<Answer>(
    caller: Replica,
    call: Call<Answer>,
    { with: how, done }: CallFault,
    answer: Answer | undefined,
  ): Promise<Answer> {
    switch (how) {
      case "slow":
        await this.#world.loop.wait(slowness);
        return answer!;
      case "too-many":
      case "error":
      case "garbage": {
        const failure = call.failure(how);
        if (!done) this.#record(caller, call, { status: call.statusOf(failure), isChange: false });
        return failure;
      }
      case "time-out":
        await Promise.race([this.#world.loop.wait(answerTimeout), abortionOf(call.signal)]);
        this.#record(caller, call, { status: undefined, isChange: false });
        throw fetchFailed("UND_ERR_HEADERS_TIMEOUT");
      case "refused":
      case "reset":
        if (!done) this.#record(caller, call, { status: undefined, isChange: false });
        throw fetchFailed(how === "reset" ? "ECONNRESET" : "ECONNREFUSED");
    }
  }

  #record<Answer>(
    { name: process }: Replica,
    { to, text }: Call<Answer>,
    { status, isChange }: { readonly status: number | undefined; readonly isChange: boolean },
    effect?: Effect,
  ): void {
    this.#world.recorder.add({ type: "call", process, to: to.name, text, status, isChange });
    if (isChange) this.#world.noteEffect(to.name, text, effect);
    else if (status === undefined || status >= 500 || status === 429)
      this.#world.noteRefusal(`${process} ${text} ${status}`);
  }
}

/**
 * Returns whether an entry belongs to an object that existed from the start, and is left: it names that object, or has its
 * uid, and names no object with a longer name that the steps applied.
 */
function belongsToInitial(
  entry: KubernetesObject,
  { objects = [], steps }: Scenario,
  { objects: left }: State,
): boolean {
  const initial = new Set(objects.map(refTextOf));
  // The name of a namespace may be in all entries.
  const stay = left.filter((object) => object.kind !== "Namespace" && initial.has(refTextOf(object)));
  const text = wordsOf(JSON.stringify([entry.metadata.name, (entry as { value?: unknown }).value]));
  if (stay.some(({ metadata: { uid = "" } }) => text.includes(wordsOf(uid)))) return true;
  const [owner] = [...stay, ...appliedIn(steps)]
    .filter(({ metadata: { name = "" } }) => text.includes(wordsOf(name)))
    .toSorted((a, b) => b.metadata.name!.length - a.metadata.name!.length);
  return owner !== undefined && stay.includes(owner);
}

/** Separates the words of a text by spaces, so that it contains a name only as a whole. */
function wordsOf(text: string): string {
  return ` ${text.replaceAll(/[^a-z0-9]+/gi, " ")} `;
}

/** Stands for the answer to a process that died during the call. */
const dead = Symbol("dead");

const failedResponses = {
  "too-many": () => Response.json({ message: "slow down" }, { status: 429, headers: { "retry-after": "1" } }),
  error: () => Response.json({ message: "something went wrong" }, { status: 500 }),
  garbage: () => new Response("<html>welcome</html>", { headers: { "content-type": "text/html" } }),
};

/** Resolves when a signal is aborted. */
function abortionOf(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Makes the error of a `fetch()` without an answer, as Node's. */
function fetchFailed(code: string): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
}

function describe({ name, held }: System): KubernetesObject[] {
  return held === undefined ? [] : externalObjects({ [name]: held });
}

function textOf(system: System): string {
  return JSON.stringify(describe(system));
}
