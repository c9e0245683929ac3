import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { downloadGoModule } from "../../support/go-module.ts";

/** Operators that publish their CRDs in a Go module, and the folders of the CRDs in it. */
const operators: readonly (readonly [module: string, folders: readonly string[]])[] = [
  ["github.com/cert-manager/cert-manager@v1.21.2", ["deploy/crds"]],
  ["github.com/external-secrets/external-secrets@v1.3.2", ["config/crds/bases"]],
  ["github.com/kedacore/keda/v2@v2.21.0", ["config/crd/bases"]],
  ["github.com/kyverno/kyverno@v1.19.1", ["config/crds/kyverno", "config/crds/policies.kyverno.io"]],
  ["github.com/prometheus-operator/prometheus-operator@v0.85.0", ["example/prometheus-operator-crd"]],
  ["istio.io/api@v1.31.1", ["kubernetes"]],
  [
    "sigs.k8s.io/cluster-api@v1.14.2",
    ["core/config/crd/bases", "controlplane/kubeadm/config/crd/bases", "bootstrap/kubeadm/config/crd/bases"],
  ],
  ["sigs.k8s.io/gateway-api@v1.3.0", ["config/crd/experimental"]],
];

/** A CRD as its operator publishes it. */
export interface PublishedCrd {
  readonly name: string;
  readonly text: string;
}

/** The CRDs of all operators; what cannot be downloaded is named, and left out. */
export function publishedCrds(): {
  readonly crds: readonly PublishedCrd[];
  readonly missing: readonly string[];
} {
  const missing: string[] = [];
  const crds = operators.flatMap(([module, folders]) => {
    try {
      const { Dir } = downloadGoModule(module);
      return folders.flatMap((folder) => readCrds(join(Dir, folder)));
    } catch (error) {
      missing.push(`${module}: ${(error as Error).message.split("\n")[0]}`);
      return [];
    }
  });
  return { crds, missing };
}

function readCrds(folder: string): PublishedCrd[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return files.sort().flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), "utf8")).flatMap((document) => {
      const { kind, metadata } = (document.toJS() ?? {}) as { kind?: string; metadata?: { name: string } };
      return kind === "CustomResourceDefinition" && metadata
        ? [{ name: metadata.name, text: document.toString() }]
        : [];
    }),
  );
}
