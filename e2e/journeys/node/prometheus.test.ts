import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { registryHost } from "../../oracle/real/node/addresses.ts";
import { prepareCertManager, startCertManager } from "../../oracle/real/node/cert-manager.ts";
import { type NodeProject, prepareNodeProject } from "../../oracle/real/node/node-project.ts";
import { type Prometheus, preparePrometheus, startPrometheus } from "../../oracle/real/node/prometheus.ts";
import {
  type EndpointSlice,
  scrapeConfig,
  scrapeTargets,
  type ServiceMonitor,
} from "../../oracle/real/node/scrape-config.ts";
import { dashboardQueries } from "./dashboard-queries.ts";

// A real Prometheus does what the scaffolded ServiceMonitor says: it reads the metrics over TLS with a certificate of
// cert-manager, and with a token. The tests depend on each other.

const prepared = prepareNodeProject("Prometheus on a real node");
const certManager = prepareCertManager();
const monitoring = preparePrometheus();
const missing = [certManager, monitoring]
  .map((part) => ("missing" in part ? part.missing : undefined))
  .reduce((first, next) => first ?? next, prepared.missing);
if (missing !== prepared.missing) console.log(`left out: Prometheus on a real node: ${missing}`);
const image = `${registryHost}/team/shop-operator:v1`;
const namespace = "shop-operator-system";
let project: NodeProject;
let prometheus: Prometheus;
let monitor: ServiceMonitor | undefined;

beforeAll(async () => {
  if ("missing" in certManager || "missing" in monitoring || missing !== undefined) return;
  project = await prepared.start("shop-operator");
  const api = ["--group", "apps", "--version", "v1", "--kind", "Shop"];
  await project.create("init", "--domain", "example.com");
  await project.create("create", "api", ...api, "--make=false");
  await project.create(
    "edit",
    "--enable",
    "cert-manager",
    "--enable",
    "metrics-tls",
    "--enable",
    "prometheus",
  );
  await startCertManager(project.node, certManager, (words) => project.kubectl(words));
  await project.kubectl(`apply --server-side --filename ${monitoring.monitors}`);
  await project.tsbuilder("build", "--image", image, "--load", "kind");
  await project.tsbuilder("deploy", "--image", image, "--wait");
  await project.kubectl("create namespace monitoring");
  await project.kubectl("create serviceaccount prometheus --namespace monitoring");
  [monitor] = await list<ServiceMonitor>("servicemonitors");
  await writeTargets();
  const files = { targets: file("targets.json"), token: file("token"), ca: file("metrics-ca.crt") };
  writeFileSync(
    files.token,
    (await project.kubectl("create token prometheus --namespace monitoring")).trim(),
  );
  writeFileSync(files.ca, await readAuthority());
  prometheus = await startPrometheus(project.node, project.inside, scrapeConfig(monitor!, files));
});

afterAll(() => project?.node.stop());

test.skipIf(missing !== undefined)("who may not read the metrics is refused", async () => {
  await eventually(async () =>
    expect(await readTargets()).toEqual([{ health: "down", lastError: expect.stringContaining("403") }]),
  );
});

test.skipIf(missing !== undefined)("with the reader's role every pod is scraped", async () => {
  const role = "--clusterrole=shop-operator-metrics-reader --serviceaccount=monitoring:prometheus";
  await project.kubectl(`create clusterrolebinding prometheus ${role}`);
  await project.kubectl(
    `scale --namespace ${namespace} deployment/shop-operator-controller-manager --replicas 2`,
  );
  const up = { health: "up", lastError: "" };
  // A refusal is remembered for half a minute.
  await eventually(async () => {
    await writeTargets();
    expect(await readTargets()).toEqual([up, up]);
  });
});

test.skipIf(missing !== undefined)("the queries of dashboards are answered with numbers", async () => {
  await project.kubectl("apply --kustomize config/samples");
  let change = 0;
  for (const [title, query] of Object.entries(dashboardQueries("shop-operator", namespace)))
    await eventually(async () => {
      // There are no quantiles of a minute without work.
      const spec = JSON.stringify({ spec: { foo: `change ${change++}` } });
      await project.kubectl("patch shop shop-sample --type=merge --patch", spec);
      const { result } = (await prometheus.ask("/api/v1/query", { query })) as Answer;
      const numbers = result.map(({ value }) => Number(value[1]));
      expect(numbers, `${title}: ${query}`).not.toEqual([]);
      expect(numbers.filter(Number.isFinite), `${title}: ${query}`).not.toEqual([]);
    });
});

/** An answer of Prometheus, as far as it is read here. */
interface Answer {
  readonly result: readonly { readonly value: readonly [number, string] }[];
}

function file(name: string): string {
  return join(project.node.folder, name);
}

async function list<T>(kind: string): Promise<T[]> {
  const found = await project.kubectl(`get ${kind} --namespace ${namespace} --output=json`);
  return (JSON.parse(found) as { items: T[] }).items;
}

/** Prometheus follows the file. */
async function writeTargets(): Promise<void> {
  const targets = scrapeTargets(monitor!, await list<EndpointSlice>("endpointslices"));
  writeFileSync(file("targets.json"), JSON.stringify(targets));
}

/** The Secret that the ServiceMonitor refers to: the CA of the certificate for metrics. */
async function readAuthority(): Promise<Buffer> {
  const secret = `get secret metrics-server-cert --namespace ${namespace}`;
  return Buffer.from(await project.kubectl(`${secret} --output=jsonpath={.data.ca\\.crt}`), "base64");
}

/** The pods that it scrapes, and how that went last. */
async function readTargets(): Promise<object[]> {
  const { activeTargets } = (await prometheus.ask("/api/v1/targets")) as {
    activeTargets: readonly { readonly health: string; readonly lastError: string }[];
  };
  return activeTargets.map(({ health, lastError }) => ({ health, lastError }));
}
