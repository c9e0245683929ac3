import { execFile, execFileSync, spawnSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { findPrograms, kubectlReleases } from "../../support/kubectl-binaries.ts";
import { repository } from "../../support/source-imports.ts";
import { nodeNames } from "../../oracle/real/node/addresses.ts";
import { importImages, proxyWords } from "../../../src/cluster/nodes/nodes.ts";
import { boxImage, writeBoxImage } from "../../oracle/real/node/box-image.ts";
import { controlPlaneFlags } from "../../oracle/real/node/control-plane-flags.ts";
import { writeCredentials } from "../../oracle/real/node/credentials.ts";
import { prepareNode } from "../../oracle/real/node/node-programs.ts";
import { type Program, startSandbox } from "../../oracle/real/node/sandbox.ts";
import { inFolder, startKubelet } from "../../oracle/real/node/start-kubelet.ts";
import { startControllers } from "../../oracle/real/node/start-parts.ts";

// `npm run lab -- soak-nodes [--minutes 60] [--kills 5] [--deaths 10] [--real]`: two nodes with some thirty pods that come and go, beside
// a control plane that is killed and started again every five minutes, and a node that dies every ten. It fails if a pod is lost, says
// how soon the death of a node is noticed, and prints which errors kubelets, containerd and kube-proxy logged, by their texts. With
// --real the control plane is Kubernetes' own, for comparison.

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    /** Minutes from one kill of the control plane to the next, and from one death of a node. */
    kills: { type: "string", default: "5" },
    deaths: { type: "string", default: "10" },
    real: { type: "boolean", default: false },
  },
});
const end = Date.now() + Number(values.minutes) * 60_000;
const killInterval = Number(values.kills) * 60_000;
const deathInterval = Number(values.deaths) * 60_000;
const programs = prepareNode(values.real ? "real" : "embedded");
const clients = findPrograms(kubectlReleases.at(-1)!);
if ("missing" in programs) throw new Error(programs.missing);
if ("missing" in clients) throw new Error(clients.missing);

const sandbox = await startSandbox(nodeNames);
const { folder, start, enter, group } = sandbox;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void sandbox.stop().then(() => process.exit(1)));
const problems: string[] = [];
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "stay", namespace: "default" },
  spec: { selector: { app: "stay" }, ports: [{ port: 8080 }] },
};
try {
  const writeKubeconfig = writeCredentials(folder);
  const admin = writeKubeconfig("admin");
  /** Runs kubectl; while the API server is away or the machine is too busy to connect, again. */
  const kubectl = async (...words: string[]): Promise<string> => {
    const [program = "", ...rest] = [...enter, clients.kubectl, "--kubeconfig", admin, ...words];
    for (const last = Date.now() + 60_000; ; await delay(1000))
      try {
        return (await promisify(execFile)(program, rest, { maxBuffer: 2 ** 26 })).stdout;
      } catch (error) {
        const isAway = /refused|handshake timeout|Unable to connect|i\/o timeout/u.test(
          (error as Error).message,
        );
        if (!isAway || Date.now() > last) throw error;
      }
  };
  const read = async (...words: string[]): Promise<{ readonly items: readonly Item[] }> =>
    JSON.parse(await kubectl("get", ...words, "--output=json")) as { items: Item[] };
  const apply = async (object: object): Promise<void> => {
    const file = join(folder, "applied.json");
    writeFileSync(file, JSON.stringify(object));
    await kubectl("apply", "--filename", file);
  };

  const flags = controlPlaneFlags(folder);
  const source = [
    "--conditions=@tsbuilder/source",
    "--import",
    join(repository, "node_modules/tsx/dist/loader.mjs"),
  ];
  const startControlPlane = (): Program =>
    programs.controlPlane === "embedded"
      ? start("control-plane", [
          process.execPath,
          ...source,
          join(import.meta.dirname, "persistent-control-plane.ts"),
          folder,
        ])
      : start("control-plane", [join(programs.controlPlane, "kube-apiserver"), ...flags.apiserver]);
  if (values.real) start("etcd", [join(programs.controlPlane, "etcd"), ...flags.etcd]);
  startControlPlane();
  await until("the API server serves", async () => (await kubectl("get", "--raw", "/readyz")) === "ok", 120);
  if (values.real) startControllers(sandbox, programs, writeKubeconfig);
  const startProxy = (): void => {
    start(
      "kube-proxy",
      inFolder(programs.node, proxyWords(nodeNames[0], writeKubeconfig("system:kube-proxy"))),
    );
  };
  const box = join(folder, "box.tar");
  writeBoxImage(box);
  const startOne = async (name: (typeof nodeNames)[number]): Promise<void> => {
    await startKubelet(sandbox, programs, writeKubeconfig, name);
    await importImages(sandbox, { data: join(folder, name) }, box);
  };
  await Promise.all(nodeNames.map(startOne));
  if (!values.real) startProxy();
  const isReady = async (name: string): Promise<boolean> =>
    conditionOf(
      (await read("nodes")).items.find((node) => node.metadata.name === name),
      "Ready",
    ) === "True";
  for (const name of nodeNames) await until(`${name} is ready`, () => isReady(name), 180);
  await until(
    "there is a ServiceAccount",
    async () => (await kubectl("get", "serviceaccount", "default")) !== "",
    60,
  );
  await apply({
    apiVersion: "v1",
    kind: "List",
    items: [deployment("stay", 12), deployment("churn", 6), service],
  });
  const address = await kubectl("get", "service", "stay", "--output=jsonpath={.spec.clusterIP}");

  let pods = 0;
  let [kills, deaths, jobs, rounds] = [0, 0, 0, 0];
  let [nextKill, nextDeath] = [Date.now() + killInterval, Date.now() + 0.8 * deathInterval];
  const available = async (name: string): Promise<boolean> => {
    const { spec, status } = JSON.parse(await kubectl("get", "deployment", name, "--output=json")) as Item;
    return status?.availableReplicas === spec?.replicas && status?.replicas === spec?.replicas;
  };
  const settle = async (): Promise<void> => {
    for (const name of ["stay", "churn"])
      await until(`all pods of ${name} are available`, () => available(name), 240);
    const isServed = await until(
      "the Service responds",
      async () => (await ask(address)).startsWith("stay-"),
      60,
    );
    if (!isServed) console.log(await describeService());
  };
  const ask = (host: string): Promise<string> =>
    inside("curl", "--silent", "--show-error", "--max-time", "5", `http://${host}:8080/`);
  /** Describes the pods, endpoints and rules of the Service, for when it doesn't respond. */
  const describeService = async (): Promise<string> => {
    const pods = await kubectl("get", "pods", "--selector=app=stay", "--output=wide");
    const slices = await kubectl("get", "endpointslices", "--output=yaml");
    const rules = (await inside("iptables-save")).split("\n").filter((line) => line.includes("default/stay"));
    const asked = (await read("pods", "--selector=app=stay")).items.map(async ({ metadata, status }) => {
      const answer = ask(status?.podIP ?? "").catch((error: Error) => error.message.split("\n").at(-2));
      return `${metadata.name} ${status?.podIP}: ${await answer}`;
    });
    return [pods, slices, ...rules, ...(await Promise.all(asked))].join("\n");
  };
  const inside = async (...words: string[]): Promise<string> => {
    const [program = "", ...rest] = [...enter, ...words];
    return (await promisify(execFile)(program, rest)).stdout;
  };
  await settle();
  while (Date.now() < end) {
    rounds++;
    await kubectl("scale", "deployment/churn", `--replicas=${4 + (rounds % 3) * 5}`);
    const job = `job-${rounds}`;
    await apply(newJob(job));
    jobs += 4;
    const running = (await read("pods", "--selector=app=stay")).items.filter(
      ({ metadata }) => !metadata.deletionTimestamp,
    );
    const victim = running[rounds % running.length];
    if (victim) await kubectl("delete", "pod", victim.metadata.name, "--wait=false", "--ignore-not-found");
    pods += 5;
    if (Date.now() > nextKill) {
      nextKill = Date.now() + killInterval;
      kills++;
      await killControlPlane();
    }
    if (Date.now() > nextDeath) {
      nextDeath = Date.now() + deathInterval;
      deaths++;
      await dieAndReturn(nodeNames[1]);
    }
    await until(
      `${job} is complete`,
      async () => {
        const { status } = JSON.parse(await kubectl("get", "job", job, "--output=json")) as Item;
        return status?.succeeded === 4 && status.failed === undefined;
      },
      300,
    );
    await kubectl("delete", "job", job, "--wait=false");
    await settle();
    console.log(
      `${new Date().toISOString()} round ${rounds}: ${(await read("pods")).items.length} pods, ${kills} restarts, ${deaths} dead nodes, ${problems.length} problems`,
    );
  }
  await checkContainers();
  console.log(
    `${rounds} rounds, ${jobs} pods of Jobs, ${pods} others replaced, ${kills} control planes killed, ${deaths} nodes killed`,
  );

  /** Kills the API server, and with the embedded one its controllers. Pods that nobody touched go on in the same containers. */
  async function killControlPlane(): Promise<void> {
    const before = await containersOf("stay");
    for (const pid of pidsOf(values.real ? "kube-apiserver" : "persistent-control-plane.ts"))
      process.kill(pid, "SIGKILL");
    await delay(3000);
    startControlPlane();
    await until(
      "the API server serves again",
      async () => (await kubectl("get", "--raw", "/readyz")) === "ok",
      120,
    );
    await delay(15_000);
    const after = await containersOf("stay");
    const moved = [...before].filter(([name, id]) => after.has(name) && after.get(name) !== id);
    if (moved.length > 0)
      problems.push(`containers that a restart of the control plane replaced: ${moved.join()}`);
    if (![...before.keys()].some((name) => after.has(name)))
      problems.push("no pod survived the control plane");
  }

  async function containersOf(app: string): Promise<Map<string, string>> {
    const { items } = await read("pods", `--selector=app=${app}`);
    return new Map(
      items
        .filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === "Running")
        .map(({ metadata, status }) => [metadata.name, status?.containerStatuses?.[0]?.containerID ?? ""]),
    );
  }

  /** Kills a node with all its containers; once its pods run elsewhere, it comes back. */
  async function dieAndReturn(name: (typeof nodeNames)[number]): Promise<void> {
    const own = join(folder, name);
    for (const pid of [
      ...pidsOf(`${own}/`),
      ...pidsOf(`--hostname-override=${name}`, "kubelet"),
      ...containersIn(name),
    ])
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended with another one.
      }
    await noticeDeath(name);
    await startOne(name);
    await until(`${name} is ready again`, () => isReady(name), 180);
    await until(
      `nothing is left of the pods of ${name}`,
      async () => {
        const { items } = await read("pods");
        return items.every(
          ({ metadata }) =>
            Date.now() - Date.parse(metadata.deletionTimestamp ?? "") < 60_000 || !metadata.deletionTimestamp,
        );
      },
      240,
    );
  }

  /** Prints after how many seconds a death had which effect; once all pods run elsewhere, it is over. */
  async function noticeDeath(name: string): Promise<void> {
    const died = Date.now();
    const seconds = new Map<string, number>();
    const note = (what: string, isSo: boolean): void => {
      if (isSo && !seconds.has(what)) seconds.set(what, Math.round((Date.now() - died) / 1000));
    };
    await until(
      `the death of ${name} has its effects`,
      async () => {
        const { items } = await read("nodes,pods,endpointslices");
        const node = items.find(({ kind, metadata }) => kind === "Node" && metadata.name === name);
        const pods = items.filter(({ kind, spec }) => kind === "Pod" && spec?.nodeName === name);
        const endpoints = items.flatMap((item) => item.endpoints ?? []);
        note("missed", conditionOf(node, "Ready") !== "True");
        note(
          "pods unready",
          pods.every((pod) => conditionOf(pod, "Ready") !== "True"),
        );
        note(
          "endpoints gone",
          !endpoints.some(({ nodeName, conditions }) => nodeName === name && conditions?.ready),
        );
        note(
          "pods deleted",
          pods.every(({ metadata }) => metadata.deletionTimestamp),
        );
        return seconds.size === 4;
      },
      180,
    );
    await settle();
    note("replaced", true);
    console.log(`${name} died: ${[...seconds].map(([what, after]) => `${what} ${after} s`).join(", ")}`);
  }

  /** The containers of the nodes are those of pods that exist. */
  async function checkContainers(): Promise<void> {
    await until(
      "no container is without a pod",
      async () => {
        const known = new Set(
          (await read("pods", "--all-namespaces")).items.map(({ metadata }) => metadata.uid),
        );
        for (const name of nodeNames) {
          const socket = join(folder, name, "containerd.sock");
          const tasks = await inside(
            "ctr",
            "--address",
            socket,
            "--namespace",
            "k8s.io",
            "tasks",
            "list",
            "--quiet",
          );
          for (const id of tasks.split("\n").filter((line) => line !== "")) {
            const told = await inside(
              "ctr",
              "--address",
              socket,
              "--namespace",
              "k8s.io",
              "containers",
              "info",
              id,
            );
            const { Labels = {} } = JSON.parse(told) as { Labels?: Record<string, string> };
            if (!known.has(Labels["io.kubernetes.pod.uid"] ?? "")) return false;
          }
        }
        return true;
      },
      120,
    );
  }

  /** The processes of this sandbox whose command lines have these words. */
  function pidsOf(...words: readonly string[]): number[] {
    const namespaces = execFileSync(enter[0]!, [...enter.slice(1), "readlink", "/proc/self/ns/net"], {
      encoding: "utf8",
    }).trim();
    return readdirSync("/proc")
      .filter((entry) => /^\d+$/u.test(entry))
      .filter((entry) => {
        try {
          const line = readFileSync(`/proc/${entry}/cmdline`, "utf8").replaceAll("\0", " ");
          if (!words.every((word) => line.includes(word)) || line.startsWith("nsenter")) return false;
          return (
            execFileSync("readlink", [`/proc/${entry}/ns/net`], { encoding: "utf8" }).trim() === namespaces
          );
        } catch {
          return false;
        }
      })
      .map(Number);
  }

  /** The processes in the containers of a node. */
  function containersIn(name: string): number[] {
    const words = ["/sys/fs/cgroup", "-path", `*/${group}/${name}/*`, "-name", "cgroup.procs"];
    const { stdout } = spawnSync("find", words, { encoding: "utf8" });
    const files = stdout.trim().split("\n");
    const pids = files.flatMap((file) => {
      try {
        return readFileSync(file, "utf8").trim().split("\n");
      } catch {
        // The container ended meanwhile.
        return [];
      }
    });
    return [...new Set(pids.filter((pid) => pid !== "").map(Number))];
  }
} catch (error) {
  problems.push(String(error));
} finally {
  printErrors();
  await sandbox.stop();
}
for (const problem of problems) console.error(`problem: ${problem}`);
console.log(`${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Waits for a state; one that doesn't come is a problem, and the soak goes on. */
async function until(what: string, check: () => Promise<boolean>, seconds: number): Promise<boolean> {
  const limit = Date.now() + seconds * 1000;
  let last = "";
  while (Date.now() < limit) {
    try {
      if (await check()) return true;
      last = "not yet";
    } catch (error) {
      last = (error as Error).message.split("\n").slice(0, 3).join(" ");
    }
    await delay(1000);
  }
  problems.push(`${new Date().toISOString()} after ${seconds} s it is not so that ${what}: ${last}`);
  console.log(problems.at(-1));
  return false;
}

/** Prints the errors of all logs, those of one text together. */
function printErrors(): void {
  const counts = new Map<string, number>();
  const logs = join(folder, "logs");
  for (const file of readdirSync(logs))
    for (const line of readFileSync(join(logs, file), "utf8").split("\n")) {
      if (!/^[EF]\d{4} |level=(?:error|fatal)|^cluster: |^ended with|panic/u.test(line)) continue;
      const text = line
        .replace(/^[EF]\d{4} [\d:.]+ +\d+ /u, "")
        .replace(/^time="[^"]*" /u, "")
        // The cause comes after what was sent.
        .replace(/\\?"\{.*\}\\?"/u, "{…}")
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,}|(?<=kube-api-access-)\w+/gu, "ID")
        .replaceAll(/\b(?:stay|churn)-[a-z0-9]+-[a-z0-9]+|job-\d+-[a-z0-9]+/gu, "POD")
        .replaceAll(/\d+/gu, "N")
        .slice(0, 230);
      const key = `${file.replace(/-node-\d/u, "")}: ${text}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  for (const [text, count] of [...counts].toSorted((a, b) => b[1] - a[1])) console.log(`${count} × ${text}`);
}

interface Item {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec?: { readonly replicas?: number; readonly nodeName?: string };
  readonly endpoints?: readonly {
    readonly nodeName?: string;
    readonly conditions?: { readonly ready?: boolean };
  }[];
  readonly status?: {
    readonly podIP?: string;
    readonly phase?: string;
    readonly replicas?: number;
    readonly availableReplicas?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly containerID?: string }[];
  };
}

function conditionOf(item: Item | undefined, type: string): string | undefined {
  return item?.status?.conditions?.find((each) => each.type === type)?.status;
}

/** Pods that leave a dead node after half a minute. */
function template(app: string, script: string, more: object = {}) {
  const tolerations = ["not-ready", "unreachable"].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 30,
  }));
  const command = ["/bin/busybox", "sh", "-c", script];
  return {
    metadata: { labels: { app } },
    spec: {
      terminationGracePeriodSeconds: 1,
      tolerations,
      containers: [{ name: "box", image: boxImage, command, ...more }],
    },
  };
}

function deployment(name: string, replicas: number): object {
  const script =
    "/bin/busybox mkdir /www; /bin/busybox hostname > /www/index.html; exec /bin/busybox httpd -f -p 8080 -h /www";
  const readinessProbe = { httpGet: { port: 8080 }, periodSeconds: 5 };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: template(name, script, { readinessProbe }),
    },
  };
}

/** Its pods end well; those that a dead node took with it are made anew, and don't count as failures. */
function newJob(name: string): object {
  const { metadata, spec } = template("job", "/bin/busybox sleep 3");
  const onDisruption = { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "default" },
    spec: {
      completions: 4,
      parallelism: 4,
      podFailurePolicy: { rules: [onDisruption] },
      template: { metadata, spec: { ...spec, restartPolicy: "Never" } },
    },
  };
}
