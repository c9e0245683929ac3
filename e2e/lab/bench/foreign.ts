/**
 * The loop of somebody who writes an operator in Go: from nothing to its first reconcile, and from a save to the first reconcile of
 * the new code. `tsbuilder dev --exec` is compared with etcd, kube-apiserver and `go run`, in whose favour the programs are there and
 * no webhooks are called. kind's node needs an image that can't be had here; it runs these same programs, and a kubelet's containers.
 * Needs `npm run build` and Go. Run: [ROUNDS=5] npm run lab -- bench foreign
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { createClient, loadConfig } from "@tsbuilder/runtime";

import { configManifests, fileManifests } from "../../../src/dev/config/manifests.ts";
import { startControlPlane } from "../../oracle/real/control-plane.ts";
import { findBinaries } from "../../oracle/real/control-plane-binaries.ts";
import { startTsbuilder } from "../../support/dev/dev-process.ts";
import { eventually } from "../../support/eventually.ts";
import { ownPort } from "../../support/own-port.ts";
import { repository } from "../../support/source-imports.ts";
import { watchProcess } from "../../support/watched-process.ts";
import { describeRatios, percentile } from "./side-by-side/statistics.ts";

const rounds = Number(process.env["ROUNDS"] ?? 5);
const work = mkdtempSync(join(tmpdir(), "tsbuilder-bench-foreign-"));

/** A loop that is running. */
interface Loop {
  /** Resolves once a line with the text is there. */
  sees(text: string): Promise<unknown>;
  /** The step that a person takes after a save, and dev takes by itself. */
  saved(): Promise<void>;
  stop(): Promise<unknown>;
}

/** Copies the operator, which says in each reconcile in which round it was built. */
function copyOperator(name: string): { readonly folder: string; readonly edit: (round: number) => void } {
  const folder = join(work, name);
  cpSync(join(repository, "e2e/support/operators/guestbook"), folder, { recursive: true });
  const file = join(folder, "internal/controller/guestbook_controller.go");
  const text = readFileSync(file, "utf8");
  const edit = (round: number): void => {
    const line = `\tfmt.Println("reconciled in round ${round}")\n`;
    writeFileSync(file, text.replace("\tvar guestbook webv1.Guestbook\n", `${line}$&`));
  };
  edit(0);
  return { folder, edit };
}

function startOurs(folder: string, port: number): Loop {
  const flags = {
    build: "go build -o bin/manager ./cmd",
    exec: "bin/manager --webhook-cert-path=$WEBHOOK_CERT_DIR",
  };
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const dev = startTsbuilder(
    { folder, env: {} },
    "dev",
    "--plain",
    "--samples",
    `--webhook-port=${port}`,
    ...words,
  );
  return { sees: (text) => dev.sees(text), saved: () => Promise.resolve(), stop: () => dev.stop("SIGINT") };
}

async function startTheirs(folder: string, port: number, binaries: string): Promise<Loop> {
  const control = await startControlPlane(binaries);
  const client = createClient(await loadConfig({ kubeconfig: control.kubeconfig, env: {} }));
  const [sample] = fileManifests(folder, ["config/samples"]);
  const namespaced = { ...sample!, metadata: { namespace: "default", ...sample!.metadata } };
  for (const object of [...configManifests(folder).crds, namespaced])
    await eventually(async () => client.create(await client.mapper.kindFor(object), object));
  await client.close();
  const certificates = join(folder, "certificates");
  mkdirSync(certificates);
  const { cert, key } = issueCertificate(createCA({ commonName: "bench" }), {
    commonName: "localhost",
    usages: ["server"],
  });
  writeFileSync(join(certificates, "tls.crt"), cert);
  writeFileSync(join(certificates, "tls.key"), key);
  const run = (): { readonly child: ChildProcess; readonly lines: readonly string[] } => {
    const child = spawn("go", ["run", "./cmd", `--webhook-cert-path=${certificates}`], {
      cwd: folder,
      env: { ...process.env, KUBECONFIG: control.kubeconfig, WEBHOOK_PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    return { child, ...watchProcess("go run", child) };
  };
  let operator = run();
  const end = async (): Promise<void> => {
    process.kill(-operator.child.pid!, "SIGTERM");
    await eventually(() => operator.child.exitCode !== null || operator.child.signalCode !== null);
  };
  return {
    sees: (text) => eventually(() => operator.lines.some((line) => line.includes(text))),
    saved: async () => {
      await end();
      operator = run();
    },
    stop: async () => {
      await end();
      await control.stop();
    },
  };
}

const binaries = findBinaries({ build: false });
if ("missing" in binaries) throw new Error(binaries.missing);
const operators = new Map([
  ["tsbuilder dev --exec", (folder: string, port: number) => Promise.resolve(startOurs(folder, port))],
  ["kube-apiserver and go run", (folder: string, port: number) => startTheirs(folder, port, binaries.folder)],
]);
const results = (): Map<string, number[]> => new Map([...operators.keys()].map((name) => [name, []]));
const [starts, saves] = [results(), results()];
const loops = new Map<string, Loop & { readonly edit: (round: number) => void }>();
try {
  // Neither compiles the modules that both have in common.
  execFileSync("go", ["build", "-o", "bin/manager", "./cmd"], { cwd: copyOperator("warm").folder });
  for (const [name, start] of operators) {
    const { folder, edit } = copyOperator(name.split(" ")[0]!);
    const port = await ownPort();
    const begun = performance.now();
    const loop = await start(folder, port);
    loops.set(name, { ...loop, edit });
    await loop.sees("reconciled in round 0");
    starts.get(name)!.push(performance.now() - begun);
  }
  // Alternating, so that other load on the machine affects both.
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, loop] of loops) {
      // Nobody saves twice within two seconds.
      await delay(2000);
      const begun = performance.now();
      loop.edit(round);
      await loop.saved();
      await loop.sees(`reconciled in round ${round}`);
      saves.get(name)!.push(performance.now() - begun);
    }
  }
} finally {
  await Promise.all([...loops.values()].map((loop) => loop.stop()));
  rmSync(work, { recursive: true, force: true });
}
console.log(
  `${rounds} rounds, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(" ")}; medians in ms:`,
);
for (const [what, times] of [
  ["nothing → first reconcile", starts],
  ["save → first reconcile", saves],
] as const) {
  const medians = [...times].map(([name, values]) => `${name} ${percentile(values, 50).toFixed(0)}`);
  const [ours, theirs] = [...times.values()];
  console.log(`  ${what}: ${medians.join(", ")}, ratio ${describeRatios(ours!, theirs!)}`);
}
