/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { Random } from "@tsbuilder/simulation";
import { expect, test } from "vitest";
import type { Recorded, Says, Server, Wish } from "./maria_decide.ts";
import { type Declared, drive, type Sessions, type SqlStep } from "./maria_drive.ts";
import { formatGtids, type Gtids, noGtids, parseGtids, subtract, union } from "./maria_gtids.ts";

// Operators that die, sleep and wake up, servers with any history, users who change their minds: whatever happens, in any
// order, there are never two servers that take writes, no row is lost without a word, and there is a way out.
test.each(seeds())(
  "seed %i: never two primaries, no row lost without a word, always a way out",
  async (seed) => {
    const world = new World(seed);
    await world.disturb(2000);
    await world.settle();
    expect(world.violations[0] ?? "").toBe("");
    const primary = world.open()[0]!;
    const lost = subtract(world.acknowledged, primary.executed, world.given);
    expect(lost.size === 0 ? "" : `lost ${formatGtids(lost)}:\n${world.story()}`).toBe("");
  },
);

/** MODEL_SEEDS=1000-2000 npx vitest run model looks for more. */
function seeds(): number[] {
  const [first = 1, last = 150] = (process.env["MODEL_SEEDS"] ?? "")
    .split("-")
    .filter(Boolean)
    .map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** A server, its pod and its volume. */
class Mysqld {
  pod: string | undefined;
  isRunning = false;
  uuid = "";
  access: Says["access"] = "locked";
  executed: Gtids = noGtids;
  received: Gtids = noGtids;
  purged: Gtids = noGtids;
  source: { ordinal: number; isReceiving: boolean; isApplying: boolean } | undefined;
  /** Whose word it takes. A session ends with the process. */
  sessions = new Set<object>();
  /** True if no operator reaches it. */
  isCutOff = false;
  isOutdated = false;
  /** True if no process runs in its pod. */
  isBroken = false;
  older: Gtids = noGtids;

  readonly ordinal: number;

  constructor(ordinal: number) {
    this.ordinal = ordinal;
  }

  /** Starts locked, and of its own accord follows nobody; what it had received and not executed is fetched again. */
  start(): void {
    this.isRunning = true;
    this.access = "locked";
    this.received = this.executed;
    if (this.source) this.source = { ...this.source, isReceiving: false, isApplying: false };
  }

  stop(): void {
    this.isRunning = false;
    this.sessions = new Set();
  }
}

class World {
  readonly servers = [0, 1, 2].map((ordinal) => new Mysqld(ordinal));
  wish: Wish = { size: 3 };
  recorded: Recorded | undefined;
  version = 0;
  acknowledged: Gtids = noGtids;
  /** Rows that users agreed to lose, and that no volume has any more. */
  given: Gtids = noGtids;
  problems: string[] = [];
  /** How two servers came to take writes. */
  readonly violations: string[] = [];
  readonly #random: Random;
  readonly #waiting: (() => void)[] = [];
  readonly #operators = new Set<{ isDead: boolean }>();
  readonly #log: string[] = [];
  #serial = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    for (const server of this.servers) this.#schedule(server);
    this.#startOperator();
  }

  open(): Mysqld[] {
    return this.servers.filter(({ isRunning, access }) => isRunning && access === "open");
  }

  story(): string {
    return this.#log.slice(-60).join("\n");
  }

  /** Does one thing after the other, each chosen by the seed. */
  async disturb(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      const dice = this.#random.next();
      if (dice < 0.65) await this.#turn();
      else if (dice < 0.75) this.#write();
      else if (dice < 0.95) this.#replicate();
      else this.#happen(this.#random.pick(disturbances));
    }
  }

  /** Nothing goes wrong any more, and the user does what the status says. */
  async settle(): Promise<void> {
    for (const operator of this.#operators) operator.isDead = true;
    this.#startOperator();
    for (let step = 0; step < 3000; step += 1) {
      for (const server of this.servers) server.isCutOff = false;
      if (this.#random.chance(0.1)) this.#happen("come back");
      if (this.#random.chance(0.05)) this.#happen("obey");
      this.#replicate();
      this.#write();
      await this.#turn();
      const primary = this.open()[0];
      const follow = this.servers.filter(
        ({ source }) =>
          source?.isReceiving && source.isApplying && source.ordinal === primary?.ordinal,
      );
      const isUpToDate = this.servers.every(({ isOutdated }) => !isOutdated);
      if (follow.length === 2 && isUpToDate && this.problems.length === 0 && step > 500) return;
    }
    throw new Error(`no way out: ${this.problems.join("; ")}\n${this.story()}`);
  }

  #startOperator(): void {
    const life = { isDead: false };
    this.#operators.add(life);
    void (async () => {
      while (!life.isDead) {
        try {
          await this.#pass(life);
        } catch (error) {
          if (!(error instanceof GoneError)) throw error;
          this.#note(`  failed: ${error.message}`);
          await this.#pause(life);
        }
      }
    })();
  }

  async #pass(life: { isDead: boolean }): Promise<void> {
    const session = {};
    const pods = new Map<number, string>();
    for (const server of this.servers) {
      await this.#pause(life);
      if (!server.isRunning || server.isCutOff) continue;
      server.sessions.add(session);
      pods.set(server.ordinal, server.pod!);
    }
    const reach = async (ordinal: number): Promise<Mysqld> => {
      await this.#pause(life);
      const server = this.servers[ordinal]!;
      if (server.isCutOff || !server.sessions.has(session))
        throw new GoneError(`server ${ordinal}`);
      return server;
    };
    const sessions: Sessions = {
      look: async () => {
        const seen: Server[] = [];
        for (const { ordinal } of this.servers) {
          const says = await reach(ordinal).then(report, () => undefined);
          seen.push({ ordinal, pod: undefined, says, trouble: "silent" });
        }
        await this.#pause(life);
        return seen.map((one) => {
          const { pod, isOutdated, isBroken } = this.servers[one.ordinal]!;
          const says = pods.get(one.ordinal) === pod ? one.says : undefined;
          return { ...one, pod, isOutdated, isBroken, says };
        });
      },
      fence: async () => {
        for (const ordinal of pods.keys()) {
          const server = await reach(ordinal).catch(() => undefined);
          if (server) server.sessions = new Set([session]);
          else this.servers[ordinal]!.sessions.delete(session);
        }
      },
      act: async (step) => this.#act(step, reach, life),
    };
    const read = async (): Promise<Declared> => {
      await this.#pause(life);
      const { wish, recorded, version } = this;
      return { wish, recorded, record: (next) => this.#record(next, version, life) };
    };
    const { decision } = await drive(sessions, read);
    this.problems = decision.problems.map(({ message }) => message);
  }

  async #record(recorded: Recorded, version: number, life: { isDead: boolean }): Promise<void> {
    await this.#pause(life);
    if (version !== this.version) throw new GoneError("conflict");
    this.version += 1;
    if (recorded.epoch !== this.recorded?.epoch)
      this.#note(`  records ${recorded.primary} ${recorded.pod}`);
    this.recorded = recorded;
    // The worst moment to fall asleep: before what it wrote is done.
    if (this.#random.chance(0.3)) this.#startOperator();
    if (this.#random.chance(0.1)) throw new GoneError("no answer");
  }

  /** Each statement is a turn of its own, so that operators die between any two. */
  async #act(
    step: SqlStep,
    reach: (ordinal: number) => Promise<Mysqld>,
    life: { isDead: boolean },
  ): Promise<void> {
    this.#note(`  ${JSON.stringify(step)}`);
    // By the API server, which needs no session.
    if (step.do === "restart") return this.#remove(this.servers[step.ordinal]!);
    const server = await reach(step.ordinal);
    if (step.do === "lock") server.access = "locked";
    if (step.do === "unlock") {
      server.source = undefined;
      await reach(step.ordinal);
      server.access = "open";
      this.#check();
    }
    if (step.do === "apply" && server.source)
      server.source = { ...server.source, isApplying: true };
    if (step.do === "follow") {
      const isNew = server.source?.ordinal !== step.source;
      if (isNew) server.received = server.executed;
      server.source = { ordinal: step.source, isReceiving: true, isApplying: true };
    }
    if (step.do === "seed") {
      server.source = undefined;
      server.executed = noGtids;
      server.received = noGtids;
      server.purged = noGtids;
      await this.#pause(life);
      await reach(step.ordinal);
      const donor = this.servers[step.donor as number]!;
      if (!donor.isRunning) throw new GoneError("donor");
      server.executed = donor.executed;
      server.purged = donor.executed;
      server.stop();
      server.start();
    }
    if (this.#random.chance(0.1)) throw new GoneError("no answer");
  }

  #write(): void {
    for (const server of this.open()) {
      const row = parseGtids(`${server.uuid}:${(this.#serial += 1)}`);
      server.executed = union(server.executed, row);
      this.acknowledged = union(this.acknowledged, row);
    }
  }

  /** A replica receives something, or executes something of it. */
  #replicate(): void {
    const server = this.#random.pick(this.servers);
    const source = this.servers[server.source?.ordinal ?? 0]!;
    if (!server.isRunning || !server.source) return;
    if (server.source.isReceiving && source.isRunning && this.#random.chance(0.6)) {
      server.received = union(server.received, source.executed);
    } else if (server.source.isApplying) {
      server.executed = union(server.executed, server.received);
    }
  }

  #happen(what: keyof typeof weights): void {
    const server = this.#random.pick(this.servers);
    this.#note(`${what} (${server.ordinal})`);
    if (what === "kill") server.stop();
    if (what === "come back")
      for (const one of this.servers) if (!one.isRunning) this.#schedule(one);
    if (what === "delete") this.#remove(server);
    if (what === "new template") for (const one of this.servers) one.isOutdated = true;
    if (what === "break") {
      server.stop();
      server.isBroken = true;
      server.isOutdated = true;
    }
    if (what === "save") for (const one of this.servers) one.older = one.executed;
    if (what === "purge") server.purged = server.executed;
    if (what === "cut off") server.isCutOff = true;
    if (what === "heal") for (const one of this.servers) one.isCutOff = false;
    if (what === "lose" || what === "put back") {
      this.#remove(server);
      server.executed = what === "lose" ? noGtids : server.older;
      server.purged = server.executed;
      server.source = undefined;
      this.given = union(
        this.given,
        subtract(this.acknowledged, ...this.servers.map(({ executed }) => executed)),
      );
    }
    if (what === "operator dies") {
      for (const operator of this.#operators) operator.isDead = true;
      this.#startOperator();
    }
    if (what === "operator sleeps") this.#startOperator();
    if (what === "switch") this.#wish({ primary: this.#random.pick(this.servers).ordinal });
    if (what === "obey") this.#obey();
  }

  /** Does what one of the messages says. */
  #obey(): void {
    const message = this.problems.length > 0 ? this.#random.pick(this.problems) : "";
    const [, deleted] = /^server (\d).*Delete the pod/.exec(message) ?? [];
    const [, better] = /let spec.primary be (\d)/.exec(message) ?? [];
    const [, of, word] = /^server (\d).*set spec.acceptLoss to (\w+)/.exec(message) ?? [];
    if (deleted !== undefined) this.#remove(this.servers[Number(deleted)]!);
    if (better !== undefined) this.#wish({ primary: Number(better) });
    if (message.includes("name another server"))
      this.#wish({ primary: this.#random.pick(this.servers).ordinal });
    if (word === undefined) return;
    const [, ahead] = /^server \d has (\S+), which the primary lacks/.exec(message) ?? [];
    const chosen = this.servers[Number(of)]!;
    const all = this.servers.map(({ executed }) => executed);
    const kept =
      ahead === undefined ? [chosen.executed] : [subtract(union(...all), parseGtids(ahead))];
    this.given = union(this.given, subtract(this.acknowledged, ...kept));
    this.#wish({ acceptLoss: word });
  }

  #wish(change: Partial<Wish>): void {
    this.#note(`  user: ${JSON.stringify(change)}`);
    this.wish = { ...this.wish, ...change };
    this.version += 1;
  }

  #remove(server: Mysqld): void {
    server.stop();
    server.pod = undefined;
  }

  /** A pod that was killed runs on; one that was deleted is a new one, with a uuid of its own. */
  #schedule(server: Mysqld): void {
    if (server.pod === undefined) {
      server.pod = `pod-${(this.#serial += 1)}`;
      server.uuid = `${"abc"[server.ordinal]}${this.#serial}`;
      server.isOutdated = false;
      server.isBroken = false;
    }
    if (!server.isBroken) server.start();
  }

  /** Lets one of the operators go on; the others sleep. */
  async #turn(): Promise<void> {
    const last = this.#waiting.length - 1;
    const index = this.#random.chance(0.9) ? last : Math.floor(this.#random.next() * (last + 1));
    this.#waiting.splice(index, 1)[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    this.#check();
  }

  #check(): void {
    if (this.open().length > 1) this.violations.push(this.story());
  }

  #pause(life: { isDead: boolean }): Promise<void> {
    return new Promise((resolve) =>
      this.#waiting.push(() => (life.isDead ? undefined : resolve())),
    );
  }

  #note(text: string): void {
    this.#log.push(text);
  }
}

/** The events of the model, and how often each comes beside the others. */
const weights = {
  kill: 2,
  delete: 2,
  "come back": 12,
  "cut off": 1,
  heal: 12,
  lose: 1,
  save: 1,
  "put back": 1,
  "new template": 1,
  break: 1,
  purge: 1,
  "operator dies": 1,
  "operator sleeps": 1,
  switch: 12,
  obey: 8,
};
const disturbances = Object.entries(weights).flatMap(([what, weight]) =>
  Array<keyof typeof weights>(weight).fill(what as keyof typeof weights),
);

/** A call that failed: the server or the session is gone, or the answer was lost. */
class GoneError extends Error {}

async function report(server: Mysqld): Promise<Says> {
  const { uuid, access, executed, received, purged, source } = server;
  return { uuid, access, executed, received, purged, isSeeding: false, source };
}
