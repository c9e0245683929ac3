import { expect, onTestFinished, test } from "vitest";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { Gate } from "../../../e2e/support/runtime/connection-gate.ts";
import { createClient } from "../client/live-client.ts";
import { loadConfig } from "../config/load-config.ts";
import { createLogger } from "../log/logger.ts";
import { eventually } from "../testing/eventually.ts";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { LeaseElector } from "./lease-elector.ts";
import { electionTiming } from "./lease-options.ts";
import { Lease } from "../k8s/coordination/v1.ts";

test("a load balancer that resets all connections and lets new ones hang for a while costs no lease", async () => {
  const cluster = await startClusterUnderTest();
  onTestFinished(() => cluster.stop());
  const config = await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} });
  const direct = createClient(config);
  const gate = new Gate(Number(new URL(config.server).port));
  const clock = new FakeClock();
  const client = createClient({ ...config, server: `https://127.0.0.1:${await gate.open()}` }, { clock });
  const losses: Error[] = [];
  const elector = new LeaseElector({
    client,
    clock,
    name: "patient",
    namespace: async () => "default",
    identity: "me",
    timing: electionTiming({ id: "patient" }),
    releaseOnCancel: false,
    log: createLogger({ write() {} }),
    events: { normal() {}, warning() {} },
  });
  elector.onLost = (error) => void losses.push(error);
  onTestFinished(async () => {
    await elector.release();
    await Promise.all([client.close(), direct.close()]);
  });
  const renewTime = async () =>
    (await direct.get(Lease, { namespace: "default", name: "patient" })).spec?.renewTime;
  await elector.acquire(new AbortController().signal);
  const first = await renewTime();

  gate.hangs = true;
  await gate.reset();
  const before = gate.sockets.length;
  await clock.advance(2000);
  await gate.came(before + 1);
  for (let second = 1; second <= 3; second++) {
    await clock.advance(1000);
    await gate.came(before + 1 + second);
  }
  gate.hangs = false;
  await clock.advance(1000);
  await eventually(async () => (await renewTime()) !== first);
  expect(elector.isLeading).toBe(true);
  expect(losses).toEqual([]);
});
