import { type Client, Manager, type ServedWebhooks } from "@tsbuilder/runtime";
import { type CrashFault, isElected, type SimulatedOperator } from "../contract/index.ts";
import { inside, type Environment } from "../globals/index.ts";
import type { Random } from "../random/index.ts";
import { operatorNamespace } from "./base.ts";
import { answerCommands } from "./container-commands.ts";
import { configOf } from "./network.ts";
import { ProcessClock } from "./process-clock.ts";
import type { WatchFeed } from "./watch-feed.ts";
import type { World } from "./world.ts";

/** The state of the cluster as a process that just started sees it. */
interface View {
  readonly revision: number;
  /** The lists that were answered from it. */
  readonly seen: Set<string>;
}

/** How long a failed process waits until it starts again. */
const restartDelay = 5000;

/** A process of an operator. It dies and starts again, as a pod's container does. */
export class Replica {
  readonly name: string;
  readonly operator: SimulatedOperator;
  readonly feeds = new Set<WatchFeed>();
  readonly #world: World;
  readonly #random: Random;
  #around: Environment;
  #manager: Manager | undefined;
  /** Stop the managers of earlier lives. */
  readonly #buried: Array<() => void> = [];
  #cancelStart: () => void = () => {};
  #dateOffset = 0;
  #suspendedUntil = 0;
  /** What reached it while it stood still, in order. */
  #missed: Array<() => void> = [];
  /** Its lives are counted; what an earlier one still does has no effect. */
  life = 0;
  isLeader = false;
  writes = 0;
  requests = 0;
  view: View | undefined;
  /** What answers calls of the API server, while it does. */
  webhooks: ServedWebhooks | undefined;
  /** Told when the process dies: calls that it has not answered. */
  readonly calls = new Set<() => void>();
  /** Until then, it learns of nothing that its first view lacks. */
  viewHeldUntil = 0;

  constructor(world: World, operator: SimulatedOperator, index: number) {
    this.name = `${operator.name}-${index}`;
    this.operator = operator;
    this.#world = world;
    this.#random = world.random.fork(`network of ${this.name}`);
    this.#around = this.#environment();
  }

  /** The way of a request or an answer takes this long. */
  latency(): number {
    return this.#random.chance(0.05) ? this.#random.next() * 300 : 0.2 + this.#random.next() * 4;
  }

  /** An event takes this long. */
  lag(): number {
    return this.#random.chance(0.1) ? this.#random.next() * 600 : 0.2 + this.#random.next() * 8;
  }

  /** Runs code of this process, unless it stands still: then it does so later, in the same order. */
  run(code: () => void): void {
    if (this.#isSuspended || this.#missed.length > 0) this.#missed.push(code);
    else inside(this.#around, code);
  }

  /** An answer takes its way, and waits while the process stands still. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#world.loop.after(this.latency(), () => this.run(resolve));
    });
  }

  /** Nothing in it runs for a while. */
  suspend(milliseconds: number): void {
    const { loop } = this.#world;
    this.#suspendedUntil = Math.max(this.#suspendedUntil, loop.now + milliseconds);
    loop.after(milliseconds, () => this.#catchUp());
  }

  get #isSuspended(): boolean {
    return this.#world.loop.now < this.#suspendedUntil;
  }

  /** Each in a turn of its own: promises run in between. */
  #catchUp(): void {
    if (this.#isSuspended) return;
    const next = this.#missed.shift();
    if (!next) return;
    inside(this.#around, next);
    this.#world.loop.enqueue(() => this.#catchUp());
  }

  /** What a process that doesn't lead has in its queue waits for the lease. */
  get isIdle(): boolean {
    if (this.#isSuspended || this.#missed.length > 0) return false;
    if (isElected(this.operator) && !this.isLeader) return true;
    return this.#manager?.isIdle ?? false;
  }

  /** Moves the date of its machine, which outlives the process. */
  moveDate(milliseconds: number): void {
    this.#dateOffset += milliseconds;
    (this.#around.clock as ProcessClock).offset = this.#dateOffset;
  }

  start(lag = 0): void {
    const life = ++this.life;
    const { recorder, loop } = this.#world;
    this.#around = this.#environment();
    this.view = lag > 0 ? { revision: this.#world.revisionAt(loop.now - lag), seen: new Set() } : undefined;
    this.viewHeldUntil = lag > 0 ? loop.now + lag : 0;
    recorder.add({ type: "start", process: this.name });
    this.run(() => void this.#run(life, lag > 0));
  }

  async #run(life: number, isBehind: boolean): Promise<void> {
    const { name, sharding, manager: options } = this.operator;
    const { recorder, loop, faults } = this.#world;
    const setup = (loop.now < faults.upgradeOf(name) && this.operator.former) || this.operator.setup;
    try {
      const manager = new Manager({
        name,
        ...options,
        config: configOf(this.#world, this, life),
        clock: this.#around.clock,
        logger: recorder.logger(this.name),
        blockedAfter: "0s",
        ...(this.#world.exec && { client: { ...options?.client, wrap: this.#wrap } }),
        webhooks: { ...options?.webhooks, carry: (served) => this.#serve(life, served) },
        ownsProcess: false,
        ...(isBehind && { cache: { ...options?.cache, watchList: false } }),
        ...(isElected(this.operator) && {
          leaderElection: { id: `${name}.simulation`, namespace: operatorNamespace, identity: this.name },
        }),
        ...(sharding && {
          sharding: { id: `${name}.simulation`, namespace: operatorNamespace, by: sharding },
        }),
      });
      this.#manager = manager;
      await setup(manager);
      await manager.start();
    } catch (error) {
      if (this.life !== life) return;
      this.#fail(error);
    }
  }

  #serve(life: number, served: ServedWebhooks | undefined): void {
    if (this.life === life) this.webhooks = served;
  }

  /** Nobody caught an error: the process ends, and its container starts again. */
  #fail(error: unknown): void {
    this.#logError("the process ended", error);
    this.die({ down: restartDelay });
  }

  #logError(message: string, error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#world.recorder.add({ type: "log", process: this.name, level: "error", message, error: text });
  }

  /** Ends it at once, in the middle of whatever it does. */
  die({ down, lag = 0 }: Pick<CrashFault, "down" | "lag">): void {
    this.kill();
    this.#world.recorder.add({ type: "died", process: this.name });
    this.#cancelStart = this.#world.loop.after(down, () => this.start(lag));
  }

  kill(): void {
    this.life++;
    this.#cancelStart();
    this.#missed = [];
    this.#suspendedUntil = 0;
    this.webhooks = undefined;
    for (const lose of this.calls) lose();
    (this.#around.clock as ProcessClock).stop();
    for (const feed of this.feeds) feed.abandon();
    const [manager, around] = [this.#manager, this.#around];
    if (manager) this.#buried.push(() => inside(around, () => manager.stop()));
    this.#manager = undefined;
  }

  /**
   * Ends it for good. Only now, when nobody looks any more, does the code of all its lives learn that it is over: what
   * waits for a signal would stay in memory.
   */
  close(): void {
    this.kill();
    for (const stop of this.#buried.splice(0)) stop();
  }

  /** The operator's own stand-ins come first. */
  readonly #wrap = (client: Client): Client => {
    const own = answerCommands(client, this.#world.exec!, this.#world, this);
    return this.operator.manager?.client?.wrap?.(own) ?? own;
  };

  /** Asks the stand-in for other servers: the way takes as long as that to the API server. */
  async #fetch(request: Request): Promise<Response> {
    await this.#world.wait(this.latency());
    const response = await this.#world.http!(request);
    await this.arrival();
    return response;
  }

  #environment(): Environment {
    const { loop, random } = this.#world;
    const { life } = this;
    const guarded = (run: () => void) => (): void =>
      this.run(() => {
        if (this.life !== life) return;
        try {
          run();
        } catch (error) {
          this.#fail(error);
        }
      });
    return {
      who: this.name,
      clock: new ProcessClock(loop.clock, this.#dateOffset, guarded),
      random: random.fork(`${this.name} ${life}`),
      isClosed: true,
      enqueue: (run) => loop.enqueue(guarded(run)),
      http: this.#world.http && ((request) => this.#fetch(request)),
      // A manager that owns its process does the same.
      onRejection: (error) => {
        if (this.life === life) this.#logError("Unhandled promise rejection: an await is missing", error);
      },
    };
  }
}
