/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { expect, test } from "vitest";
import type { Recorded, Says, Server } from "./maria_decide.ts";
import { drive, type Sessions } from "./maria_drive.ts";
import { noGtids, parseGtids } from "./maria_gtids.ts";

test("sessions of others end after the status is read, and an epoch is written before a server is unlocked", async () => {
  const { sessions, calls } = standIn();
  await drive(sessions, async (isLive) => {
    calls.push(isLive ? "read" : "read the cache");
    const record = async ({ epoch }: Recorded) => void calls.push(`record ${epoch}`);
    return { wish: { size: 1 }, recorded, record };
  });
  const glance = ["read the cache", "glance"];
  expect(calls).toEqual([...glance, "read", "look", "fence", "look", "record 2", "unlock"]);
});

test("nothing is unlocked if somebody else did it before his sessions were ended", async () => {
  const { sessions, calls } = standIn(({ server }) => ({ ...server, says: says("open") }));
  await drive(sessions, async () => declared);
  expect(calls).toEqual(["glance", "look", "fence", "look"]);
});

test.each(["pod", "former"])(
  "nothing is done after a record that fails, of pod %s",
  async (pod) => {
    const { sessions, calls } = standIn();
    const record = async () => Promise.reject(new Error("conflict"));
    const read = async () => ({ ...declared, recorded: { ...recorded, pod }, record });
    await expect(drive(sessions, read)).rejects.toThrow("conflict");
    expect(calls).toEqual(["glance", "look", "fence", "look"]);
  },
);

test("a step that fails keeps no other from being done, and is told with what was seen", async () => {
  const { sessions, calls } = standIn();
  const act = async () => Promise.reject(new Error("no answer"));
  const seen = await drive({ ...sessions, act }, async () => declared);
  expect(seen.servers).toHaveLength(1);
  expect(seen.decision.problems).toEqual([
    { reason: "StepFailed", message: "server 0: unlock: no answer" },
  ]);
  expect(calls).toEqual(["glance", "look", "fence", "look"]);
});

const recorded: Recorded = {
  epoch: 1,
  primary: 0,
  pod: "pod",
  gtids: parseGtids("a:1"),
  aside: noGtids,
};

const declared = { wish: { size: 1 }, recorded, record: async () => undefined };

function says(access: Says["access"]): Says {
  const executed = parseGtids("a:1");
  return { uuid: "a", access, executed, received: noGtids, purged: noGtids, isSeeding: false };
}

/** One locked server, which may change when the other sessions are ended. */
function standIn(afterFence: (was: { server: Server }) => Server = ({ server }) => server) {
  const calls: string[] = [];
  let server: Server = { ordinal: 0, pod: "pod", says: says("locked") };
  const sessions: Sessions = {
    async look(isLive) {
      calls.push(isLive ? "look" : "glance");
      return [server];
    },
    async fence() {
      calls.push("fence");
      server = afterFence({ server });
    },
    async act(step) {
      calls.push(step.do);
    },
  };
  return { sessions, calls };
}
