import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Client } from "@tsbuilder/runtime";
import { ServiceAccount } from "@tsbuilder/runtime/k8s/core/v1";
import { parse } from "yaml";
import { applyConfig } from "../../../src/dev/config/apply-config.ts";
import { bundleOperator } from "../../../src/ship/bundle.ts";
import { eventually, type Watched } from "../eventually.ts";
import { watchProcess } from "../watched-process.ts";
import { ownPort } from "../own-port.ts";

/** Where a project's operator is installed and what it runs against. */
export interface OperatorPlace {
  readonly client: Client;
  /** An administrator's kubeconfig file. */
  readonly kubeconfig: string;
  /** Where the bundle and the operator's own kubeconfig are written. */
  readonly folder: string;
  /** The project's root. */
  readonly project: string;
  /** Installs CRDs and permissions; default: those of `config/`. */
  readonly install?: (client: Client) => Promise<void>;
  /** The ServiceAccount's namespace and name. */
  readonly account?: { readonly namespace: string; readonly name: string };
}

/** An installed operator, which can be started any number of times. */
export interface InstalledOperator {
  start(options?: StartOptions): Promise<RunningOperator>;
}

/** How an operator is started. */
export interface StartOptions {
  /** The URL of the API server, if not that of the kubeconfig. */
  readonly server?: string | undefined;
  readonly flags?: readonly string[];
}

/** A line of the operator's log. */
export interface LogLine {
  readonly level?: string;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

/** An operator that runs as a separate process. */
export interface RunningOperator {
  /** Its log so far. */
  readonly lines: readonly LogLine[];
  readonly isRunning: boolean;
  /** For waits on the operator; undefined if it runs in the test's process. */
  readonly watch: Watched | undefined;
  /** The ID of its process. */
  readonly pid: number;
  /** Log lines about requests that the server denied for missing permissions. */
  refused(): string[];
  /** The sum of a metric over all label sets that contain the given text. */
  metric(name: string, labels?: string): Promise<number>;
  /** Ends it with SIGTERM, as a kubelet does, and returns its exit code. */
  stop(): Promise<number | null>;
  /** Kills it. */
  kill(): Promise<void>;
}

const operatorAccount = { namespace: "operator-system", name: "controller-manager" };

/** Bundles and installs an operator: CRDs, ServiceAccount, and exactly the generated permissions. */
export async function installOperator(place: OperatorPlace): Promise<InstalledOperator> {
  const { kubeconfig, folder, project } = place;
  const bundle = join(folder, `${basename(project)}.mjs`);
  await bundleOperator(project, bundle, { conditions: ["@tsbuilder/source"] });
  const token = await installPermissions(place);
  return {
    async start({ server, flags = [] } = {}) {
      const config = join(folder, `${basename(project)}.kubeconfig`);
      writeFileSync(config, operatorConfig(kubeconfig, token, server));
      const port = await ownPort();
      const args = [
        "--health-probe-bind-address=0",
        "--enable-webhooks=false",
        `--metrics-bind-address=127.0.0.1:${port}`,
        "--metrics-secure=false",
        ...flags,
      ];
      const child = spawn(process.execPath, [bundle, ...args], {
        env: { PATH: process.env["PATH"]!, KUBECONFIG: config },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const operator = runningOperator(child, `http://127.0.0.1:${port}/metrics`);
      await eventually(() => expectWorkers(operator), operator.watch);
      return operator;
    },
  };
}

/** Installs CRDs, the ServiceAccount and its permissions, and returns its token. */
export async function installPermissions(place: OperatorPlace): Promise<string> {
  const { client, project, account = operatorAccount } = place;
  const {
    install = (to) => applyConfig(project, to, { namespace: account.namespace, webhooks: undefined }),
  } = place;
  await install(client);
  return requestToken(client, account);
}

/** Controllers work once their caches are synced and, with leader election, the lease is held. */
function expectWorkers({ lines }: RunningOperator): void {
  if (!lines.some(({ msg }) => msg === "Starting workers")) throw new Error("no controller works yet");
}

function runningOperator(child: ChildProcess, metricsUrl: string): RunningOperator {
  const lines: LogLine[] = [];
  const { watch, stop } = watchProcess("the operator", child, (line) => lines.push(readLine(line)));
  return {
    lines,
    watch,
    pid: child.pid!,
    get isRunning() {
      return child.exitCode === null && child.signalCode === null;
    },
    refused: () => refusedIn(lines),
    metric: (name, labels) => metricOf(metricsUrl, name, labels),
    stop: () => stop("SIGTERM"),
    kill: async () => void (await stop("SIGKILL")),
  };
}

/** Log lines about requests that the server denied for missing permissions. */
export function refusedIn(lines: readonly LogLine[]): string[] {
  return lines.map((line) => JSON.stringify(line)).filter((line) => line.includes("is forbidden"));
}

/** The sum of a metric over all label sets that contain the given text. */
export async function metricOf(url: string, name: string, labels = ""): Promise<number> {
  const text = await (await fetch(url)).text();
  const samples = text.split("\n").filter((line) => /^\w+/.exec(line)?.[0] === name && line.includes(labels));
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

function readLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { msg: line };
  }
}

async function requestToken(
  client: Client,
  account: { readonly namespace: string; readonly name: string },
): Promise<string> {
  // Longer than any scenario on any clock.
  const spec = { audiences: [], expirationSeconds: 30 * 24 * 3600 };
  const { status } = await client.subresource(ServiceAccount, account, "token").create({ spec });
  return status!.token!;
}

/** The administrator's kubeconfig with the ServiceAccount's token as its credentials. */
export function operatorConfig(kubeconfig: string, token: string, server: string | undefined): string {
  const config = parse(readFileSync(kubeconfig, "utf8")) as {
    users: { user: object }[];
    clusters: { cluster: object }[];
  };
  config.users[0]!.user = { token };
  if (server !== undefined) config.clusters[0]!.cluster = { server };
  return JSON.stringify(config);
}
