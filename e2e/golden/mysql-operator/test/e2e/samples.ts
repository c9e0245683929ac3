/*
 * Copyright The MySQL operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import { existsSync, readFileSync } from "node:fs";
import { run } from "./cluster.ts";

const folder = "config/samples";

export function hasSamples(): boolean {
  return existsSync(`${folder}/kustomization.yaml`);
}

/** Creates the samples, and returns each as `kind.group/name`. */
export function applySamples(): string[] {
  return run(`kubectl apply --kustomize ${folder} --output name`).trim().split("\n");
}

/** Their finalizers need the operator, so this comes before it is removed. */
export function deleteSamples(): void {
  if (hasSamples()) run(`kubectl delete --kustomize ${folder} --ignore-not-found`);
}

/** Those of kinds that have a controller, by PROJECT: nobody else makes a sample ready. */
export function reconciled(samples: readonly string[]): string[] {
  const kinds = readFileSync("PROJECT", "utf8")
    .split(/^- /m)
    .filter((resource) => /^ {2}controllers:/m.test(resource))
    .map((resource) => /^ {2}kind: (.*)$/m.exec(resource)?.[1]?.toLowerCase());
  return samples.filter((sample) => kinds.includes(sample.split(".")[0]));
}

/** Whether its controller says so; the condition of those that run servers is called Available. */
export function isReady(sample: string): boolean {
  const { status } = JSON.parse(run(`kubectl get ${sample} --output json`)) as Reconciled;
  return (status?.conditions ?? []).some(
    ({ type, status: holds }) => (type === "Ready" || type === "Available") && holds === "True",
  );
}

interface Reconciled {
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
}
