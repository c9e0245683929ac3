/*
 * SPDX-License-Identifier: Apache-2.0
 */

// The next steps for the servers, as a function of what they say. A server starts locked and follows nobody; it knows
// nothing of its role, so whatever state it is found in, the next step follows from here. Three rules keep the data:
// only the recorded pod is ever unlocked, another is recorded only when that one is locked or deleted, and data is
// discarded only if the primary has all of it, or the user repeats the word that the status names for exactly that data.

import { createHash } from "node:crypto";
import {
  count,
  formatGtids,
  type Gtids,
  includes,
  noGtids,
  subtract,
  union,
} from "./maria_gtids.ts";

/** A server as it was seen: its pod, and what it says over SQL. */
export interface Server {
  readonly ordinal: number;
  /** The uid of its pod; undefined if it has none, so that it does not run. */
  readonly pod?: string | undefined;
  /** True if its pod has another template than the StatefulSet. */
  readonly isOutdated?: boolean;
  /** True if its pod can't run, or refuses the operator: another one may do. */
  readonly isBroken?: boolean;
  /** Undefined if it doesn't answer. */
  readonly says?: Says | undefined;
  /** Why it doesn't answer. */
  readonly trouble?: string | undefined;
}

/** The answers of a server to a look. */
export interface Says {
  /** Changes with every pod, so that data which was put back from an older volume gets no number twice. */
  readonly uuid: string;
  /** Locked: nobody writes. Open: users write. Anything else was made by hand. */
  readonly access: "locked" | "open" | "other";
  readonly executed: Gtids;
  /** The transactions received of its source; not all of them may be executed. */
  readonly received: Gtids;
  /** The transactions that it can't send to replicas any more. */
  readonly purged: Gtids;
  readonly isSeeding: boolean;
  /** Why it could not be seeded the last time. */
  readonly seedError?: string | undefined;
  /** True for half a minute after that: the status tells the error before the copy is tried again. */
  readonly hasJustFailed?: boolean;
  readonly source?: Source | undefined;
}

/** The server that another one replicates from. */
export interface Source {
  readonly ordinal: number;
  readonly isReceiving: boolean;
  readonly isApplying: boolean;
  readonly error?: string | undefined;
}

/** The part of the spec that decisions depend on. */
export interface Wish {
  readonly size: number;
  readonly primary?: number | undefined;
  readonly acceptLoss?: string | undefined;
  /** True if the first primary starts from a backup, whose server then is the donor. */
  readonly isRestored?: boolean;
}

/** The part of the status that is written before any server is unlocked. */
export interface Recorded {
  /** Rises before a pod is unlocked, and when another one is recorded. */
  readonly epoch: number;
  readonly primary: number;
  /** The uid of the only pod that may be unlocked. */
  readonly pod: string;
  /** Transactions that the primary had. */
  readonly gtids: Gtids;
  /** Transactions that other servers have, and that the primary went on without. */
  readonly aside: Gtids;
}

export type Step =
  | { readonly do: "lock"; readonly ordinal: number }
  | { readonly do: "unlock"; readonly ordinal: number }
  /** Executes what was received, though its source is gone. */
  | { readonly do: "apply"; readonly ordinal: number }
  /** Has its pod made anew. */
  | { readonly do: "restart"; readonly ordinal: number }
  | { readonly do: "follow"; readonly ordinal: number; readonly source: number }
  /** Replaces all data of a server with that of the donor; `restore` is the server of a backup. */
  | { readonly do: "seed"; readonly ordinal: number; readonly donor: number | "restore" }
  | { readonly do: "record"; readonly recorded: Recorded };

/** Why something is not as it should be, and what a person can do. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
}

export interface Decision {
  readonly steps: readonly Step[];
  readonly problems: readonly Problem[];
}

/** Decides what to do next. Any of the steps may fail; what follows a record that failed is not done. */
export function decide(
  wish: Wish,
  recorded: Recorded | undefined,
  servers: readonly Server[],
): Decision {
  const look = { wish, recorded: recorded ?? nothing, servers };
  // One that is being seeded is half open, since MySQL replaces no data of a locked one, and starts locked afterwards.
  const unlocked = servers.filter(
    ({ says }) => says && says.access !== "locked" && !(says.isSeeding && says.access === "other"),
  );
  const strays = unlocked.filter((server) => !mayBeUnlocked(look.recorded, server));
  if (strays.length > 0) {
    return todo(...strays.map(({ ordinal }) => ({ do: "lock", ordinal }) as const));
  }
  const { steps, problems } = recorded ? proceed(look) : begin(look);
  // A silent pod gets the newer template, whatever else is wrong; one that may take writes, only if it can't work.
  const stuck = servers.find(
    ({ isOutdated, says, isBroken, pod }) =>
      isOutdated && !says && (isBroken || pod !== recorded?.pod),
  );
  if (!stuck) return { steps, problems };
  return { steps: [...steps, { do: "restart", ordinal: stuck.ordinal }], problems };
}

/** Everything that a decision depends on. */
interface Look {
  readonly wish: Wish;
  readonly recorded: Recorded;
  readonly servers: readonly Server[];
}

/** With a primary, which may be on its way to another server. */
function proceed(look: Look): Decision {
  const { wish, recorded, servers } = look;
  const current = find(servers, recorded.primary);
  const stays = recorded.primary < wish.size ? recorded.primary : 0;
  const wished = wish.primary ?? stays;
  if (wished === current.ordinal) return serve(look, current);
  const handover = handOver(look, current, find(servers, wished));
  if (handover.steps.length > 0 || !hasWhatWasRecorded(recorded, current)) return handover;
  const { steps, problems } = serve(look, current);
  return { steps, problems: [...handover.problems, ...problems] };
}

/** A server that answers. */
type Answering = Server & { readonly says: Says };

/** Before the first primary. */
const nothing: Recorded = { epoch: 0, primary: -1, pod: "", gtids: noGtids, aside: noGtids };

/** Only the recorded primary is ever unlocked, and only in the pod that was recorded with it. */
function mayBeUnlocked(recorded: Recorded, { ordinal, pod }: Server): boolean {
  return ordinal === recorded.primary && pod === recorded.pod;
}

/** The first primary. Data may be there: that of a MySQL of the same name, or the status was lost. */
function begin(look: Look): Decision {
  const { wish, servers } = look;
  const silent = servers.filter((server) => !answers(server));
  if (servers.length < wish.size || silent.length > 0) {
    const waits = silent.map(({ ordinal, trouble }) => `server ${ordinal}: ${trouble}`);
    return refuse("Starting", `waits until all servers have answered once: ${waits.join("; ")}`);
  }
  const best = servers
    .filter(answers)
    .find(({ says }) =>
      servers.every((other) => includes(says.executed, other.says?.executed ?? noGtids)),
    );
  const chosen = wish.primary === undefined ? (best ?? servers[0]!) : find(servers, wish.primary);
  if (!wish.isRestored || !answers(chosen) || best?.says.executed.size !== 0) {
    return elect(look, chosen);
  }
  if (chosen.says.isSeeding) return todo();
  return todo({ do: "seed", ordinal: chosen.ordinal, donor: "restore" });
}

/** Makes another server the primary: when it has all that the current one has, or by the user's word. */
function handOver(look: Look, current: Server, wished: Server): Decision {
  const { recorded } = look;
  const { ordinal } = wished;
  if (!answers(wished)) return refuse("SwitchoverRefused", silence(wished));
  if (!answers(current) && current.pod === recorded.pod) {
    const message = `${silence(current)}. Its pod still exists, so it may take writes. Delete the pod, with --force once its node is off, to have server ${ordinal} considered`;
    return refuse("SwitchoverRefused", message);
  }
  if (answers(current) && hasWhatWasRecorded(recorded, current)) {
    return switchOver(look, current, wished);
  }
  const { executed, received, source } = wished.says;
  if (!includes(executed, received) && !source?.error) {
    return source?.isApplying ? wait : todo({ do: "apply", ordinal });
  }
  if (current.says && current.says.access !== "locked") {
    return todo({ do: "lock", ordinal: current.ordinal });
  }
  return elect(look, wished);
}

/** Something is under way; the next look shows how far it has come. */
const wait = refuse("Waiting", "waits for replication");

/** Locks the primary, waits until the other server has executed everything, and records that one. */
function switchOver(look: Look, current: Answering, wished: Answering): Decision {
  const [from, to] = [current.says, wished.says];
  const refused = (why: string) => refuse("SwitchoverRefused", `server ${wished.ordinal} ${why}`);
  const missing = subtract(from.executed, to.executed);
  const ahead = ownTransactions(to, from, look.recorded.aside);
  if (missing.size === 0 && from.access === "locked") return record(look, wished);
  if (ahead.size > 0) {
    if (from.access === "locked") return elect(look, wished);
    return refused(`has ${formatGtids(ahead)}, which the primary lacks`);
  }
  // As long as it can't follow, the primary goes on, also if it is locked already.
  if (!isFollowing(to, current.ordinal)) {
    return refused(`doesn't replicate: ${to.source?.error ?? "it is about to"}`);
  }
  const far = count(missing);
  if (far > mostMissing) {
    return refused(`lacks ${far} transactions: waits until it lacks at most ${mostMissing}`);
  }
  // One transaction may take an hour.
  if (from.access === "open" && !includes(to.executed, look.recorded.gtids)) {
    return refused("lacks what the primary had at the last look: waits until it has executed that");
  }
  // A step without effect, once it is locked: writes must not go on before the other has caught up.
  return todo({ do: "lock", ordinal: current.ordinal });
}

/** Transactions that a switchover may have to wait for while nobody can write. */
const mostMissing = 1000;

/** Keeps the recorded primary unlocked, and replicas at its heels. */
function serve(look: Look, current: Server): Decision {
  const { recorded } = look;
  const { ordinal, pod } = current;
  if (!answers(current)) {
    const message = `${silence(current)}. If it doesn't come back, let spec.primary name another server`;
    return refuse("PrimaryUnreachable", message);
  }
  const { access } = current.says;
  if (access === "open" && hasWhatWasRecorded(recorded, current)) return replicate(look, current);
  if (access !== "locked") return todo({ do: "lock", ordinal });
  if (pod !== recorded.pod || unknownTo(look, current).size > 0) return elect(look, current);
  // Written before, so that whoever decided by an older status writes none any more, and unlocks nothing.
  const next = { ...recorded, epoch: recorded.epoch + 1 };
  return todo({ do: "record", recorded: next }, { do: "unlock", ordinal });
}

/** Records a server as the primary, unless something would be lost to which the user has not agreed. */
function elect(look: Look, chosen: Server): Decision {
  const { wish, recorded, servers } = look;
  const { ordinal } = chosen;
  if (!answers(chosen)) return refuse("SwitchoverRefused", silence(chosen));
  const { executed } = chosen.says;
  const lost = unknownTo(look, chosen);
  const isRecorded = recorded === nothing || recorded.primary === ordinal;
  if (lost.size === 0 && isRecorded) return record(look, chosen);

  const better = servers
    .filter(answers)
    .find(
      ({ says }) =>
        includes(says.executed, executed) &&
        subtract(says.executed, executed, recorded.aside).size > 0,
    );
  if (better) {
    const message = `server ${ordinal} lacks ${formatGtids(lost)}, which server ${better.ordinal} has: let spec.primary be ${better.ordinal}`;
    return refuse("DataWouldBeLost", message);
  }
  const [has, lacks] = [formatGtids(executed), formatGtids(lost)];
  const word = wordFor("primary", recorded.epoch, ordinal, has, lacks);
  if (wish.acceptLoss === word) return record(look, chosen);
  // It took writes after the last record.
  const former = recorded.primary;
  const rest = former < 0 ? "" : `, and whatever else server ${former} acknowledged`;
  const message = `server ${ordinal} has ${has || "no data"}. If it becomes the primary, ${lacks || "what is not in it"} is lost${rest}. Bring back the server that has it, or set spec.acceptLoss to ${word}`;
  return refuse("DataWouldBeLost", message);
}

/** Transactions that were recorded, or that others have, and the chosen one lacks. */
function unknownTo({ recorded, servers }: Look, { ordinal, says }: Answering): Gtids {
  const others = servers.filter(answers).filter((other) => other.ordinal !== ordinal);
  const all = union(recorded.gtids, says.received, ...others.map((other) => other.says.executed));
  return subtract(all, says.executed, recorded.aside);
}

/** Records a primary. Transactions that it lacks are put aside, so that they keep nobody from being unlocked later. */
function record(look: Look, chosen: Answering): Decision {
  const { epoch, aside } = look.recorded;
  const { executed } = chosen.says;
  const recorded: Recorded = {
    epoch: epoch + 1,
    primary: chosen.ordinal,
    pod: chosen.pod!,
    gtids: executed,
    aside: union(subtract(aside, executed), unknownTo(look, chosen)),
  };
  return todo({ do: "record", recorded });
}

/** Has the other servers follow the primary; those that can't are seeded anew if nothing is lost by that. */
function replicate({ wish, recorded, servers }: Look, current: Answering): Decision {
  const { ordinal: source, says: primary } = current;
  const steps: Step[] = [];
  const problems: Problem[] = [];
  const isSeeding = servers.some(({ says }) => says?.isSeeding);
  for (const server of servers) {
    const { ordinal } = server;
    if (ordinal === source || server.says?.isSeeding) continue;
    if (!answers(server)) {
      problems.push({ reason: "ServerUnreachable", message: silence(server) });
      continue;
    }
    const { says } = server;
    const ahead = formatGtids(ownTransactions(says, primary));
    const word = wordFor("discard", recorded.epoch, ordinal, ahead);
    if (ahead !== "" && wish.acceptLoss !== word) {
      const message = `server ${ordinal} has ${ahead}, which the primary lacks: save what you need of it, and set spec.acceptLoss to ${word} to have it replaced by a copy of the primary`;
      problems.push({ reason: "ReplicaAhead", message });
      continue;
    }
    if (ahead !== "" || !canFollow(says, primary)) {
      // One copy at a time, since users wait for what the primary reads.
      const isBusy = isSeeding || says.hasJustFailed || steps.some((step) => step.do === "seed");
      // A primary whose disk was full may not be able to send a copy until it is restarted.
      const other = servers.find(
        (each) => each !== server && answers(each) && isFollowing(each.says, source),
      );
      const donor = says.seedError && other ? other.ordinal : source;
      if (!isBusy) steps.push({ do: "seed", ordinal, donor });
      if (says.seedError) {
        const message = `server ${ordinal} can't copy another one: ${says.seedError}. If it still can't in some minutes, delete the pod of server ${donor}, which restarts it`;
        problems.push({ reason: "SeedFailed", message });
      }
    } else if (!isFollowing(says, source)) {
      steps.push({ do: "follow", ordinal, source });
    }
    if (says.source?.error !== undefined) {
      const message = `server ${ordinal}: ${says.source.error}. Deleting its claim and its pod has it copy the primary anew`;
      problems.push({ reason: "ReplicationError", message });
    }
  }
  const ahead = servers.filter(answers).map(({ says }) => ownTransactions(says, primary));
  const aside = union(subtract(recorded.aside, primary.executed), ...ahead);
  const next = { ...recorded, gtids: primary.executed, aside };
  if (!isSame(next.gtids, recorded.gtids) || !isSame(next.aside, recorded.aside)) {
    steps.push({ do: "record", recorded: next });
  }
  const isCalm = problems.length === 0 && steps.every((step) => step.do === "record");
  return {
    steps: [...steps, ...(isCalm && !isSeeding ? restarts(servers, source) : [])],
    problems,
  };
}

/** While all servers work, one at a time gets its new template: the primary last. */
function restarts(servers: readonly Server[], primary: number): Step[] {
  const outdated = servers.filter(({ isOutdated }) => isOutdated).toReversed();
  const next = outdated.find(({ ordinal }) => ordinal !== primary) ?? outdated[0];
  return next ? [{ do: "restart", ordinal: next.ordinal }] : [];
}

/**
 * Transactions that the primary lacks. Those of its own origin are on their way: a replica may receive one a moment before the
 * primary counts it.
 */
function ownTransactions(says: Says, primary: Says, aside: Gtids = noGtids): Gtids {
  const ahead = subtract(says.executed, primary.executed, aside);
  if (primary.access === "locked") return ahead;
  return new Map([...ahead].filter(([origin]) => origin !== primary.uuid));
}

/** Returns whether the primary can still send everything that the server lacks. One without data is seeded: a copy is faster. */
function canFollow({ executed }: Says, primary: Says): boolean {
  if (executed.size === 0) return primary.executed.size === 0;
  return includes(executed, primary.purged);
}

/** Returns whether a server replicates from another one. */
export function isFollowing({ source }: Says, ordinal: number): boolean {
  return source?.ordinal === ordinal && source.isReceiving && source.isApplying;
}

/** Returns whether the volume of a server is neither lost nor older than the last record. */
function hasWhatWasRecorded({ gtids, aside }: Recorded, { says }: Server): boolean {
  return says !== undefined && subtract(gtids, says.executed, aside).size === 0;
}

function isSame(one: Gtids, other: Gtids): boolean {
  return formatGtids(one) === formatGtids(other);
}

/** The word by which a user agrees to a loss. Another loss has another word. */
function wordFor(...facts: readonly (string | number)[]): string {
  return createHash("sha256").update(facts.join("|")).digest("hex").slice(0, 12);
}

/** A server by its ordinal; one that is not there doesn't answer. */
function find(servers: readonly Server[], ordinal: number): Server {
  return servers.find((one) => one.ordinal === ordinal) ?? { ordinal, trouble: "it has no pod" };
}

function answers(server: Server): server is Answering {
  return server.says !== undefined;
}

function silence({ ordinal, trouble }: Server): string {
  return `server ${ordinal} doesn't answer: ${trouble}`;
}

function todo(...steps: readonly Step[]): Decision {
  return { steps, problems: [] };
}

function refuse(reason: string, message: string): Decision {
  return { steps: [], problems: [{ reason, message }] };
}
