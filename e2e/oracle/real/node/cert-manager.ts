import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../../support/eventually.ts";
import { type GoPrograms, prepareGoPrograms } from "./go-programs.ts";
import { nodeService } from "./node-service.ts";
import type { RealNode } from "./start-node.ts";
import { whicheverEnds } from "./watch-all.ts";

const namespace = "cert-manager";
const webhook = "cert-manager-webhook";
const authority = `${webhook}-ca`;
const webhookPort = 10260;

/**
 * Builds cert-manager's programs, or says why that can't be done. It is the last minor release whose programs are part
 * of its module: since 1.12 they are modules that were never published.
 */
export function prepareCertManager(): GoPrograms | { readonly missing: string } {
  return prepareGoPrograms({
    module: "github.com/cert-manager/cert-manager",
    version: "v1.11.5",
    programs: ["cmd/controller", "cmd/cainjector", "cmd/webhook"],
  });
}

/** Starts it on a node, beside the kubelet; resolves when certificates can be asked for. `kubectl` works as administrator. */
export async function startCertManager(
  node: RealNode,
  { folder, sources }: GoPrograms,
  kubectl: (words: string) => Promise<string>,
): Promise<void> {
  const manifest = join(node.folder, "cert-manager.yaml");
  const crds = join(sources, "deploy/crds");
  const files = readdirSync(crds).filter((name) => name.endsWith(".yaml"));
  const definitions = files.map((name) => withoutTemplates(readFileSync(join(crds, name), "utf8")));
  const documents = [...definitions, ...objects().map((object) => JSON.stringify(object))];
  writeFileSync(manifest, documents.join("\n---\n"));
  await kubectl(`apply --server-side --filename ${manifest}`);
  const access = [`--kubeconfig=${node.insideKubeconfig}`];
  const leader = [...access, "--leader-elect=false"];
  const served = [
    `--secure-port=${webhookPort}`,
    `--dynamic-serving-ca-secret-namespace=${namespace}`,
    `--dynamic-serving-ca-secret-name=${authority}`,
    `--dynamic-serving-dns-names=${webhook}.${namespace}.svc`,
  ];
  const started = [
    node.start("cert-manager-controller", [join(folder, "controller"), ...leader]),
    node.start("cert-manager-cainjector", [join(folder, "cainjector"), ...leader]),
    node.start("cert-manager-webhook", [join(folder, "webhook"), ...access, ...served]),
  ];
  // A request that passes its webhooks: they run, and the API server trusts them.
  const issuer = join(node.folder, "issuer.json");
  writeFileSync(issuer, JSON.stringify(probe));
  await eventually(
    () => kubectl(`create --dry-run=server --filename ${issuer}`),
    whicheverEnds(started),
    300_000,
  );
}

/** A definition as the chart gives it, without the labels that name the release. */
function withoutTemplates(definition: string): string {
  return definition
    .split("\n")
    .filter((line) => !line.includes("{{"))
    .join("\n");
}

const probe = {
  apiVersion: "cert-manager.io/v1",
  kind: "Issuer",
  metadata: { namespace: "default", name: "probe" },
  spec: { selfSigned: {} },
};

/** Its webhooks: a Service for the program on the node, and configurations whose authority is for the CA injector. */
function objects(): object[] {
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...nodeService(namespace, webhook, webhookPort),
    configuration("Mutating", "/mutate"),
    configuration("Validating", "/validate"),
  ];
}

function configuration(kind: string, path: string): object {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: {
      name: webhook,
      annotations: { "cert-manager.io/inject-ca-from-secret": `${namespace}/${authority}` },
    },
    webhooks: [
      {
        name: "webhook.cert-manager.io",
        rules: [
          {
            apiGroups: ["cert-manager.io", "acme.cert-manager.io"],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE"],
            resources: ["*/*"],
          },
        ],
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Fail",
        clientConfig: { service: { namespace, name: webhook, path } },
      },
    ],
  };
}
