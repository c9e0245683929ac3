// Sharing the objects among equal processes. Begin here with the protocol, a pure step function without requests.
// `shard-gate.ts` tells caches and controllers which part is this process's; `ranges.ts` has sets of hashes.

import { compareText, fnv64 } from "@tsbuilder/apimachinery/text";
import { type Ranges, allRanges, noRanges, rangeCount } from "./ranges.ts";

/**
 * The state of a process that shares ranges of hashes with equal processes, without a leader. Each process renews a
 * Lease of its own, which shows that the process lives and which ranges it claims. `stepMember` takes an event and
 * returns the next commands; it sends nothing itself, so that every order of events can be tested.
 *
 * A range is held by one process at a time, even if requests or processes are slow, lost or suspended, because
 * 1. a process claims a range in its Lease before it holds it, and withdraws the claim after it stopped;
 * 2. it holds a range that it claimed once a list of all Leases, sent after the claim was confirmed, shows no other
 *    claim. If two processes claim at once, the list of the second one shows the claim of the first;
 * 3. it writes nothing once its Lease was not renewed for `renewDeadline`, counted from when the renewal was sent;
 * 4. others delete its Lease, and with it its claims, when they saw no change for `leaseDuration`, which is longer than
 *    `renewDeadline`, and only if the Lease is still unchanged then. A process without a Lease holds nothing;
 * 5. the versions of its Lease keep a delayed write from following a later one.
 *
 * No range is without a holder for long, because all processes see the same Leases and assign the ranges by the same
 * function: no process keeps a claim of another one's range. A claim may wait for the withdrawal of another.
 */
export interface MemberState {
  /** The Lease as last confirmed; undefined before it was created and after others deleted it. */
  readonly lease: { readonly uid: string; readonly version: string } | undefined;
  /** The ranges that the Lease claims for certain: confirmed, and part of every write that was sent since. */
  readonly claimed: Ranges;
  /** The ranges that this process works on. */
  readonly held: Ranges;
  /** The ranges whose work is being ended. */
  readonly draining: Ranges;
  /** Its part of the ranges, computed from the members that it knows. */
  readonly desired: Ranges;
  /** When the last confirmed renewal was sent. */
  readonly renewedAt: number;
  /** The other members, with the time since which their Leases haven't changed. */
  readonly peers: ReadonlyMap<string, { readonly version: string; readonly since: number }>;
  /** The number of processes that share the ranges. */
  readonly members: number;
}

/** The settings of a member, which never change; times in milliseconds. */
export interface MemberSettings {
  /** The name of the Lease, which no other process has ever had. */
  readonly name: string;
  /** Identifies how objects are assigned to ranges. Processes with different layouts share nothing. */
  readonly layout: string;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

/** The Lease of a process, as a list shows it. */
export interface MemberRecord {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  readonly layout: string;
  readonly claims: Ranges;
  /** Milliseconds without a change after which it counts as dead. */
  readonly leaseDuration: number;
}

/** The end of a command, or an event from outside. Times are those of the own monotonic clock. */
export type MemberEvent =
  | { readonly type: "start" }
  /** The Lease was written; the request was sent at this time. */
  | {
      readonly type: "wrote";
      readonly sentAt: number;
      readonly claims: Ranges;
      readonly lease: { readonly uid: string; readonly version: string };
    }
  /** The Lease exists already, or not any more, or in another version. */
  | { readonly type: "conflicted" }
  /** All Leases, none older than when the request was sent. */
  | { readonly type: "listed"; readonly records: readonly MemberRecord[] }
  | { readonly type: "buried" }
  /** A request failed, and may or may not have had an effect. */
  | { readonly type: "failed" }
  | { readonly type: "waited" }
  /** The work on these ranges has ended. Comes at any time; a wait then ends. */
  | { readonly type: "drained"; readonly ranges: Ranges };

/** A command. The last one takes time, and ends with an event; the others don't. */
export type MemberCommand =
  | { readonly type: "hold"; readonly ranges: Ranges }
  /** Stop the work on these ranges, and report when it has ended. */
  | { readonly type: "drain"; readonly ranges: Ranges }
  /** All ranges are lost. Nothing may be written any more, not even by reconciles that still run. */
  | { readonly type: "lose" }
  | { readonly type: "write"; readonly claims: Ranges; readonly lease: MemberState["lease"] }
  | { readonly type: "list" }
  /** Delete the Leases of the dead, unless they have changed. */
  | { readonly type: "bury"; readonly records: readonly MemberRecord[] }
  | { readonly type: "wait"; readonly milliseconds: number };

/** The state before `start`. */
export const newMember: MemberState = {
  lease: undefined,
  claimed: noRanges,
  held: noRanges,
  draining: noRanges,
  desired: noRanges,
  renewedAt: -Infinity,
  peers: new Map(),
  members: 0,
};

/** The next state, and the commands to execute in order. */
export interface MemberStep {
  readonly state: MemberState;
  readonly commands: readonly MemberCommand[];
}

/** Takes an event; returns the next state and the commands. */
export function stepMember(
  settings: MemberSettings,
  state: MemberState,
  event: MemberEvent,
  now: number,
): MemberStep {
  switch (event.type) {
    case "start":
      return write(state);
    case "wrote": {
      const { lease, claims: claimed, sentAt: renewedAt } = event;
      const { state: kept, commands } = isRecreated(state, lease.uid) ? lose(state) : keepState(state);
      return { state: { ...kept, lease, claimed, renewedAt }, commands: [...commands, { type: "list" }] };
    }
    case "conflicted":
    case "buried":
      return { state, commands: [{ type: "list" }] };
    case "listed":
      return readList(settings, state, event.records, now);
    case "failed":
      return { state, commands: [{ type: "wait", milliseconds: settings.retryPeriod }] };
    case "waited": {
      const isDue = now - state.renewedAt >= settings.retryPeriod;
      return isDue || claimsToWrite(state) !== state.claimed
        ? write(state)
        : { state, commands: [{ type: "list" }] };
    }
    case "drained":
      return { state: { ...state, draining: state.draining & ~event.ranges }, commands: [] };
  }
}

/** Returns true if the process may write for objects of these ranges. Work on draining ranges may still end. */
export function mayWrite(
  { renewDeadline }: MemberSettings,
  { held, draining, renewedAt }: MemberState,
  ranges: Ranges,
  now: number,
): boolean {
  return (ranges & ~(held | draining)) === noRanges && now - renewedAt < renewDeadline;
}

/** Compares the Leases with the state: is our own still there, and which others have changed? */
function readList(
  settings: MemberSettings,
  known: MemberState,
  records: readonly MemberRecord[],
  now: number,
): MemberStep {
  const ownRecord = records.find(({ name }) => name === settings.name);
  const { state, commands } =
    ownRecord && !isRecreated(known, ownRecord.uid) ? keepState(known) : lose(known);
  if (!ownRecord) return prependCommands(commands, write(state));
  const others = records.filter((record) => record !== ownRecord);
  const peers = new Map(
    others.map(({ name, version }) => {
      const before = known.peers.get(name);
      return [name, before?.version === version ? before : { version, since: now }];
    }),
  );
  const lease = { uid: ownRecord.uid, version: ownRecord.version };
  return prependCommands(commands, adjustRanges(settings, { ...state, lease, peers }, others, now));
}

/** Gives up ranges that are not this process's part, and holds those of its part that nobody else claims. */
function adjustRanges(
  settings: MemberSettings,
  state: MemberState,
  others: readonly MemberRecord[],
  now: number,
): MemberStep {
  const names = [settings, ...others.filter(({ layout }) => layout === settings.layout)].map(
    ({ name }) => name,
  );
  const strangers = others.filter(({ layout, claims }) => layout !== settings.layout && claims !== noRanges);
  // Ranges of another layout can't be compared with ours: strangers with claims may hold any range.
  const taken = others.reduce((all, { claims }) => all | claims, strangers.length > 0 ? allRanges : noRanges);
  // A process without ranges waits until all processes with another layout have gone.
  const isGuest = strangers.length > 0 && (state.held | state.draining) === noRanges;
  const desired = isGuest ? noRanges : assignRanges(names.sort(compareText)).get(settings.name)!;
  const lost = state.held & ~desired;
  const gained = desired & state.claimed & ~taken & ~state.held & ~state.draining;
  const next: MemberState = {
    ...state,
    desired,
    held: (state.held | gained) & ~lost,
    draining: state.draining | lost,
    members: names.length,
  };
  const commands: MemberCommand[] = [];
  if (lost !== noRanges) commands.push({ type: "drain", ranges: lost });
  if (gained !== noRanges) commands.push({ type: "hold", ranges: gained });
  return prependCommands(commands, planNext(settings, next, others, now));
}

/**
 * Assigns every range to one of the members. The numbers of ranges differ by one at most, all processes that know the
 * same members come to the same result, and a member that joins or leaves moves few ranges but its own: each range goes
 * to the member with the highest rank for it that has room.
 */
export function assignRanges(members: readonly string[]): ReadonlyMap<string, Ranges> {
  const assigned = new Map(
    members.map((member) => [member, { hash: fnv64(member), ranges: noRanges, count: 0 }]),
  );
  const minimum = Math.floor(rangeCount / members.length);
  /** The number of members that may have one range more than the others. */
  let extra = rangeCount % members.length;
  for (let range = 0; range < rangeCount && members.length > 0; range++) {
    const hasRoom = ({ count }: { readonly count: number }) =>
      count < minimum || (count === minimum && extra > 0);
    const [winner] = [...assigned]
      .filter(([, share]) => hasRoom(share))
      .map(([member, share]) => ({ member, share, rank: rankMember(share.hash, range) }))
      .sort((a, b) => (a.rank === b.rank ? (a.member < b.member ? -1 : 1) : a.rank > b.rank ? -1 : 1));
    if (!winner) continue;
    if (winner.share.count === minimum) extra--;
    winner.share.count++;
    winner.share.ranges |= 1n << BigInt(range);
  }
  return new Map([...assigned].map(([member, { ranges }]) => [member, ranges]));
}

/** The finalizer of SplitMix64: one bit of difference in the hash or the range changes half of the bits. */
function rankMember(hash: bigint, range: number): bigint {
  let mixed = BigInt.asUintN(64, hash + BigInt(range + 1) * 0x9e3779b97f4a7c15n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
  return mixed ^ (mixed >> 31n);
}

/** Decides what to do next: bury the dead, write the Lease, or wait for the next renewal. */
function planNext(
  { retryPeriod }: MemberSettings,
  state: MemberState,
  others: readonly MemberRecord[],
  now: number,
): MemberStep {
  const timesLeft = others.map((record) => state.peers.get(record.name)!.since + record.leaseDuration - now);
  const dead = others.filter((_, index) => timesLeft[index]! <= 0);
  if (dead.length > 0) return { state, commands: [{ type: "bury", records: dead }] };
  if (claimsToWrite(state) !== state.claimed) return write(state);
  // A process that waits for others to withdraw a claim looks more often.
  const isWaiting = state.held !== state.desired;
  const untilRenewal = Math.max(0, state.renewedAt + retryPeriod - now);
  const milliseconds = Math.min(untilRenewal, isWaiting ? retryPeriod / 4 : Infinity, ...timesLeft);
  return { state, commands: [{ type: "wait", milliseconds }] };
}

/** The ranges that the Lease should claim: this process's part, and ranges that are still held or draining. */
function claimsToWrite({ held, draining, desired }: MemberState): Ranges {
  return held | draining | desired;
}

/** Writes the Lease. Until the write is confirmed, only claims that both versions have are certain. */
function write(state: MemberState): MemberStep {
  const claims = claimsToWrite(state);
  return {
    state: { ...state, claimed: state.claimed & claims },
    commands: [{ type: "write", claims, lease: state.lease }],
  };
}

/** Returns true if the Lease was deleted by others and created again: everything claimed before is lost. */
function isRecreated({ lease }: MemberState, uid: string): boolean {
  return lease !== undefined && lease.uid !== uid;
}

function keepState(state: MemberState): MemberStep {
  return { state, commands: [] };
}

/** Gives up everything: others deleted the Lease and may hold its ranges. */
function lose(state: MemberState): MemberStep {
  const hasNothing = (state.held | state.draining) === noRanges;
  return { state: { ...newMember, peers: state.peers }, commands: hasNothing ? [] : [{ type: "lose" }] };
}

function prependCommands(commands: readonly MemberCommand[], step: MemberStep): MemberStep {
  return { state: step.state, commands: [...commands, ...step.commands] };
}
