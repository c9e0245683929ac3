import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Step } from "../contract/scenario.ts";
import { pausingAnnotation, refText, refTextOf } from "../contract/state.ts";
import type { Random } from "@tsbuilder/apimachinery/sample";
import { pathOf } from "./base.ts";
import type { World } from "./world.ts";

interface Answer {
  readonly status: number;
  readonly object: KubernetesObject & { readonly status?: unknown };
  /** An object was applied that is being deleted for longer than the user waits. */
  readonly isBeingDeleted?: boolean;
}

type Action = Exclude<Step, { do: "settle" }>;

/**
 * Milliseconds that the user waits for a deletion before applying an object of that name, and for an unreachable webhook: more
 * than a cleanup takes whose call of an external system gets no answer.
 */
const patience = 600_000;

/** The user of the cluster, who takes the steps of the scenario. */
export class User {
  readonly rejected: Step[] = [];
  readonly #world: World;
  readonly #random: Random;
  readonly #settle: () => Promise<void>;

  constructor(world: World, settle: () => Promise<void>) {
    this.#world = world;
    this.#random = world.random.fork("user");
    this.#settle = settle;
  }

  async take(steps: readonly Step[]): Promise<void> {
    const putOff: Action[] = [];
    for (const [index, step] of steps.entries()) {
      if (step.do === "settle") {
        await this.#settle();
        continue;
      }
      await this.#world.loop.wait(step.after ?? pauseOf(this.#random));
      const answer = await this.#insist(step);
      const comesAgain = steps.slice(index + 1).some((later) => isOfTheSame(step, later));
      if (answer.isBeingDeleted && !comesAgain) putOff.push(step);
      else this.#note(step, answer);
    }
    // A deletion may have waited for what a later step has put back.
    for (const step of putOff) this.#note(step, await this.#insist(step));
  }

  #note(step: Action, { status, object }: Answer): void {
    if (status >= 400 && !(step.do === "delete" && status === 404)) this.rejected.push(step);
    const { message } = status >= 400 ? (object as { readonly message?: string }) : {};
    const text = stepText(step);
    this.#world.recorder.add({ type: "step", text, status, ...(message !== undefined && { message }) });
  }

  /** Tries a step again while a webhook can't be reached, as any user would. */
  async #insist(step: Action): Promise<Answer> {
    const end = this.#world.loop.now + patience;
    for (;;) {
      const answer = await this.#perform(step);
      const { message = "" } = answer.object as { readonly message?: string };
      const isUnreached = answer.status === 500 && /failed calling webhook|^conversion webhook/.test(message);
      if (!isUnreached || this.#world.loop.now >= end) return answer;
      await this.#world.loop.wait(1000);
    }
  }

  async #perform(step: Action): Promise<Answer> {
    if (step.do === "apply") return this.#apply(step.object);
    const { apiVersion, kind, namespace, name } = step.target;
    const path = pathOf(this.#world.cluster, {
      apiVersion,
      kind,
      metadata: { namespace: namespace ?? "default", name },
    });
    if (step.do === "delete") {
      // A paused object stays until it goes on, even if it is deleted.
      const paused = this.#world.state().find(step.target);
      const pausing = paused && pausingAnnotation(paused);
      if (pausing !== undefined)
        await this.#ask("PATCH", path, { metadata: { annotations: { [pausing]: null } } });
      return this.#ask("DELETE", path);
    }
    if (step.do === "patch") return this.#ask("PATCH", path, step.merge);
    return this.#ask("PATCH", `${path}/status`, { status: step.status });
  }

  async #apply(object: KubernetesObject): Promise<Answer> {
    const path = pathOf(this.#world.cluster, object);
    const end = this.#world.loop.now + patience;
    for (;;) {
      const current = await this.#ask("GET", path);
      if (current.status === 404) {
        const created = await this.#ask("POST", path.slice(0, path.lastIndexOf("/")), object);
        if (created.status !== 409) return created;
        continue;
      }
      const { metadata, status } = current.object;
      if (metadata.deletionTimestamp && this.#world.loop.now < end) {
        await this.#world.loop.wait(500);
        continue;
      }
      const { labels, annotations } = object.metadata;
      const merged = {
        ...object,
        metadata: { ...metadata, ...(labels && { labels }), ...(annotations && { annotations }) },
        ...(status !== undefined && { status }),
      };
      const replaced = await this.#ask("PUT", path, merged);
      const isBeingDeleted = metadata.deletionTimestamp !== undefined;
      if (replaced.status !== 409) return { ...replaced, isBeingDeleted };
    }
  }

  async #ask(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.#world.ask("user", method, path, body);
    const text = answer.body.toString();
    return {
      status: answer.status,
      object: (text.startsWith("{") ? JSON.parse(text) : { metadata: {} }) as Answer["object"],
    };
  }
}

function isOfTheSame(step: Action, other: Step): boolean {
  return other.do !== "settle" && targetOf(step) === targetOf(other);
}

function targetOf(step: Action): string {
  return step.do === "apply" ? refTextOf(step.object) : refText(step.target);
}

/** Draws the milliseconds that a user waits before a step: mostly less than a reconcile takes, sometimes less than a rollout. */
export function pauseOf(random: Random): number {
  return random.next() * random.pick([50, 50, 50, 5000, 30_000]);
}

/** Describes a step in a few words. */
export function stepText(step: Step): string {
  switch (step.do) {
    case "apply":
      return `apply ${refTextOf(step.object)}`;
    case "delete":
      return `delete ${refText(step.target)}`;
    case "patch":
      return `patch ${refText(step.target)} with ${JSON.stringify(step.merge)}`;
    case "status":
      return `set the status of ${refText(step.target)} to ${JSON.stringify(step.status)}`;
    case "settle":
      return "wait until the operators rest";
  }
}
