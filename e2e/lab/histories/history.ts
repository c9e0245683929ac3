import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isObject } from "@tsbuilder/apimachinery/json";
import { defaultNames } from "@tsbuilder/apimachinery/crd";
import { decodeCrd } from "../../../src/generators/types/read-crds.ts";
import type { ComparedCrd } from "../../../src/lifecycle/compare-crds.ts";
import { readYaml } from "../../../src/shared/read-yaml.ts";
import { downloadGoModule } from "../../support/go-module.ts";

/** A Go module that publishes CRDs: the folders in which they stood over time, and the versions that are compared. */
export interface History {
  readonly module: string;
  readonly folders: readonly string[];
  readonly versions: readonly string[];
}

/** The first releases of minor versions, in their order: those that the module proxy has. */
function minors(major: number, first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, at) => `v${major}.${first + at}.0`);
}

export const histories: readonly History[] = [
  { module: "github.com/argoproj/argo-rollouts", folders: ["manifests/crds"], versions: minors(1, 4, 8) },
  { module: "github.com/cert-manager/cert-manager", folders: ["deploy/crds"], versions: minors(1, 13, 18) },
  { module: "github.com/crossplane/crossplane", folders: ["cluster/crds"], versions: minors(1, 14, 19) },
  {
    module: "github.com/external-secrets/external-secrets",
    folders: ["config/crds/bases"],
    versions: ["v0.9.0", "v0.10.0", "v0.16.2", "v1.3.2"],
  },
  {
    module: "github.com/fluxcd/kustomize-controller",
    folders: ["config/crd/bases"],
    versions: ["v1.6.0", "v1.7.3", "v1.9.0"],
  },
  {
    module: "github.com/fluxcd/source-controller",
    folders: ["config/crd/bases"],
    versions: ["v1.3.0", "v1.7.0", "v1.8.5", "v1.9.4"],
  },
  {
    module: "github.com/grafana/grafana-operator/v5",
    folders: ["config/crd/bases"],
    versions: ["v5.13.0", "v5.16.0", "v5.18.0"],
  },
  {
    module: "github.com/kedacore/keda/v2",
    folders: ["config/crd/bases"],
    versions: [...minors(2, 12, 14), ...minors(2, 16, 17)],
  },
  { module: "github.com/kyverno/kyverno", folders: ["config/crds"], versions: minors(1, 10, 12) },
  {
    module: "github.com/projectcontour/contour",
    folders: ["examples/contour"],
    versions: ["v1.25.0", "v1.27.0"],
  },
  {
    module: "github.com/prometheus-operator/prometheus-operator",
    folders: ["example/prometheus-operator-crd"],
    versions: minors(0, 75, 76),
  },
  {
    module: "github.com/rabbitmq/cluster-operator/v2",
    folders: ["config/crd/bases"],
    versions: ["v2.7.0", ...minors(2, 9, 11)],
  },
  { module: "istio.io/api", folders: ["kubernetes"], versions: minors(1, 20, 25) },
  {
    module: "sigs.k8s.io/cluster-api",
    folders: [
      "config/crd/bases",
      "controlplane/kubeadm/config/crd/bases",
      "bootstrap/kubeadm/config/crd/bases",
    ],
    versions: minors(1, 5, 10),
  },
  {
    module: "sigs.k8s.io/gateway-api",
    folders: ["config/crd/experimental"],
    versions: ["v0.7.0", "v0.8.0", "v1.0.0", "v1.1.0", "v1.2.0", "v1.3.0"],
  },
  { module: "sigs.k8s.io/jobset", folders: ["config/components/crd/bases"], versions: minors(0, 4, 8) },
  {
    module: "sigs.k8s.io/karpenter",
    folders: ["pkg/apis/crds"],
    versions: ["v0.36.0", "v0.37.0", "v1.0.0", "v1.1.0", "v1.2.0"],
  },
  { module: "sigs.k8s.io/kueue", folders: ["config/components/crd/bases"], versions: minors(0, 6, 10) },
  { module: "sigs.k8s.io/lws", folders: ["config/crd/bases"], versions: minors(0, 3, 6) },
];

export const cache = join(homedir(), ".cache/tsbuilder/histories");

/** Returns the CRDs of a version. The module is downloaded once; only its CRDs are kept. */
export async function crdsOf({ module, folders }: History, version: string): Promise<ComparedCrd[]> {
  const file = join(cache, `${module.replaceAll("/", "+")}@${version}.json`);
  mkdirSync(cache, { recursive: true });
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(await download(module, version, folders)));
  return JSON.parse(readFileSync(file, "utf8")) as ComparedCrd[];
}

async function download(module: string, version: string, folders: readonly string[]): Promise<ComparedCrd[]> {
  const modules = mkdtempSync(join(cache, "download-"));
  try {
    const { Dir } = downloadGoModule(`${module}@${version}`, { cache: modules });
    const files = folders
      .filter((folder) => existsSync(join(Dir, folder)))
      .flatMap((folder) => yamlFiles(join(Dir, folder)));
    const crds: ComparedCrd[] = [];
    for (const path of files) {
      // Some stand in a chart: lines of templates are left out.
      const text = readFileSync(path, "utf8")
        .replaceAll(/^\s*\{\{.*\}\}\s*$/gmu, "")
        .replaceAll(/\{\{.*?\}\}/gu, "x");
      if (!/^kind: CustomResourceDefinition$/mu.test(text)) continue;
      for (const value of readYaml(path, text)) {
        if (
          !isObject(value) ||
          value["kind"] !== "CustomResourceDefinition" ||
          value["apiVersion"] !== "apiextensions.k8s.io/v1"
        )
          continue;
        const crd = (await decodeCrd(value)) as unknown as ComparedCrd;
        defaultNames(crd.spec);
        crds.push(crd);
      }
    }
    return crds;
  } finally {
    rmSync(modules, { recursive: true, force: true });
  }
}

function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .map((name) => join(folder, name));
}
