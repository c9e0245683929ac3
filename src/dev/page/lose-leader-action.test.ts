import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Lease } from "@tsbuilder/runtime/k8s/coordination/v1";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DevCluster } from "../cluster/dev-cluster.ts";
import { startEmbeddedCluster } from "../cluster/embedded-cluster.ts";
import { leaderAction, loseLeaderAction } from "./session-actions.ts";
import { operatorClient } from "./testdata/operator-client.ts";
import type { PageAction } from "./page-action.ts";

let folder: string;
let cluster: DevCluster;
let leader: PageAction;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lose leader "));
  cluster = await startEmbeddedCluster(
    folder,
    { projectName: "shop", port: undefined, persist: false },
    () => undefined,
  );
  leader = leaderAction(cluster.controls!);
});
afterEach(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

const lease = { namespace: "default", name: "shop" };

test("the operator's namespace is where it looks for its Lease, as that of a pod is", async () => {
  const kubeconfig = readFileSync(await cluster.actAs("manager"), "utf8");
  expect(JSON.parse(kubeconfig)).toMatchObject({ contexts: [{ context: { namespace: "shop-system" } }] });
});

test("another replica takes the Lease that the operator holds, which ends and is started again", async () => {
  const steps: string[] = [];
  const lose = loseLeaderAction({
    cluster: cluster.controls!,
    signal: new AbortController().signal,
    operator: {
      endsAfter: async (cause) => {
        await cause();
        steps.push("ended");
        return true;
      },
      restart: async () => void steps.push("start"),
    },
  });
  expect(await leader({})).toEqual({ lease: undefined, hasLed: false });
  await expect(lose({})).rejects.toMatchObject({
    message: "the operator holds no Lease",
    hint: expect.stringContaining("--leader-elect"),
  });
  expect(steps).toEqual([]);
  const operator = await operatorClient(cluster);
  await operator.create(Lease, { metadata: lease, spec: { holderIdentity: "me", leaseDurationSeconds: 15 } });
  expect(await leader({})).toEqual({ lease, hasLed: true });
  await lose({});
  expect(steps).toEqual(["ended", "start"]);
  expect((await operator.get(Lease, lease)).spec).toMatchObject({
    holderIdentity: "another-replica",
    leaseDurationSeconds: 5,
  });
  expect(await leader({})).toEqual({ lease: undefined, hasLed: true });
  await expect(lose({})).rejects.toMatchObject({
    message: "the operator holds no Lease at the moment",
    hint: "wait until it leads again",
  });
  await operator.close();
});

test("an operator that doesn't end without its Lease gets the chance to take it back", async () => {
  const operator = await operatorClient(cluster);
  await operator.create(Lease, { metadata: lease, spec: { holderIdentity: "me" } });
  const lose = loseLeaderAction({
    cluster: cluster.controls!,
    signal: new AbortController().signal,
    operator: {
      endsAfter: async (cause) => {
        await cause();
        return false;
      },
      restart: () => expect.unreachable(),
    },
    patience: 0,
  });
  await expect(lose({})).rejects.toMatchObject({ code: "REFUSED" });
  expect((await operator.get(Lease, lease)).spec?.holderIdentity).toBe("");
  await operator.close();
});

test("nobody waits for an operator's end once the session stops, and none is started again", async () => {
  const operator = await operatorClient(cluster);
  await operator.create(Lease, { metadata: lease, spec: { holderIdentity: "me" } });
  const ending = new AbortController();
  const lose = loseLeaderAction({
    cluster: cluster.controls!,
    signal: ending.signal,
    operator: {
      endsAfter: async (cause) => {
        await cause();
        ending.abort();
        return false;
      },
      restart: () => expect.unreachable(),
    },
  });
  await expect(lose({})).rejects.toMatchObject({ message: "tsbuilder dev is stopping" });
  expect((await operator.get(Lease, lease)).spec?.holderIdentity).toBe("another-replica");
  await operator.close();
});
