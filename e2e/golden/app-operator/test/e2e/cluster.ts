/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const project = "app-operator";
export const namespace = `${project}-system`;
export const image = `${project}:e2e`;

/** The kind cluster that `make setup-test-e2e` creates; the Makefile sets both variables. */
const clusterName = process.env.KIND_CLUSTER ?? `${project}-test-e2e`;

const kind = process.env.KIND ?? "kind";

/**
 * A kubeconfig of the test cluster only. Your own is never read: these tests delete objects, and your current context
 * may be production.
 */
const kubeconfig = join(mkdtempSync(join(tmpdir(), `${project}-e2e-`)), "kubeconfig");

/** Asks kind for the cluster's kubeconfig; fails if there is no such cluster. */
export function connect(): void {
  const text = run(`${kind} get kubeconfig --name ${clusterName}`);
  writeFileSync(kubeconfig, text, { mode: 0o600 });
}

/** Brings the operator's image into the cluster. */
export function loadImage(): void {
  run(`${kind} load docker-image ${image} --name ${clusterName}`);
}

/** Runs kubectl in the operator's namespace. Arguments with spaces go into `more`. */
export function kubectl(words: string, ...more: string[]): string {
  return run(`kubectl --namespace ${namespace} ${words}`, ...more);
}

/** Prints the output of kubectl and ignores its errors: a pod that never started has no log. */
export function show(words: string): void {
  try {
    process.stderr.write(kubectl(words));
  } catch {
    process.stderr.write(`(kubectl ${words} failed)\n`);
  }
}

/** Runs a command on the test cluster; prints its standard error, and returns its output. */
export function run(words: string, ...more: string[]): string {
  const [command = "", ...args] = words.split(" ");
  return execFileSync(command, [...args, ...more], {
    encoding: "utf8",
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ["ignore", "pipe", "inherit"],
  });
}
