import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createClient, createLogger, loadConfig, Manager } from "@tsbuilder/runtime";
import { Lease } from "@tsbuilder/runtime/k8s/coordination/v1";
import { eventually } from "../../support/eventually.ts";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

const binaries = findBinaries({ build: false });
/** The lease duration of both candidates; see client-go-elector/main.go. */
const leaseSeconds = 2;
const folder = mkdtempSync(join(tmpdir(), "tsbuilder-elector-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const elector = buildElector();

if ("missing" in binaries || elector === undefined) {
  const reason = "missing" in binaries ? binaries.missing : "Go, or the modules of client-go, are not there";
  console.log(`left out: an election together with client-go: ${reason}`);
  test("an election together with client-go is left out without its programs", () => {
    expect(reason).not.toBe("");
  });
} else {
  const control = await startControlPlane(binaries.folder);
  afterAll(() => control.stop());

  const startGo = (lease: string) => {
    const child = spawn(elector, [], {
      env: { ...process.env, KUBECONFIG: control.kubeconfig, LEASE: lease },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const lines: string[] = [];
    createInterface(child.stdout).on("line", (line) => lines.push(line));
    onTestFinished(() => void child.kill("SIGKILL"));
    return { child, lines };
  };
  const client = createClient(await loadConfig({ kubeconfig: control.kubeconfig, env: {} }));
  afterAll(() => client.close());
  const renewal = async (name: string): Promise<number> => {
    const lease = await client.get(Lease, { namespace: "default", name });
    return Date.parse(lease.spec?.renewTime ?? "");
  };
  /** Waits until the holder of a lease has kept it for this many more seconds. */
  const renewedFor = async (name: string, seconds: number): Promise<void> => {
    const start = await renewal(name);
    await eventually(async () => expect(await renewal(name)).toBeGreaterThan(start + seconds * 1000));
  };
  const startOurs = (lease: string) => {
    const manager = new Manager({
      name: "ours",
      config: () => loadConfig({ kubeconfig: control.kubeconfig, env: {} }),
      logger: createLogger({ write() {} }),
      leaderElection: {
        id: lease,
        namespace: "default",
        identity: "tsbuilder",
        leaseDuration: `${leaseSeconds}s`,
        renewDeadline: "1s",
        retryPeriod: "200ms",
      },
    });
    const state = { isLeading: false };
    manager.add({ name: "witness", start: () => void (state.isLeading = true) });
    const end = manager.start();
    end.catch(() => {});
    onTestFinished(async () => {
      manager.stop();
      await end.catch(() => {});
    });
    return { manager, state, end };
  };

  test("client-go waits for our leader, and leads when it releases the lease", async () => {
    const ours = startOurs("ours-first");
    await eventually(() => ours.state.isLeading);
    const go = startGo("ours-first");
    await eventually(() => go.lines.includes("leader is tsbuilder"));
    await renewedFor("ours-first", 2 * leaseSeconds);
    expect(go.lines).not.toContain("leading");
    ours.manager.stop();
    await ours.end;
    await eventually(() => go.lines.includes("leading"));
  });

  test("our candidate waits for client-go's leader, and leads when that is killed or releases the lease", async () => {
    const go = startGo("go-first");
    await eventually(() => go.lines.includes("leading"));
    const ours = startOurs("go-first");
    await renewedFor("go-first", 2 * leaseSeconds);
    expect(ours.state.isLeading).toBe(false);
    go.child.kill("SIGKILL");
    await eventually(() => ours.state.isLeading);

    const gentle = startGo("go-gentle");
    await eventually(() => gentle.lines.includes("leading"));
    const next = startOurs("go-gentle");
    gentle.child.kill("SIGTERM");
    await eventually(() => next.state.isLeading);
  });
}

function buildElector(): string | undefined {
  const output = join(folder, "elector");
  const cwd = join(import.meta.dirname, "client-go-elector");
  const { status } = spawnSync("go", ["build", "-o", output, "."], { cwd, stdio: "ignore" });
  return status === 0 ? output : undefined;
}
