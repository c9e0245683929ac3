import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { loadObjects } from "@tsbuilder/cluster/testing";
import type { OperatorProgram, Scenario } from "@tsbuilder/simulation";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** The operator of Ledgers as a program, with a mistake or without one. */
function ledgerProgram(mistake: string): OperatorProgram {
  const kubeconfig = join(mkdtempSync(join(tmpdir(), "ledger-")), "kubeconfig");
  return {
    account: { namespace: "ledger-system", name: "ledger" },
    resource: "ledgers",
    webhookPaths: [],
    runsSideBySide: false,
    start: (server, onExit) => {
      writeFileSync(kubeconfig, JSON.stringify({ clusters: [{ cluster: { server } }] }));
      const child = spawn(process.execPath, [join(folder, "operator.mjs"), mistake], {
        env: { ...process.env, KUBECONFIG: kubeconfig },
        stdio: "ignore",
      });
      child.once("exit", (code) => onExit(`with code ${code}`));
      return Promise.resolve({
        signal: (signal) => void child.kill(signal),
        callWebhook: () => Promise.reject(new Error("there are no webhooks")),
      });
    },
  };
}

/** A Ledger with so many pages. */
export function ledger(pages: number): KubernetesObject {
  const metadata = { name: "winter", namespace: "default" };
  return {
    apiVersion: "books.example.com/v1",
    kind: "Ledger",
    metadata,
    spec: { pages },
  } as KubernetesObject;
}

/** A scenario of the operator of Ledgers, which the given objects don't contain. */
export async function ledgerScenario(mistake = ""): Promise<Scenario> {
  const all = (await loadObjects([join(folder, "install.yaml")])) as unknown as KubernetesObject[];
  const isDefinition = ({ kind }: KubernetesObject): boolean => kind === "CustomResourceDefinition";
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "ledger-system" } };
  return {
    crds: all.filter(isDefinition),
    objects: [namespace, ...all.filter((object) => !isDefinition(object) && object.kind !== "Deployment")],
    operators: [{ name: "ledger", setup: () => {}, program: ledgerProgram(mistake) }],
  };
}
