/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { expect, test } from "vitest";
import {
  decide,
  type Recorded,
  type Says,
  type Server,
  type Step,
  type Wish,
} from "./maria_decide.ts";
import { noGtids, parseGtids } from "./maria_gtids.ts";

test("the first primary is chosen when all servers have answered, and is the one with the data of others", () => {
  const empty = [server(0), server(1)];
  expect(decide({ size: 2 }, undefined, [server(0), silent(1)])).toMatchObject({
    steps: [],
    problems: [
      { reason: "Starting", message: expect.stringContaining("server 1: ImagePullBackOff") },
    ],
  });
  expect(records(decide({ size: 2 }, undefined, empty).steps)).toMatchObject({
    epoch: 1,
    primary: 0,
    pod: "pod-0",
  });
  const found = [server(0), server(1, { executed: set("b:1-3") })];
  expect(records(decide({ size: 2 }, undefined, found).steps)).toMatchObject({ primary: 1 });
  const restored = decide({ size: 2, isRestored: true }, undefined, empty);
  expect(restored.steps).toEqual([{ do: "seed", ordinal: 0, donor: "restore" }]);
});

test("only the recorded pod is unlocked, and whatever else is open is locked first", () => {
  expect(decide(two, recorded, [locked, follower(1)]).steps).toEqual(unlocks(0, recorded));
  const stray = [server(0, { access: "open" }), { ...follower(1), says: says({ access: "open" }) }];
  expect(decide(two, recorded, stray).steps).toEqual([{ do: "lock", ordinal: 1 }]);
  const seeding = server(1, { access: "other", isSeeding: true });
  expect(decide(two, recorded, [primary, seeding]).steps).toEqual([]);
  const restarted = [{ ...locked, pod: "pod-new" }, follower(1)];
  expect(records(decide(two, recorded, restarted).steps)).toMatchObject({
    epoch: 6,
    primary: 0,
    pod: "pod-new",
  });
});

test("replicas follow, are seeded when they can't, and are left alone when they have more", () => {
  const steps = (replica: Partial<Says>, wish: Wish = two) =>
    decide(wish, recorded, [primary, server(1, replica)]);
  expect(steps({ executed: set("a:1-7") }).steps).toEqual([
    { do: "follow", ordinal: 1, source: 0 },
  ]);
  expect(steps({}).steps).toEqual([{ do: "seed", ordinal: 1, donor: 0 }]);
  expect(steps({ seedError: "No space left" }).problems).toMatchObject([{ reason: "SeedFailed" }]);
  expect(steps({ seedError: "No space left", hasJustFailed: true }).steps).toEqual([]);
  const failed = server(1, { seedError: "No space left" });
  expect(decide({ size: 3 }, recorded, [primary, failed, follower(2)]).steps).toEqual([
    { do: "seed", ordinal: 1, donor: 2 },
  ]);
  expect(steps({ executed: set("a:1-2") }).steps).toEqual([{ do: "seed", ordinal: 1, donor: 0 }]);
  expect(steps({ executed: set("a:1-11") }).problems).toEqual([]);
  const ahead = steps({ executed: set("a:1-9,x:1-2") });
  expect(records(ahead.steps)).toMatchObject({ epoch: 5, aside: set("x:1-2") });
  expect(ahead.problems).toMatchObject([
    { reason: "ReplicaAhead", message: expect.stringContaining("x:1-2") },
  ]);
  const discarded = steps(
    { executed: set("a:1-9,x:1-2") },
    { ...two, acceptLoss: wordIn(ahead.problems) },
  );
  expect(discarded.steps).toContainEqual({ do: "seed", ordinal: 1, donor: 0 });
  const later = { ...two, acceptLoss: wordIn(ahead.problems) };
  const again = decide(later, { ...recorded, epoch: 9 }, [
    primary,
    server(1, { executed: set("a:1-9,x:1-2") }),
  ]);
  expect(again.problems).toMatchObject([{ reason: "ReplicaAhead" }]);
});

test("one server at a time becomes a copy, while others have to wait", () => {
  const seeds = (...replicas: Server[]) =>
    decide({ size: 3 }, recorded, [primary, ...replicas]).steps;
  const seed = { do: "seed", ordinal: 1, donor: 0 };
  expect(seeds(server(1), server(2))).toEqual([seed]);
  expect(seeds(server(1), server(2, { isSeeding: true }))).toEqual([]);
  expect(seeds(server(1, { isSeeding: true }), server(2))).toEqual([]);
});

test("a switchover locks, waits until the other has everything, records it, and unlocks it", () => {
  const wish = { size: 2, primary: 1 };
  const busy = server(0, { access: "open", executed: set("a:1-11") });
  expect(decide(wish, recorded, [busy, follower(1)]).steps).toEqual([{ do: "lock", ordinal: 0 }]);
  expect(decide(wish, recorded, [busy, follower(1, "a:1-9")])).toMatchObject({
    steps: [{ do: "record" }],
    problems: [{ reason: "SwitchoverRefused", message: expect.stringContaining("last look") }],
  });
  expect(decide(wish, recorded, [locked, follower(1, "a:1-9")]).steps).toEqual([
    { do: "lock", ordinal: 0 },
  ]);
  const next = records(decide(wish, recorded, [locked, follower(1)]).steps)!;
  expect(next).toMatchObject({ epoch: 6, primary: 1, pod: "pod-1" });
  expect(decide(wish, next, [locked, follower(1)]).steps).toEqual(unlocks(1, next));
});

test("a primary goes on, also after it was locked, if the other server can't take over", () => {
  const far = follower(1, "a:1-9");
  const broken = {
    ...far,
    says: { ...far.says!, source: { ...far.says!.source!, isApplying: false, error: "1062" } },
  };
  const decision = decide({ size: 2, primary: 1 }, recorded, [locked, broken]);
  expect(decision.steps).toEqual(unlocks(0, recorded));
  expect(decision.problems).toMatchObject([
    { reason: "SwitchoverRefused", message: expect.stringContaining("1062") },
  ]);
  const empty = decide({ size: 2, primary: 1 }, recorded, [primary, server(1)]);
  expect(empty.problems).toMatchObject([{ message: expect.stringContaining("about to") }]);
});

test("without the primary, another takes over by a word for exactly this loss, once the old pod is gone", () => {
  const wish = { size: 2, primary: 1 };
  const exists = decide(wish, recorded, [silent(0), follower(1)]);
  expect(exists).toMatchObject({
    steps: [],
    problems: [
      { message: expect.stringMatching(/: ImagePullBackOff\. .*Delete the pod, with --force/) },
    ],
  });
  const gone = { ...silent(0), pod: undefined };
  const asked = decide(wish, recorded, [gone, follower(1)]);
  expect(asked).toMatchObject({
    steps: [],
    problems: [{ message: expect.stringContaining("whatever else server 0 acknowledged") }],
  });
  const acceptLoss = wordIn(asked.problems);
  expect(
    records(decide({ ...wish, acceptLoss }, recorded, [gone, follower(1)]).steps),
  ).toMatchObject({ primary: 1 });
  expect(decide({ ...wish, acceptLoss }, recorded, [gone, follower(1, "a:1-9")]).steps).toEqual([]);
  expect(
    decide({ ...wish, acceptLoss }, { ...recorded, epoch: 9 }, [gone, follower(1)]).steps,
  ).toEqual([]);
});

test("a primary whose volume is lost or older stays locked, and the status names the server that has the data", () => {
  for (const executed of ["", "a:1-3"]) {
    const decision = decide(two, recorded, [
      { ...server(0, { executed: set(executed) }), pod: "pod-new" },
      follower(1),
    ]);
    expect(decision.steps).toEqual([]);
    expect(decision.problems).toMatchObject([
      { message: expect.stringContaining("let spec.primary be 1") },
    ]);
  }
  const older = server(0, { executed: set("a:1-3") });
  const [problem] = decide(two, recorded, [older, server(1)]).problems;
  // The primary took writes after the last record.
  expect(problem?.message).toContain("a:4-10 is lost, and whatever else server 0 acknowledged");
});

test("a new template reaches one server at a time, the primary last", () => {
  const old = { isOutdated: true };
  const restarted = (...servers: Server[]) => decide({ size: 3 }, recorded, servers).steps;
  expect(restarted({ ...primary, ...old }, { ...follower(1), ...old }, follower(2))).toEqual([
    { do: "restart", ordinal: 1 },
  ]);
  expect(restarted({ ...primary, ...old }, follower(1), follower(2))).toEqual([
    { do: "restart", ordinal: 0 },
  ]);
  expect(restarted({ ...primary, ...old }, follower(1), silent(2))).toEqual([]);
});

test("a silent server gets the newer template whatever else is wrong, the recorded pod only if it can't work", () => {
  const [old, broken] = [{ isOutdated: true }, { isOutdated: true, isBroken: true }];
  const restarted = (...servers: Server[]) =>
    decide(two, recorded, servers)
      .steps.filter((step) => step.do === "restart")
      .map(({ ordinal }) => ordinal);
  expect(restarted(primary, { ...silent(1), ...old })).toEqual([1]);
  expect(restarted(silent(0), { ...silent(1), ...old })).toEqual([1]);
  expect(restarted(silent(0), { ...silent(1), isBroken: true })).toEqual([]);
  expect(restarted(silent(0), { ...follower(1), ...broken })).toEqual([]);
  expect(restarted({ ...silent(0), ...old }, follower(1))).toEqual([]);
  expect(restarted({ ...silent(0), ...broken }, follower(1))).toEqual([0]);
  expect(restarted({ ...silent(0), ...old, pod: "pod-new" }, follower(1))).toEqual([0]);
});

const set = parseGtids;
const locked = server(0, { executed: set("a:1-10") });
const two: Wish = { size: 2 };
const recorded: Recorded = {
  epoch: 5,
  primary: 0,
  pod: "pod-0",
  gtids: set("a:1-10"),
  aside: noGtids,
};
const primary = server(0, { access: "open", executed: set("a:1-10"), purged: set("a:1-5") });

function says(more: Partial<Says>): Says {
  const uuid = "a";
  return {
    uuid,
    access: "locked",
    executed: noGtids,
    received: noGtids,
    purged: noGtids,
    isSeeding: false,
    ...more,
  };
}

function server(ordinal: number, more: Partial<Says> = {}): Server {
  return { ordinal, pod: `pod-${ordinal}`, says: says(more) };
}

function follower(ordinal: number, executed = "a:1-10"): Server {
  const source = { ordinal: 0, isReceiving: true, isApplying: true };
  return server(ordinal, { executed: set(executed), source });
}

function silent(ordinal: number): Server {
  return { ordinal, pod: `pod-${ordinal}`, trouble: "ImagePullBackOff" };
}

/** A server is unlocked once a new epoch is written. */
function unlocks(ordinal: number, former: Recorded): Step[] {
  const next = { ...former, epoch: former.epoch + 1 };
  return [
    { do: "record", recorded: next },
    { do: "unlock", ordinal },
  ];
}

function records(steps: readonly Step[]): Recorded | undefined {
  return steps.flatMap((step) => (step.do === "record" ? [step.recorded] : []))[0];
}

function wordIn(problems: readonly { message: string }[]): string {
  return /set spec.acceptLoss to (\w+)/.exec(problems.map(({ message }) => message).join())![1]!;
}
