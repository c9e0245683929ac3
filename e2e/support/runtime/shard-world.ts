import {
  mayWrite,
  newMember,
  stepMember,
  type MemberCommand,
  type MemberEvent,
  type MemberRecord,
  type MemberSettings,
  type MemberState,
} from "../../../src/runtime/shards/member.ts";
import { allRanges, listRanges, noRanges, type Ranges } from "../../../src/runtime/shards/ranges.ts";

export const timing = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2000 };
/** How long a member waits for an answer, and how long its work on a range takes to end, at most. */
export const requestTimeout = 2500;
export const longestDrain = 3000;

/** An event in a world; `who` is an index into its living members. */
export type ShardStep =
  | { readonly do: "join"; readonly rate: number; readonly layout: string }
  | { readonly do: "kill" | "leave"; readonly who: number }
  /** The process is suspended: nothing of it runs, but its requests are on the way. */
  | { readonly do: "suspend"; readonly who: number; readonly milliseconds: number }
  /** Requests are lost, before or after they had an effect, or take long. */
  | { readonly do: "trouble"; readonly milliseconds: number }
  | { readonly do: "wait"; readonly milliseconds: number };

interface Scheduled {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * Members, a server with their Leases, and the time between them. Requests, answers and the ends of reconciles take as
 * long as the seed says. After every event the world is checked: no range may be written by two.
 */
export class ShardWorld {
  /** Sentences about ranges that two could write. */
  readonly clashes: string[] = [];
  readonly members: SimulatedMember[] = [];
  readonly leases = new Map<string, MemberRecord>();
  now = 0;
  #troubleUntil = 0;
  #random: number;
  #serial = 0;
  readonly #events: Scheduled[] = [];

  constructor(seed: number) {
    this.#random = seed + 1;
  }

  perform(step: ShardStep): void {
    const living = this.members.filter(({ isGone }) => !isGone);
    const one = "who" in step && living.length > 0 ? living[step.who % living.length] : undefined;
    if (step.do === "join") this.members.push(new SimulatedMember(this, `m${this.#serial++}`, step));
    else if (step.do === "kill" && one) one.isGone = true;
    else if (step.do === "leave") one?.leave();
    else if (step.do === "suspend" && one) one.suspendedUntil = this.now + step.milliseconds;
    else if (step.do === "trouble") this.#troubleUntil = this.now + step.milliseconds;
    else if (step.do === "wait") this.run(step.milliseconds);
  }

  run(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (;;) {
      const next = this.#events.reduce<Scheduled | undefined>(
        (first, event) =>
          first && (first.at < event.at || (first.at === event.at && first.order < event.order))
            ? first
            : event,
        undefined,
      );
      if (!next || next.at > end) break;
      this.#events.splice(this.#events.indexOf(next), 1);
      this.now = Math.max(this.now, next.at);
      next.run();
      this.#check();
    }
    this.now = end;
    this.#check();
  }

  after(milliseconds: number, run: () => void): void {
    this.#events.push({ at: this.now + milliseconds, order: this.#serial++, run });
  }

  /** From 0 to 1. */
  random(): number {
    this.#random = (this.#random * 16_807) % 2_147_483_647;
    return this.#random / 2_147_483_647;
  }

  /** Lets the server do something, and its answer arrive; in times of trouble, perhaps late or not at all. */
  request<Answer>(effect: () => Answer, onAnswer: (answer: Answer) => void): void {
    const isTroubled = this.now < this.#troubleUntil;
    const delay = () => (isTroubled && this.random() < 0.4 ? this.random() * 6000 : 1 + this.random() * 40);
    if (isTroubled && this.random() < 0.15) return;
    this.after(delay(), () => {
      const answer = effect();
      if (isTroubled && this.random() < 0.15) return;
      this.after(delay(), () => onAnswer(answer));
    });
  }

  nextVersion(): string {
    return String(this.#serial++);
  }

  /** Objects that nobody may write at the moment. */
  get missing(): number[] {
    return listRanges(this.members.reduce((left, member) => left & ~member.writable, allRanges));
  }

  #check(): void {
    const writers = this.members.filter(({ writable }) => writable !== noRanges);
    for (const [index, one] of writers.entries())
      for (const other of writers.slice(index + 1)) {
        // Ranges of another layout have other objects, any of which may be in both.
        const both = one.layout === other.layout ? one.writable & other.writable : one.writable;
        if (both === noRanges) continue;
        this.clashes.push(
          `${one.name} and ${other.name} may write ${listRanges(both).join()} at ${this.now}`,
        );
      }
  }
}

/** A process that does what `stepMember` says, with a clock of its own. */
export class SimulatedMember {
  readonly name: string;
  state: MemberState = newMember;
  isGone = false;
  suspendedUntil = 0;
  readonly #world: ShardWorld;
  readonly #settings: MemberSettings;
  readonly #rate: number;
  /** Objects that are reconciled at the moment, also in shards that drain, until their last reconcile has ended. */
  #working = noRanges;
  #isLeaving = false;
  #life = 0;
  /** Ends the current command; the answer of an earlier one is ignored. */
  #turn = 0;
  #isWaiting = false;

  constructor(world: ShardWorld, name: string, { rate, layout }: { rate: number; layout: string }) {
    this.#world = world;
    this.name = name;
    this.#rate = rate;
    this.#settings = { name, layout, ...timing };
    this.#step({ type: "start" });
  }

  /** The ranges that a write would be sent for. A suspended process sends nothing, but its request may be on the way. */
  get writable(): Ranges {
    if (this.isGone) return noRanges;
    return mayWrite(this.#settings, this.state, noRanges, this.#local) ? this.#working : noRanges;
  }

  get layout(): string {
    return this.#settings.layout;
  }

  leave(): void {
    this.#isLeaving = true;
  }

  get #local(): number {
    return 1000 + this.#world.now * this.#rate;
  }

  #step(event: MemberEvent): void {
    const { state, commands } = stepMember(this.#settings, this.state, event, this.#local);
    this.state = state;
    for (const command of commands) this.#perform(command);
  }

  /** Runs something in the process, when it is not suspended. */
  #inProcess(run: () => void): void {
    if (this.isGone) return;
    const rest = this.suspendedUntil - this.#world.now;
    if (rest > 0) this.#world.after(rest, () => this.#inProcess(run));
    else run();
  }

  #after(milliseconds: number, run: () => void): void {
    this.#world.after(milliseconds / this.#rate, () => this.#inProcess(run));
  }

  /** Waits for the end of a command, which is reported once. */
  #turnEnds(): (event: MemberEvent) => void {
    const turn = ++this.#turn;
    return (event) => {
      if (turn !== this.#turn) return;
      this.#turn++;
      this.#isWaiting = false;
      if (this.#isLeaving) this.#depart();
      else this.#step(event);
    };
  }

  #depart(): void {
    this.isGone = true;
    this.#world.request(
      () => this.#world.leases.delete(this.name),
      () => {},
    );
  }

  #send<Answer>(effect: () => Answer, toEvent: (answer: Answer) => MemberEvent): void {
    const end = this.#turnEnds();
    this.#world.request(effect, (answer) => this.#inProcess(() => end(toEvent(answer))));
    this.#after(requestTimeout, () => end({ type: "failed" }));
  }

  #perform(command: MemberCommand): void {
    const { leases } = this.#world;
    const sentAt = this.#local;
    switch (command.type) {
      case "hold":
        this.#working |= command.ranges;
        return;
      case "lose":
        this.#working = noRanges;
        this.#life++;
        return;
      case "drain": {
        const life = this.#life;
        for (const range of listRanges(command.ranges))
          this.#after(this.#world.random() * longestDrain, () => {
            if (life !== this.#life) return;
            this.#working &= ~(1n << BigInt(range));
            this.#step({ type: "drained", ranges: 1n << BigInt(range) });
            if (this.#isWaiting) this.#turnEnds()({ type: "waited" });
          });
        return;
      }
      case "write":
        return this.#send(
          () => this.#write(command),
          (lease) =>
            lease ? { type: "wrote", sentAt, claims: command.claims, lease } : { type: "conflicted" },
        );
      case "list":
        return this.#send(
          () => [...leases.values()],
          (records) => ({ type: "listed", records }),
        );
      case "bury":
        return this.#send(
          () => {
            for (const { name, version } of command.records)
              if (leases.get(name)?.version === version) leases.delete(name);
          },
          () => ({ type: "buried" }),
        );
      case "wait": {
        const end = this.#turnEnds();
        this.#isWaiting = true;
        this.#after(command.milliseconds, () => end({ type: "waited" }));
        return;
      }
    }
  }

  #write({ claims, lease }: MemberCommand & { type: "write" }): MemberRecord | undefined {
    const { leases } = this.#world;
    const existing = leases.get(this.name);
    if (lease ? existing?.uid !== lease.uid || existing.version !== lease.version : existing)
      return undefined;
    const version = this.#world.nextVersion();
    const { layout, leaseDuration } = this.#settings;
    const record = { name: this.name, uid: existing?.uid ?? version, version, layout, claims, leaseDuration };
    leases.set(this.name, record);
    return record;
  }
}
