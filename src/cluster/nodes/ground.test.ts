import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startCluster } from "../start-cluster.ts";
import { FakeClock } from "@tsbuilder/apimachinery/time";

// Errors that users read where nodes can't run. e2e/oracle/real/node tests that nodes do run.

let folder: string;
const path = process.env["PATH"];
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "ground-"))));
afterEach(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true });
});

const isRoot = process.platform === "linux" && process.getuid!() === 0;

test("missing programs are named, with where they come from", async ({ skip }) => {
  skip(!isRoot, "this needs Linux and root");
  process.env["PATH"] = folder;
  await expect(startCluster({ nodes: { programs: folder } })).rejects.toMatchObject({
    message: expect.stringContaining("kubelet, kube-proxy") as string,
    hint: expect.stringContaining(`kubelet and kube-proxy from https://dl.k8s.io/release/`) as string,
  });
});

test("without an engine, each is named with why it does not work", async () => {
  process.env["PATH"] = folder;
  writeProgram("podman", "echo 'the daemon is asleep' >&2; exit 1");
  await expect(startCluster({ nodes: { image: "node:1" } })).rejects.toMatchObject({
    message:
      "no container engine responds, and nodes are containers\ndocker: not on the PATH\npodman: the daemon is asleep",
    hint: expect.stringContaining("--node-programs DIR") as string,
  });
});

test("an image that can't be pulled, and one that is not for nodes, are named", async () => {
  process.env["PATH"] = `${folder}:${path}`;
  writeProgram("docker", `case $1 in info) ;; *) echo "no such registry" >&2; exit 1 ;; esac`);
  await expect(startCluster({ nodes: { image: "node:1" } })).rejects.toMatchObject({
    message: "there is no image node:1 for nodes, and docker can't pull it: no such registry",
  });
  writeProgram("docker", `[ "$1" != run ] || { echo "bash: not found" >&2; exit 127; }`);
  await expect(startCluster({ nodes: { image: "node:1" } })).rejects.toMatchObject({
    message: "the container of node-1 does not start:\nbash: not found",
    hint: expect.stringContaining("node:1 needs bash") as string,
  });
});

test.each([{ count: 0 }, { count: -1 }, { count: 1.5 }])("$count nodes are refused", async (nodes) => {
  await expect(startCluster({ nodes })).rejects.toThrow(`a cluster can't have ${nodes.count} real nodes`);
});

test("empty variables name neither programs nor an image", async () => {
  vi.stubEnv("TSBUILDER_NODE_PROGRAMS", "");
  vi.stubEnv("TSBUILDER_NODE_IMAGE", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  process.env["PATH"] = `${folder}:${path}`;
  writeProgram("docker", `case $1 in info) ;; *) echo "no such registry" >&2; exit 1 ;; esac`);
  await expect(startCluster({ nodes: 1 })).rejects.toThrow("there is no image docker.io/kindest/node:v");
});

test("a cluster with nodes has the real time", async () => {
  await expect(startCluster({ nodes: 1, clock: new FakeClock() })).rejects.toThrow("the real time");
});

function writeProgram(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}
