import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A project in Go, and those of its packages whose tests start a control plane with envtest. */
export interface SuiteProject {
  readonly module: string;
  readonly version: string;
  readonly packages: readonly string[];
  /** The packages' specs are Ginkgo's; else they are plain Go tests. */
  readonly isGinkgo: boolean;
  /** Makes the files that the project's Makefile makes before its tests. */
  readonly prepare?: (folder: string, kubectl: string) => void;
  /** The parts that are not run, and the reasons. */
  readonly leftOut: string;
}

/** The projects by name. They are pinned; their sources come from Go's module proxy. */
export const projects: Readonly<Record<string, SuiteProject>> = {
  "controller-runtime": {
    module: "sigs.k8s.io/controller-runtime",
    version: "v0.25.2",
    isGinkgo: true,
    packages: [
      "pkg/builder",
      "pkg/cache",
      "pkg/client",
      "pkg/cluster",
      "pkg/controller",
      "pkg/controller/controllerutil",
      "pkg/envtest",
      "pkg/handler",
      "pkg/internal/controller",
      "pkg/internal/recorder",
      "pkg/manager",
      "pkg/manager/internal/integration",
      "pkg/metrics/filters",
      "pkg/reconcile",
      "pkg/source",
      "pkg/webhook",
    ],
    leftOut: "pkg/client/apiutil downloads other releases of kube-apiserver",
  },
  "cluster-api": {
    module: "sigs.k8s.io/cluster-api",
    version: "v1.13.4",
    isGinkgo: false,
    packages: [
      "bootstrap/kubeadm/internal/controllers",
      "controllers/clustercache",
      "controllers/crdmigrator",
      "internal/controllers/clusterclass",
      "internal/controllers/clusterresourceset",
      "internal/controllers/extensionconfig",
      "internal/controllers/machinedeployment",
      "internal/controllers/machinehealthcheck",
      "internal/controllers/machineset",
      "internal/controllers/topology/cluster/structuredmerge",
      "internal/util/ssa",
      "internal/webhooks/test",
      "util/patch/test",
    ],
    leftOut: "nine further packages, for time",
  },
  kueue: {
    module: "sigs.k8s.io/kueue",
    version: "v0.17.0",
    isGinkgo: true,
    packages: [
      "test/integration/singlecluster/controller/core",
      "test/integration/singlecluster/controller/jobs/job",
      "test/integration/singlecluster/conversion",
      "test/integration/singlecluster/importer",
      "test/integration/singlecluster/webhook/core",
    ],
    prepare: buildKueueCrds,
    leftOut: "suites that need CRDs of other projects, several clusters, or more than ten minutes",
  },
  "cert-manager": {
    module: "github.com/cert-manager/cert-manager",
    // Later releases have these tests in a module of their own, which no proxy serves.
    version: "v1.11.5",
    isGinkgo: false,
    packages: [
      "test/integration/acme",
      "test/integration/certificaterequests",
      "test/integration/certificates",
      "test/integration/challenges",
      "test/integration/conversion",
      "test/integration/ctl",
      "test/integration/issuers",
      "test/integration/validation",
      "test/integration/webhook",
    ],
    prepare: fillInCertManagerCrds,
    leftOut: "later releases: their tests are in a module that no proxy serves",
  },
};

function buildKueueCrds(folder: string, kubectl: string): void {
  const crds = join(folder, "config/components/crd");
  mkdirSync(join(crds, "_output"), { recursive: true });
  const built = execFileSync(kubectl, ["kustomize", crds], { maxBuffer: 1e9 });
  writeFileSync(join(crds, "_output/crds-with-webhooks.yaml"), built);
}

/** The chart's labels are no part of what the tests look at. */
function fillInCertManagerCrds(folder: string): void {
  const to = join(folder, "_bin/yaml/templated-crds");
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(join(folder, "deploy/crds")).filter((each) => each.endsWith(".yaml"))) {
    const lines = readFileSync(join(folder, "deploy/crds", name), "utf8").split("\n");
    const text = lines.filter((line) => !line.includes("{{")).join("\n");
    writeFileSync(
      join(to, name.replace(".yaml", ".templated.yaml")),
      text.replace(/^ {2}labels:\n(?! {4}\S)/mu, ""),
    );
  }
}
