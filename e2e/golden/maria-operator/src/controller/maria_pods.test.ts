/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Client, Stored } from "@tsbuilder/runtime";
import type { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import type { Maria } from "../../api/v1/maria_types.ts";
import { backupProblems, podsOf } from "./maria_pods.ts";

test("the newest backup is told of if it failed, or can't begin, and no older one", () => {
  const failed = job("b", 2, "Failed");
  const why = { reason: "BackupFailed", message: "Job b: too many attempts" };
  expect(backupProblems([], [])).toEqual([]);
  expect(backupProblems([failed, job("a", 1, "Complete")], [])).toEqual([why]);
  expect(backupProblems([failed, job("c", 3, "Complete")], [])).toEqual([]);
  expect(backupProblems([failed, job("c", 3)], [])).toEqual([]);
  expect(backupProblems([job("c", 3)], [pendingPod("b")])).toEqual([]);
  expect(backupProblems([job("c", 3)], [pendingPod("c")])).toMatchObject([
    { message: "Job c: no node has room" },
  ]);
});

test("a primary whose labels somebody removed is not taken for a deleted one", async () => {
  const [labelled, bare] = ["db-1", "db-0"].map((name) => ({ metadata: { name } }));
  const client = { list: async () => [labelled], find: async () => bare } as unknown as Client;
  const found = async (primary?: number) => {
    const metadata = { name: "db", namespace: "default" };
    const pods = await podsOf(client, { metadata, status: { primary } } as Stored<Maria>, true);
    return pods.map((pod) => pod.metadata.name);
  };
  expect(await found()).toEqual(["db-1"]);
  expect(await found(1)).toEqual(["db-1"]);
  expect(await found(0)).toEqual(["db-1", "db-0"]);
});

function job(name: string, day: number, type?: string): Stored<Job> {
  const creationTimestamp = `2026-01-0${day}T00:00:00Z`;
  const condition = { status: "True", reason: "X", message: "too many attempts" } as const;
  const conditions = type === undefined ? [] : [{ type, ...condition }];
  return { metadata: { name, creationTimestamp }, status: { conditions } } as Stored<Job>;
}

function pendingPod(job: string): Stored<Pod> {
  const condition = { type: "PodScheduled", status: "False", message: "no node has room" };
  const metadata = { name: `${job}-pod`, labels: { "job-name": job } };
  return { metadata, status: { conditions: [condition] } } as unknown as Stored<Pod>;
}
