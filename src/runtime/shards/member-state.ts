import type { Ranges } from "./ranges.ts";

/**
 * How equal processes share ranges of hashes, without a leader. Each keeps a Lease of its own, which says that it lives
 * and which ranges it claims. `stepMember` takes an event and returns what to do next; it sends nothing itself, so that
 * every order of events can be tested.
 *
 * A range is held by one process at a time, whatever is slow, lost or suspended, because
 * 1. a process claims a range in its Lease before it holds it, and withdraws the claim after it stopped;
 * 2. it holds a range that it claimed once a list of all Leases, sent after the claim was confirmed, shows no other
 *    claim. Of two that claim at once, the second one's list shows the first one's claim;
 * 3. it writes nothing once its Lease was not renewed for `renewDeadline`, counted from when the renewal was sent;
 * 4. others delete its Lease, and with it its claims, when they saw no change for `leaseDuration`, which is longer, and
 *    only if it is still unchanged when it is deleted. A process without a Lease holds nothing;
 * 5. the versions of its Lease keep a delayed write from following a later one.
 *
 * A range is not held by nobody for long, because all processes see the same Leases, and assign the ranges by the same
 * function: nobody keeps a claim of a range that is another's. A claim may wait for the withdrawal of another.
 */
export interface MemberState {
  /** The Lease as last confirmed; undefined before it was created and after others deleted it. */
  readonly lease: { readonly uid: string; readonly version: string } | undefined;
  /** What the Lease claims for certain: confirmed, and part of every write that was sent since. */
  readonly claimed: Ranges;
  /** What this process works on. */
  readonly held: Ranges;
  /** What it is about to stop. */
  readonly draining: Ranges;
  /** What is its part of the ranges, among the members that it knows. */
  readonly desired: Ranges;
  /** When the last confirmed renewal was sent. */
  readonly renewedAt: number;
  /** The others, and since when their Leases haven't changed. */
  readonly peers: ReadonlyMap<string, { readonly version: string; readonly since: number }>;
  /** How many processes share the ranges. */
  readonly members: number;
}

/** What doesn't change; times in milliseconds. */
export interface MemberSettings {
  /** The name of the Lease, which no other process has ever had. */
  readonly name: string;
  /** How ranges are made of objects. Processes that do it in another way share nothing with this one. */
  readonly layout: string;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

/** The Lease of a member. */
export interface MemberRecord {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  readonly layout: string;
  readonly claims: Ranges;
  /** Milliseconds without a change after which it counts as dead. */
  readonly leaseDuration: number;
}

/** The end of a command, or news from outside. Times are those of the own monotonic clock. */
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
  /** All ranges are lost. Nothing may be written any more, not even by what still runs. */
  | { readonly type: "lose" }
  | { readonly type: "write"; readonly claims: Ranges; readonly lease: MemberState["lease"] }
  | { readonly type: "list" }
  /** Delete the Leases of the dead, unless they have changed. */
  | { readonly type: "bury"; readonly records: readonly MemberRecord[] }
  | { readonly type: "wait"; readonly milliseconds: number };
