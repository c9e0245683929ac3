import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, type Watched } from "../../support/eventually.ts";
import { watchBoth, watchLog } from "../../support/watched-process.ts";
import { ownPort } from "../../support/own-port.ts";

/** A running etcd and kube-apiserver, and a kubeconfig of its administrator. */
export interface ControlPlane {
  readonly url: string;
  readonly token: string;
  readonly kubeconfig: string;
  /** The folder of the processes' data and logs; removed by `stop`. */
  readonly folder: string;
  /** The address of etcd, which serves clients without credentials. */
  readonly etcd: string;
  /** `url` is the address of the first. */
  readonly servers: readonly ApiServer[];
  stop(): Promise<void>;
}

/** One of the API servers in front of an etcd. */
export interface ApiServer {
  readonly url: string;
  /** Starts it again after `stop`, at the same address; resolves once it is ready. */
  start(): Promise<void>;
  /** Ends it; resolves once its process is gone. */
  stop(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

export interface ControlPlaneOptions {
  readonly controllerManager?: boolean;
  /** How many API servers there are; one unless set. */
  readonly servers?: number;
  /** Alpha features of kube-apiserver that are enabled. */
  readonly featureGates?: readonly string[];
  /** Further flags of kube-apiserver. */
  readonly flags?: readonly string[];
}

/** The limit of a start in milliseconds: test files await it while they are loaded, where no runner's limit applies. */
const startLimit = 300_000;

/** A server must not outlive a test run that is killed; where `setpriv` is missing it does. */
export const endingWithUs = existsSync("/usr/bin/setpriv") ? ["/usr/bin/setpriv", "--pdeathsig", "KILL"] : [];

/** The limit of one readiness check. */
const askLimit = 5000;

/** Starts a real control plane on free ports of the loopback interface, as envtest does. */
export async function startControlPlane(
  binaries: string,
  {
    controllerManager = false,
    servers: count = 1,
    featureGates = [],
    flags: more = [],
  }: ControlPlaneOptions = {},
): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), "control-plane-"));
  const [client, peer] = [await ownPort(), await ownPort()];
  const children: ChildProcess[] = [];
  const start = (name: string, args: string[], log = name): { child: ChildProcess; watched: Watched } => {
    const file = join(folder, `${log}.log`);
    const output = openSync(file, "a");
    const [program = "", ...words] = [...endingWithUs, join(binaries, name), ...args];
    const child = spawn(program, words, { cwd: folder, stdio: ["ignore", output, output] });
    closeSync(output);
    children.push(child);
    return { child, watched: watchLog(name, child, () => readFileSync(file, "utf8")) };
  };
  const stop = async (): Promise<void> => {
    await Promise.all(children.toReversed().map((child) => end(child)));
    rmSync(folder, { recursive: true, force: true });
  };

  writeFileSync(join(folder, "tokens.csv"), `${token},admin,admin,system:masters\n`);
  writeKeys(folder);
  const etcd = start("etcd", etcdFlags(client, peer));
  const gates = featureGates.map((gate) => `--feature-gates=${gate}=true`);
  const prepareServer = async (name: string): Promise<ApiServer> => {
    const port = await ownPort();
    const url = `https://127.0.0.1:${port}`;
    const isReady = async (): Promise<void> => expectReady(await askReady(`${url}/readyz`, token));
    let child: ChildProcess;
    return {
      url,
      async start() {
        const flags = [...apiserverFlags(client, port), `--cert-dir=certs-${name}`, ...gates, ...more];
        const server = start("kube-apiserver", flags, name);
        child = server.child;
        await eventually(isReady, watchBoth(etcd.watched, server.watched), startLimit);
      },
      stop: (signal) => end(child, signal),
    };
  };
  const names = Array.from({ length: count }, (_, i) => (i === 0 ? "kube-apiserver" : `kube-apiserver-${i}`));
  const servers = await Promise.all(names.map(prepareServer));
  const { url } = servers[0]!;
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, kubeconfigText(url, token));
  try {
    for (const server of servers) await server.start();
  } catch (error) {
    await stop();
    throw error;
  }
  if (controllerManager) start("kube-controller-manager", controllerManagerFlags(kubeconfig));
  return { url, token, kubeconfig, folder, etcd: `http://127.0.0.1:${client}`, servers, stop };
}

const token = "administrator";

function etcdFlags(client: number, peer: number): string[] {
  const at = (port: number): string => `http://127.0.0.1:${port}`;
  return [
    "--data-dir=etcd",
    `--listen-client-urls=${at(client)}`,
    `--advertise-client-urls=${at(client)}`,
    `--listen-peer-urls=${at(peer)}`,
    `--initial-advertise-peer-urls=${at(peer)}`,
    `--initial-cluster=default=${at(peer)}`,
    "--unsafe-no-fsync",
  ];
}

function apiserverFlags(etcd: number, secure: number): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    `--secure-port=${secure}`,
    "--bind-address=127.0.0.1",
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-account-key-file=service-account.pub",
    "--service-account-signing-key-file=service-account.key",
    "--service-cluster-ip-range=10.0.0.0/16",
    "--authorization-mode=RBAC",
    "--disable-admission-plugins=ServiceAccount",
    "--allow-privileged=true",
    "--token-auth-file=tokens.csv",
  ];
}

function controllerManagerFlags(kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    "--service-account-private-key-file=service-account.key",
    "--use-service-account-credentials=false",
    "--leader-elect=false",
    "--secure-port=0",
    // Its default of 20 requests a second would be shared by all tests that run at the same time.
    "--kube-api-qps=1000",
    "--kube-api-burst=2000",
  ];
}

function writeKeys(folder: string): void {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(folder, "service-account.key"), privateKey.export({ type: "pkcs1", format: "pem" }));
  writeFileSync(join(folder, "service-account.pub"), publicKey.export({ type: "spki", format: "pem" }));
}

function kubeconfigText(server: string, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "real", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "real", context: { cluster: "real", user: "admin" } }],
    "current-context": "real",
  });
}

/** Checks readiness once; a server that accepts connections but doesn't respond yet is checked again. */
function askReady(url: string, token: string): Promise<number | Error> {
  const { promise, resolve } = promiseOf<number | Error>();
  const signal = AbortSignal.timeout(askLimit);
  const headers = { authorization: `Bearer ${token}` };
  request(url, { rejectUnauthorized: false, headers, signal }, (response) => {
    response.resume();
    resolve(response.statusCode!);
  })
    .on("error", resolve)
    .end();
  return promise;
}

function expectReady(answer: number | Error): void {
  if (answer !== 200) throw new Error(`/readyz: ${answer instanceof Error ? answer.message : answer}`);
}

function promiseOf<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
  const { promise, resolve } = promiseOf<void>();
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const kill = setTimeout(() => child.kill("SIGKILL"), 10_000);
  child.once("exit", () => {
    clearTimeout(kill);
    resolve();
  });
  child.kill(signal);
  return promise;
}
