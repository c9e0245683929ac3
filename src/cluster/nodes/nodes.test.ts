import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { createCA } from "@tsbuilder/apimachinery/certs";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { eventually } from "../../../e2e/support/eventually.ts";
import { volumesFolder } from "../kinds/core/persistent-volume/persistent-volume-controller.ts";
import { clusterObjects } from "../registry/cluster-objects.ts";
import { controllerNames } from "../controllers/index.ts";
import { type ClusterOptions, startCluster } from "../start-cluster.ts";
import type { NodeNetwork } from "./node-network.ts";
import { joinNodes, makeVolumes, pullProxy, readyMilliseconds } from "./nodes.ts";

// Failures, with programs that only seem to be those of nodes; e2e/oracle/real/node tests that nodes do run.

let folder: string;
const path = process.env["PATH"];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nodes-"));
  process.env["PATH"] = `${folder}:${path}`;
  for (const name of ["kubelet", "kube-proxy", "containerd"])
    writeProgram(name, `echo ${name} >> ${calls()}; while [ -e ${folder} ]; do sleep 0.1; done`);
  writeProgram("ctr", `echo ctr >> ${calls()}`);
});
afterEach(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true });
});

const calls = (): string => join(folder, "calls");

test("a program that a signal ends fails the start, and nothing is tried any more", async () => {
  writeProgram("containerd", "kill -9 $$");
  writeProgram("ctr", `echo ctr >> ${calls()}; exit 1`);
  await expect(joinNode()).rejects.toMatchObject({
    code: "ENODES",
    message: expect.stringContaining("containerd-node-1 ended with SIGKILL") as string,
  });
  const countTries = (): number =>
    existsSync(calls()) ? readFileSync(calls(), "utf8").split("ctr").length - 1 : 0;
  const before = countTries();
  // Longer than between two tries, of which one may have been under way.
  await delay(500);
  expect(countTries() - before).toBeLessThanOrEqual(1);
});

test("nodes that are never ready fail the start", async () => {
  const connectionClock = new FakeClock();
  const starting = joinNode({ connectionClock });
  starting.catch(() => undefined);
  await vi.waitFor(() => expect(readFileSync(calls(), "utf8")).toContain("kubelet"), 10_000);
  connectionClock.advanceSync(readyMilliseconds);
  await expect(starting).rejects.toMatchObject({
    code: "ENODES",
    message: "the nodes are not ready\nnode-1: its kubelet was not heard",
    hint: expect.stringContaining("firewall") as string,
  });
});

test("the folder of a volume is deleted on a node, where root may do it", async () => {
  const cluster = await startCluster({ controllers: controllerNames });
  try {
    const objects = clusterObjects(cluster.core);
    mkdirSync(join(folder, "volumes"));
    writeProgram("there", `echo "$@" >> ${calls()}; exec "$@"`);
    makeVolumes(objects, folder, { enter: ["there"] });
    const volume = await objects.create("tester", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "data" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: `${volumesFolder}/data` },
      },
    } as object as { apiVersion: string; kind: string; metadata: object });
    const own = join(folder, "volumes/data");
    expect(existsSync(own)).toBe(true);
    await objects.delete("tester", volume);
    await eventually(() => expect(existsSync(own)).toBe(false));
    expect(readFileSync(calls(), "utf8")).toBe(`rm -rf ${own}\n`);
  } finally {
    await cluster.stop();
  }
});

test.each(["::::", "127.0.0.1:443", "nobody.invalid:443"])("no image is pulled from %j", async (target) => {
  const proxy = pullProxy().listen(0, "127.0.0.1");
  try {
    await once(proxy, "listening");
    const client = connect((proxy.address() as AddressInfo).port, "127.0.0.1");
    client.write(`CONNECT ${target} HTTP/1.1\r\nHost: registry\r\n\r\n`);
    expect(await text(client)).toBe("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  } finally {
    proxy.close();
  }
});

/** Starts a cluster, and lets a node of the programs here join it. */
async function joinNode(options: ClusterOptions = {}): Promise<void> {
  const cluster = await startCluster(options);
  for (const name of ["logs", "volumes"]) mkdirSync(join(folder, name));
  const data = join(folder, "data");
  const place = { name: "node-1", index: 0, folder, data, images: data, plugins: "/plugins", group: "/" };
  const network: NodeNetwork = {
    address: "192.0.2.1",
    ports: { api: 6443, dns: 53 },
    api: createServer(),
    dns: createSocket("udp4"),
    dnsByTcp: createServer(),
    connect: () => Promise.reject(new Error("not connected")),
    close: () => undefined,
  };
  const nodes = [{ ...place, address: network.address, podRange: "10.245.0.0/24" }];
  const machines = [{ enter: ["env"], nodes }];
  const ground = { folder, machines, network, resolveOutside: async () => [], stop: async () => undefined };
  try {
    await joinNodes(ground, {
      ...cluster,
      accept: () => undefined,
      authority: createCA({ commonName: "kubernetes" }),
    });
  } finally {
    network.dns.close();
    await cluster.stop();
  }
}

function writeProgram(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}
