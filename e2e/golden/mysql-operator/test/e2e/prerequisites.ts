/*
 * Copyright The MySQL operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import { readFileSync } from "node:fs";
import { run } from "./cluster.ts";

interface Need {
  readonly crd: string;
  readonly manifest: string;
  readonly namespace: string;
}

/** What the deployment's features require in a cluster. */
const needs: Readonly<Record<string, Need>> = {
  "cert-manager": {
    crd: "certificates.cert-manager.io",
    manifest:
      "https://github.com/cert-manager/cert-manager/releases/download/v1.21.0/cert-manager.yaml",
    namespace: "cert-manager",
  },
  prometheus: {
    crd: "servicemonitors.monitoring.coreos.com",
    manifest:
      "https://github.com/prometheus-operator/prometheus-operator/releases/download/v0.89.0/bundle.yaml",
    namespace: "default",
  },
};

/** Returns whether PROJECT has a feature enabled. */
export function hasFeature(name: string): boolean {
  return (
    /^features:\n((?:- .*\n)*)/m
      .exec(readFileSync("PROJECT", "utf8"))?.[1]
      ?.includes(`- ${name}\n`) ?? false
  );
}

/** Installs what the features require, unless the cluster already has it. */
export function installPrerequisites(): void {
  for (const [feature, { crd, manifest, namespace }] of Object.entries(needs)) {
    if (!hasFeature(feature) || isInstalled(crd)) continue;
    run(`kubectl apply --server-side --filename ${manifest}`);
    run(
      `kubectl --namespace ${namespace} wait deployment --all --for=condition=Available --timeout=300s`,
    );
  }
}

function isInstalled(crd: string): boolean {
  return run(`kubectl get customresourcedefinition ${crd} --ignore-not-found --output name`) !== "";
}
